// SPDX-License-Identifier: Apache-2.0
//
// The fastest number of cores, on machines whose step times are given: what is kept, when, and at what cost.
#include "adapt/core_trials.h"

#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "test_case.h"

using namespace batchscope::replica;

namespace {

using StepTime = std::function<double(int cores, double now)>;  // s

// A replica that steps, by its own clock.
struct Replica {
  CoreTrials trials;
  StepTime step_time;
  double now = 100;
  std::map<int, int> steps = {};  // by cores
  double extra = 0;               // s, beyond what these steps would have taken with the cores that are kept

  Replica(int all, StepTime time) : trials(all), step_time(std::move(time)) {}

  void step(BatchShape shape = {32, 0}) {
    const int cores = trials.next();
    const double seconds = step_time(cores, now);
    extra += seconds - step_time(trials.own(), now);
    now += seconds;
    ++steps[cores];
    trials.took(shape, seconds, now);
  }
  void run_until(double end) {
    while (now < end) step();
  }
};

constexpr double kMillisecond = 0.001;

double halved_by_twice_the_cores(int cores, double) { return 0.016 / cores; }

}  // namespace

class TestCoreTrials : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void all_cores_are_kept_where_they_are_the_fastest() {
    Replica replica(16, halved_by_twice_the_cores);
    replica.run_until(400);
    QCOMPARE(replica.trials.own(), 16);
    QVERIFY(replica.steps[8] > 0 && replica.steps[1] > 0);
    QVERIFY(replica.steps[16] > 0.99 * 300 / 0.001 * 0.98);
    QVERIFY2(replica.extra < 0.006 * 300, qPrintable(QString::number(replica.extra)));
  }

  void fewer_are_kept_where_they_are_faster() {
    Replica replica(16, [](int cores, double) { return 0.01 + 0.001 * std::abs(std::log2(cores) - 2); });
    replica.run_until(110);
    QCOMPARE(replica.trials.own(), 4);
  }

  void a_little_faster_changes_nothing() {
    Replica replica(2, [](int cores, double) { return cores == 2 ? 0.0104 : 0.01; });
    replica.run_until(130);
    QCOMPARE(replica.trials.own(), 2);
    Replica faster(2, [](int cores, double) { return cores == 2 ? 0.0106 : 0.01; });
    faster.run_until(130);
    QCOMPARE(faster.trials.own(), 1);
  }

  // A trial that costs nothing comes after a second, one that costs more when that is 0.5 % of the time.
  void trials_come_the_more_seldom_the_more_they_cost() {
    const auto began = [](double with_one) {
      Replica replica(2, [with_one](int cores, double) { return cores == 1 ? with_one : 0.01; });
      std::vector<double> times;
      for (int before = 2; times.size() < 3; before = replica.trials.next()) {
        replica.step();
        if (before == 2 && replica.trials.next() == 1) times.push_back(replica.now);
      }
      return times[2] - times[1];
    };
    QVERIFY(std::abs(began(0.01) - 1.05) < 0.02);                   // four steps and a second
    QVERIFY(std::abs(began(0.03) - (0.12 + 0.08 / 0.005)) < 0.02);  // 20 ms longer, four times
  }

  // Another process computes from second 20 to 40, so that two threads wait for one another.
  void a_busy_machine_is_noticed_and_a_calm_one_again() {
    Replica replica(2, [](int cores, double now) {
      const bool is_busy = now > 120 && now < 140;
      return cores == 1 ? 0.005 : is_busy ? 0.06 : 0.003;
    });
    replica.run_until(120);
    QCOMPARE(replica.trials.own(), 2);
    replica.run_until(123);
    QCOMPARE(replica.trials.own(), 1);
    replica.run_until(140);
    QCOMPARE(replica.trials.own(), 1);
    replica.run_until(200);
    QCOMPARE(replica.trials.own(), 2);
  }

  void one_long_step_sways_nothing() {
    int step = 0;
    Replica replica(2, [&step](int cores, double) { return ++step % 29 == 0 ? 1.0 : 0.02 / cores; });
    replica.run_until(200);
    QCOMPARE(replica.trials.own(), 2);
  }

  // A trial of four steps begins after twenty. Another batch size ends it, and is measured anew first.
  void only_steps_of_one_batch_size_are_compared() {
    Replica replica(2, [](int cores, double) { return cores == 1 ? 0.001 : 0.01; });
    for (int i = 0; i < 21; ++i) replica.step();
    QCOMPARE(replica.trials.next(), 1);
    replica.step({64, 0});
    QCOMPARE(replica.trials.next(), 2);
    for (int i = 0; i < 19; ++i) replica.step({64, 0});
    QCOMPARE(replica.trials.next(), 2);
    replica.step({64, 0});
    QCOMPARE(replica.trials.next(), 1);
    QCOMPARE(replica.trials.own(), 2);
    for (int i = 0; i < 4; ++i) replica.step({64, 0});
    QCOMPARE(replica.trials.own(), 1);
  }

  // Five steps are enough where they take a second, and fewer never are.
  void slow_steps_are_tried_early() {
    const auto steps_before = [](double seconds) {
      Replica replica(2, [seconds](int cores, double) { return seconds / cores; });
      while (replica.trials.next() == 2) replica.step();
      return replica.steps[2];
    };
    QCOMPARE(steps_before(0.5), 1 + 5);  // the first warms up
    QCOMPARE(steps_before(20), 1 + 5);
    QCOMPARE(steps_before(0.25), 1 + 8);
    QCOMPARE(steps_before(0.02), 1 + 20);
  }

  // The middle one of the last five steps before a trial counts, and of a trial's four the middle one of the
  // last three, as the first one warms up.
  void medians_of_a_few_steps_are_compared_data() {
    QTest::addColumn<std::vector<double>>("before");
    QTest::addColumn<std::vector<double>>("during");
    QTest::addColumn<int>("own");
    using Times = std::vector<double>;
    const Times calm(20, 1.0);
    QTest::newRow("faster") << calm << Times{1, 0.5, 0.5, 0.5} << 1;
    QTest::newRow("slower") << calm << Times{1, 2, 2, 2} << 2;
    QTest::newRow("the first warms up") << calm << Times{9, 0.5, 0.5, 2} << 1;
    QTest::newRow("two of three are slow") << calm << Times{0.1, 0.5, 2, 2} << 2;
    QTest::newRow("a twentieth faster") << Times(20, 1.05) << Times{1, 1, 1, 1} << 2;
    QTest::newRow("a little more") << Times(20, 1.06) << Times{1, 1, 1, 1} << 1;
    Times last_three_fast(20, 2.0), last_two_fast(20, 2.0);
    for (const std::size_t at : {17, 18, 19}) last_three_fast[at] = 1;
    for (const std::size_t at : {18, 19}) last_two_fast[at] = 1;
    QTest::newRow("three of five were fast") << last_three_fast << Times{1.5, 1.5, 1.5, 1.5} << 2;
    QTest::newRow("two of five were fast") << last_two_fast << Times{1.5, 1.5, 1.5, 1.5} << 1;
  }
  void medians_of_a_few_steps_are_compared() {
    QFETCH(std::vector<double>, before);
    QFETCH(std::vector<double>, during);
    QFETCH(int, own);
    CoreTrials trials(2);
    trials.took({8, 0}, kMillisecond, 0);  // the first of its shape
    for (const double times : before) {
      QCOMPARE(trials.next(), 2);
      trials.took({8, 0}, times * kMillisecond, 0);
    }
    for (const double times : during) {
      QCOMPARE(trials.next(), 1);
      trials.took({8, 0}, times * kMillisecond, 0);
    }
    QCOMPARE(trials.own(), own);
    QCOMPARE(trials.next(), own);
  }

  // After a second, by the clock, and after twenty steps.
  void the_next_trial_is_due_in_its_time() {
    const auto steps_until_a_trial = [](CoreTrials& trials, double now) {
      int steps = 0;
      for (; trials.next() == trials.own() && steps < 100; ++steps) trials.took({8, 0}, kMillisecond, now);
      return steps;
    };
    CoreTrials trials(2);
    QCOMPARE(steps_until_a_trial(trials, 10), 21);
    for (int i = 0; i < 4; ++i) trials.took({8, 0}, kMillisecond, 10);
    QCOMPARE(steps_until_a_trial(trials, 10.9), 100);
    QCOMPARE(steps_until_a_trial(trials, 11), 1);
    for (int i = 0; i < 4; ++i) trials.took({8, 0}, kMillisecond, 20);
    QCOMPARE(steps_until_a_trial(trials, 100), 20);  // those before the last trial say nothing of now
  }

  // Half of what is kept, twice as many, and one, in turn; what it keeps itself is passed over.
  void trials_take_turns() {
    Replica replica(16, [](int cores, double) { return 0.01 + 0.001 * std::abs(std::log2(cores) - 2); });
    std::vector<int> tried;
    for (bool is_trial = false; tried.size() < 10;) {
      replica.step();
      const bool was_trial = std::exchange(is_trial, replica.trials.next() != replica.trials.own());
      if (is_trial && !was_trial) tried.push_back(replica.trials.next());
    }
    QCOMPARE(tried, (std::vector<int>{8, 16, 1, 4, 8, 1, 2, 8, 1, 2}));
    // One of two cores is kept: twice as many is all that there is to try.
    CoreTrials one(2);
    for (int i = 0; i < 25; ++i) one.took({8, 0}, (one.next() == 1 ? 1 : 2) * kMillisecond, 0);
    QCOMPARE(one.own(), 1);
    for (double now = 1000; now < 5000; now += 1000) {
      for (int i = 0; i < 20; ++i) {
        QCOMPARE(one.next(), 1);
        one.took({8, 0}, kMillisecond, now);
      }
      for (int i = 0; i < 4; ++i) {
        QCOMPARE(one.next(), 2);
        one.took({8, 0}, kMillisecond, now);
      }
    }
  }

  void one_core_is_all_there_is() {
    for (const int all : {0, 1}) {
      Replica replica(all, [](int, double) { return 0.01; });
      replica.run_until(110);
      QCOMPARE(replica.steps.size(), 1u);
      QCOMPARE(replica.trials.next(), all);
    }
  }
};

BATCHSCOPE_TEST(TestCoreTrials)
#include "test_core_trials.moc"
