// SPDX-License-Identifier: Apache-2.0
//
// Steps that a lone replica takes with fewer of its cores: which they are, what they cost, and who takes
// them.
#include "adapt/cores.h"

#include <map>
#include <vector>

#include "test_case.h"

using namespace batchscope::replica;

class TestCores : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void two_cores_try_one_of_them_early_and_then_seldom() {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 0; step < 1300; ++step)
      if (cores_of_step(step, 2) == 1) steps.push_back(step);
    QCOMPARE(steps, (std::vector<std::int64_t>{20, 21, 22, 600, 601, 602, 1200, 1201, 1202}));
  }

  void many_cores_try_half_of_them_and_one() {
    std::map<int, int> steps;
    for (std::int64_t step = 0; step < 60'000; ++step) ++steps[cores_of_step(step, 16)];
    QCOMPARE(steps.size(), 3u);
    QVERIFY(steps[8] > 0 && steps[1] > 0);
    // Extra time, in steps, where one core takes 16 times as long.
    QVERIFY(steps[8] * 1 + steps[1] * 15 < 0.012 * 60'000);
  }

  void one_core_is_always_all() {
    for (std::int64_t step = 0; step < 2000; ++step) QCOMPARE(cores_of_step(step, 1), 1);
  }

  void the_library_is_told_and_the_cores_in_force_are_known() {
    std::vector<int> used;
    set_cores(2, [&used](int cores) { used.push_back(cores); });
    for (std::int64_t step = 0; step < 30; ++step) {
      choose_cores(step, false);
      QCOMPARE(cores(), cores_of_step(step, 2));
      QCOMPARE(all_cores(), 2);
    }
    QCOMPARE(used, (std::vector<int>{1, 2}));
    choose_cores(600, false);
    use_own_cores();
    QCOMPARE(cores(), 2);
    QCOMPARE(used, (std::vector<int>{1, 2, 1, 2}));
    set_cores(0, {});
    choose_cores(20, false);
    QCOMPARE(cores(), 0);
  }

  // Two threads take three times as long as one. A run of a fixed batch size keeps both nevertheless.
  void a_free_run_keeps_what_is_faster() {
    for (const bool freely : {true, false}) {
      int used = 2;
      set_cores(2, [&used](int cores) { used = cores; });
      for (std::int64_t step = 0; step < 100; ++step) {
        choose_cores(step, freely);
        if (freely) cores_took(cores(), {32, 0}, cores() == 2 ? 0.03 : 0.01);
        use_own_cores();
      }
      QCOMPARE(used, freely ? 1 : 2);
      QCOMPARE(all_cores(), 2);
    }
  }
};

BATCHSCOPE_TEST(TestCores)
#include "test_cores.moc"
