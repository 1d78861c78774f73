// SPDX-License-Identifier: Apache-2.0
//
// Steps that a lone replica takes with fewer of its cores: which they are, what they cost, and who takes
// them.
#include "adapt/cores.h"

#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "process/process.h"
#include "process/session.h"
#include "test_case.h"

using namespace batchscope::replica;

class TestCores : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void of_a_program_that_does_not_say_none_are_known() {
    QCOMPARE(cores(), 0);
    QCOMPARE(all_cores(), 0);
    QVERIFY(!keeps_fastest_cores());
  }

  void two_cores_try_one_of_them_early_and_then_seldom() {
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 0; step < 1300; ++step)
      if (cores_of_step(step, 2) == 1) steps.push_back(step);
    QCOMPARE(steps, (std::vector<std::int64_t>{20, 21, 22, 600, 601, 602, 1200, 1201, 1202}));
  }

  // One core the more seldom the more there are, three steps after those with half of them.
  void three_and_four_cores_try_one_of_them_in_between() {
    using Steps = std::map<std::int64_t, int>;
    const auto fewer = [](int all) {
      Steps steps;
      for (std::int64_t step = 0; step < 2000; ++step)
        if (const int cores = cores_of_step(step, all); cores != all) steps[step] = cores;
      return steps;
    };
    const auto times = [](std::initializer_list<std::pair<std::int64_t, int>> first) {
      Steps steps;
      for (const auto& [step, cores] : first)
        for (std::int64_t i = 0; i < 3; ++i) steps[step + i] = cores;
      return steps;
    };
    QCOMPARE(fewer(3), times({{20, 1}, {43, 1}, {600, 1}, {1200, 1}, {1203, 1}, {1800, 1}}));
    QCOMPARE(fewer(4), times({{20, 2}, {63, 1}, {600, 2}, {1200, 2}, {1800, 2}, {1803, 1}}));
  }

  void many_cores_try_half_of_them_and_one() {
    std::map<int, int> steps;
    for (std::int64_t step = 0; step < 60'000; ++step) ++steps[cores_of_step(step, 16)];
    QCOMPARE(steps.size(), 3u);
    for (std::int64_t step = 301; step < 308; ++step)  // fifteen times twenty, and three later
      QCOMPARE(cores_of_step(step, 16), step >= 303 && step <= 305 ? 1 : 16);
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

  // A run that measures no cores keeps them all, and so does one of several replicas.
  void who_does_not_measure_keeps_all() {
    auto& environment = session().part<Process>().environment;
    for (const bool measures : {true, false})
      for (const int replicas : {1, 2}) {
        environment.measure_cores = measures;
        environment.num_replicas = replicas;
        std::vector<int> used;
        set_cores(2, [&used](int cores) { used.push_back(cores); });
        QCOMPARE(keeps_fastest_cores(), measures);
        choose_cores(20, false);
        const bool tries = measures && replicas == 1;
        QCOMPARE(cores(), tries ? 1 : 2);
        QCOMPARE(used, tries ? std::vector<int>{1} : std::vector<int>{});
        // Neither are its steps compared.
        set_cores(2, [](int) {});
        for (int i = 0; i < 21; ++i) cores_took(2, {8, 0}, 1);
        environment.num_replicas = 1;
        choose_cores(0, true);
        QCOMPARE(cores(), tries ? 1 : 2);
      }
    environment = {};
    for (const int all : {0, 1}) {
      set_cores(all, [](int) {});
      QCOMPARE(keeps_fastest_cores(), all > 0);
    }
    set_cores(0, {});
  }

  // Their times may come late, when another number is in force.
  void stepsWithOtherCoresSayNothing() {
    set_cores(2, [](int) {});
    for (int i = 0; i < 30; ++i) cores_took(1, {8, 0}, 1);
    choose_cores(0, true);
    QCOMPARE(cores(), 2);
    for (int i = 0; i < 21; ++i) cores_took(2, {8, 0}, 1);
    choose_cores(0, true);
    QCOMPARE(cores(), 1);
    set_cores(0, {});
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
