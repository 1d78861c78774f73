// SPDX-License-Identifier: Apache-2.0
//
// When each job will end: what becomes of pauses, ages, restarts and turns from one decision to the next.
#include "batchscope/policy/forecast.h"

#include <cmath>

#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

namespace {

// Learns so fast on each device, and has so much to do.
Job steady(const std::string& name, double work, int most, double speed = 1) {
  Job job;
  job.name = name;
  job.goodput = [=](int kind, int, int devices) { return kind == 0 ? speed * devices : 0; };
  job.remaining = work;
  job.max_replicas = job.max_profiled = most;
  return job;
}

Job endless(const std::string& name, double weight) {
  Job job = steady(name, 0, 1);
  job.remaining.reset();
  job.weight = weight;
  return job;
}

void verify(const std::vector<std::optional<double>>& ends, const std::vector<double>& expected) {
  QCOMPARE(ends.size(), expected.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const double end = ends[i].value_or(-1);
    QVERIFY2(std::abs(end - expected[i]) <= 1e-9 * std::abs(expected[i]),
             qPrintable(QString("job %1: %2, expected %3").arg(i).arg(end).arg(expected[i])));
  }
}

}  // namespace

class TestForecast : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A device each, so that nobody is moved.
  void eachEndsByItself_data() {
    const auto row = columns<double, double, double, double>({"first", "pause", "second", "end"});
    row("half a second later", 100, 0, 100.5, 100.5);
    row("in a pause that is longer than the other job", 100, 150, 100, 250);
    row("after its pause", 100, 50, 100, 150);
  }
  void eachEndsByItself() {
    QFETCH(const double, first);
    QFETCH(const double, pause);
    QFETCH(const double, second);
    QFETCH(const double, end);
    std::vector jobs{steady("a", first, 1), steady("b", second, 1)};
    jobs[1].pause = pause;
    verify(forecast(jobs, uniform_cluster(1, 2), Objective::fair), {first, end});
  }

  // Also where it has no devices, which would take a pause.
  void whoHasNothingToDoHasEnded() {
    Job done = steady("a", 0, 1);
    done.pause = 7;
    verify(forecast(std::vector{done}, uniform_cluster(1, 1), Objective::fair), {0});
  }

  // b ends at 100 s. Under pollux a then takes its device, too, if (age - restarts * pause) / (age + pause)
  // is more than the half that it has: its age is 120 s then, and it has been started once.
  void agesAndRestartsGoOn_data() {
    const auto row = columns<double, double>({"pause", "end"});
    row("moves", 30, 100 + 30 + (200 - 70) / 2.0);
    row("stays, as it would lose too much", 60, 100 + 200 - 40);
  }
  void agesAndRestartsGoOn() {
    QFETCH(const double, pause);
    QFETCH(const double, end);
    std::vector jobs{steady("a", 200, 2), steady("b", 100, 1)};
    for (Job& job : jobs) job.age = 20;
    jobs[0].pause = pause;
    verify(forecast(jobs, uniform_cluster(1, 2), Objective::pollux), {end, 100});
  }

  // Two devices. d counts for least, but waits since before the others: after a has ended at 100 s its turn
  // has not come yet, and c goes first.
  void turnsComeAfterSoManyDecisions() {
    std::vector jobs{steady("d", 100, 1), steady("a", 100, 1), steady("b", 1600, 1, 4), steady("c", 100, 1)};
    jobs[1].weight = jobs[2].weight = 1e6;
    jobs[3].weight = 10;
    verify(forecast(jobs, uniform_cluster(1, 2), Objective::fair), {300, 100, 400, 200});
  }

  // Jobs that never end count for more, so that the others have no more than their turns: once in
  // ceil(J / N) + 1 decisions.
  void takesTurnsWithWhatNeverEnds_data() {
    const auto row = columns<int, int, double>({"devices", "others", "decisions"});
    row("two on one device", 1, 1, 3);
    row("three on one device", 1, 2, 4);
    row("five on two devices", 2, 4, 4);
  }
  void takesTurnsWithWhatNeverEnds() {
    QFETCH(const int, devices);
    QFETCH(const int, others);
    QFETCH(const double, decisions);
    std::vector<Job> jobs{steady("c", 400, 1)};
    std::vector<double> expected{decisions * 400};
    for (int i = 0; i < others; ++i) {
      jobs.push_back(endless("endless", 1e6));
      expected.push_back(-1);
    }
    verify(forecast(jobs, uniform_cluster(1, devices), Objective::fair), expected);
  }

  // The mean is over three decisions and no more. Under pollux the one that never ends would not get its
  // device back, as a restart of it takes longer than it is old.
  void theMeanIsOverOneRoundOfTurns() {
    std::vector<Job> jobs{steady("c", 400, 1), endless("e", 10)};
    jobs[1].placement = {{0, 1}};
    jobs[1].pause = 10;
    verify(forecast(jobs, uniform_cluster(1, 1), Objective::pollux), {3 * 400, -1});
  }

  // Whatever moved a job before, nobody knows whether it will be left alone later.
  void earlierMovesAreForgotten() {
    Job moved = steady("a", 300, 2);
    moved.left_alone = true;
    moved.reluctance = 0.9;
    QVERIFY(!unmoved(moved).left_alone);
    QCOMPARE(unmoved(moved).reluctance, 0.0);
    QCOMPARE(unmoved(moved).name, moved.name);
    moved.placement = {{0, 1}};
    verify(forecast(std::vector{moved, steady("b", 100, 1)}, uniform_cluster(1, 2), Objective::fair),
           {200, 100});
  }
};

BATCHSCOPE_TEST(TestForecast)
#include "test_forecast.moc"
