// SPDX-License-Identifier: Apache-2.0
//
// The fairness of a finish time, against what a job would have taken alone with its share of the devices.
#include <cmath>

#include "batchscope/policy/simulation.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::policy;

class TestFairness : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Two devices on a node; a step of one micro-batch takes 0.5 s and a sixteenth for each sample, of which
  // 0.3 s synchronise. Of 120 iterations each counts as many as its gain: all of the scale where there is
  // only noise, 1 where there is none.
  void fairnessIsOverTheBestAlone_data() {
    const auto row = testing::columns<bool, std::vector<JobOutcome>, double>({"noise", "jobs", "seconds"});
    const auto from_to = [](double from, double to) { return JobOutcome{"job", "app", from, to, 0, 0, {}}; };
    const double two = 2 * (0.5 + 16 / 16.0) - 0.3;  // two micro-batches of 16
    row("one device, noise", true, {from_to(0, 300), from_to(0, 300)}, 30 + 120 / (4 / two));
    row("one device, no noise", false, {from_to(0, 300), from_to(0, 300)}, 30 + 120 * (0.5 + 8 / 16.0));
    row("both, noise", true, {from_to(0, 300)}, 30 + 120 / (4 / (0.5 + 16 / 16.0)));
    row("both, no noise", false, {from_to(0, 300)}, 30 + 120 * (0.5 + 4 / 16.0));
    row("after another one", false, {from_to(300, 600), from_to(0, 300)}, 30 + 120 * (0.5 + 4 / 16.0));
    row("beside one, long after another", false, {from_to(600, 900), from_to(600, 900), from_to(0, 1)},
        30 + 120 * (0.5 + 8 / 16.0));
    row("beside one for less than half of it", false, {from_to(0, 300), from_to(290, 900)}, 30 + 120 * 1.0);
  }
  void fairnessIsOverTheBestAlone() {
    QFETCH(const bool, noise);
    QFETCH(const std::vector<JobOutcome>, jobs);
    QFETCH(const double, seconds);
    ProfileData data;
    data.name = "app";
    const goodput::GradParams gradient = noise ? goodput::GradParams{0, 1} : goodput::GradParams{1, 0};
    for (const std::int64_t size : {8, 32}) data.trainings[size] = {{60, 60, gradient}, {120, 120, gradient}};
    data.placements[{1}] = {{1, 1, 4, {0.75, 0.3}}, {1, 1, 16, {1.5, 0.3}}};
    data.placements[{2}] = {{1, 2, 4, {0.75, 0.3}}, {1, 2, 16, {1.5, 0.3}}};
    Applications known;
    known.emplace("app", Application(std::move(data)));
    const double fairness = finish_time_fairness(jobs, known, {uniform_cluster(1, 2), 60, 30, 0}).at(0);
    const double expected = jobs[0].completion_time() / seconds;
    QVERIFY2(std::abs(fairness / expected - 1) < 1e-12,
             qPrintable(QString("%1, expected %2").arg(fairness).arg(expected)));
  }

  // Alone on one device or two, batches of `init` to `most` samples in micro-batches of 4 to 16.
  void fairnessFindsTheBestBatch_data() {
    const auto row = testing::columns<int, int, int, double, double, double>(
        {"devices", "init", "most", "signal", "noise", "seconds"});
    row("the initial one, whatever the steps between sizes", 1, 14, 32, 1, 0, 120 * (0.5 + 14 / 16.0));
    row("a half of the initial one", 2, 28, 32, 1, 0, 120 * (0.5 + 14 / 16.0));
    row("a half of it, rounded up", 2, 27, 32, 1, 0, 120 * (0.5 + 14 / 16.0));
    row("the largest in one micro-batch", 1, 8, 16, 0, 1, 120 / 2.0 * (0.5 + 16 / 16.0));
    row("the largest in two", 1, 8, 32, 0, 1, 120 / 4.0 * (2 * (0.5 + 16 / 16.0) - 0.3));
    // The gain is (1 + v) / (1 + v 8 / b), so that is where b = 8 sqrt(v).
    for (const int best : {9, 10}) {
      const double v = (best / 8.0) * (best / 8.0);
      row(best == 9 ? "nine" : "ten", 1, 8, 16, 1, v,
          120 * (1 + v * 8 / best) / (1 + v) * (0.5 + best / 16.0));
    }
  }
  void fairnessFindsTheBestBatch() {
    QFETCH(const int, devices);
    QFETCH(const int, init);
    QFETCH(const int, most);
    QFETCH(const double, signal);
    QFETCH(const double, noise);
    QFETCH(const double, seconds);
    ProfileData data;
    data.name = "app";
    const goodput::GradParams gradient{signal, noise};
    for (const int size : {init, most}) data.trainings[size] = {{60, 60, gradient}, {120, 120, gradient}};
    data.placements[{devices}] = {{1, devices, 4, {0.75, 0.3}}, {1, devices, 16, {1.5, 0.3}}};
    Applications known;
    known.emplace("app", Application(std::move(data)));
    const double fairness = finish_time_fairness({JobOutcome{"job", "app", 0, 300, 0, 0, {}}}, known,
                                                 {uniform_cluster(1, devices), 60, 30, 0})
                                .at(0);
    const double expected = 300 / (30 + seconds);
    QVERIFY2(std::abs(fairness / expected - 1) < 1e-12,
             qPrintable(QString("%1, expected %2").arg(fairness).arg(expected)));
  }

  // A step of 8 samples takes 1 s on one device, 0.5 s on two of a node, and 0.75 s on two nodes. A job has
  // no more than it may have, on nodes as large as the first.
  void fairnessKnowsWhereTheShareIs_data() {
    const auto row = testing::columns<Cluster, int, double>({"cluster", "most", "step"});
    row("a node", uniform_cluster(1, 2), 0, 0.5);
    row("two nodes", uniform_cluster(2, 1), 0, 0.75);
    row("the first is larger", Cluster{{2, 0}, {1, 0}}, 2, 0.5);
    row("one device at the most", uniform_cluster(1, 2), 1, 1);
  }
  void fairnessKnowsWhereTheShareIs() {
    QFETCH(const Cluster, cluster);
    QFETCH(const int, most);
    QFETCH(const double, step);
    ProfileData data;
    data.name = "app";
    data.trainings[8] = {{120, 120, {1, 0}}};
    data.placements[{1}] = {{1, 1, 4, {1, 0}}, {1, 1, 8, {1, 0}}};
    data.placements[{2}] = {{1, 2, 4, {0.5, 0}}};
    data.placements[{1, 1}] = {{2, 2, 4, {0.75, 0}}};
    data.max_replicas = most;
    Applications known;
    known.emplace("app", Application(std::move(data)));
    QCOMPARE(
        finish_time_fairness({JobOutcome{"job", "app", 0, 300, 0, 0, {}}}, known, {cluster, 60, 30, 0}).at(0),
        300 / (30 + 120 * step));
  }
};

BATCHSCOPE_TEST(TestFairness)
#include "test_fairness.moc"
