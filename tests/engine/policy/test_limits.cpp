// SPDX-License-Identifier: Apache-2.0
//
// Decisions: what they refuse, and what becomes of a job's least number of devices.
#include <cmath>

#include "batchscope/policy/decision.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

namespace {

Job job(int least, int most) {
  Job job;
  job.name = "a";
  job.goodput = [](int, int, int devices) { return 100.0 * devices; };
  job.min_replicas = least;
  job.max_replicas = job.max_profiled = most;
  return job;
}

Job on(const Placement& placement) {
  Job placed = job(0, 8);
  placed.placement = placement;
  return placed;
}

}  // namespace

class TestLimits : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatCannotBeIsRefused_data() {
    const auto row = columns<Cluster, std::vector<Job>, std::string>({"cluster", "jobs", "fault"});
    const Cluster two = uniform_cluster(1, 2), kinds{{2, 0}, {2, 1}};
    const std::string absent = "a: it is on a node that is not there",
                      taken = "a: it has devices that are not there, or somebody else's";
    row("a negative number of devices", {{2, 0}, {-1, 0}}, {job(0, 1)}, "a node has a negative number");
    row("a negative kind", {{2, 0}, {2, -1}}, {job(0, 1)}, "a node has a negative number");
    row("the first node behind the last", two, {on({{1, 1}})}, absent);
    row("far behind", two, {on({{1000, 1}})}, absent);
    row("before the first", two, {on({{-1, 1}})}, absent);
    row("more than there are", two, {on({{0, 3}})}, taken);
    row("somebody else's", two, {on({{0, 1}}), on({{0, 2}})}, taken);
    row("none of a node", two, {on({{0, 0}})}, taken);
    row("two kinds", kinds, {on({{0, 1}, {1, 1}})}, "a: it has devices of several kinds");
    row("the second kind", kinds, {on({{1, 1}})}, "");
    row("at most none", two, {job(0, 0)}, "a: the most replicas are too few");
    row("at least more than at most", two, {job(3, 2)}, "a: the most replicas are too few");
    row("at least as many as at most", two, {job(2, 2)}, "");
    row("all of a node", two, {on({{0, 1}}), on({{0, 1}})}, "");
    row("a node without devices", {{2, 0}, {0, 0}}, {job(0, 1)}, "");
  }
  void whatCannotBeIsRefused() {
    QFETCH(const Cluster, cluster);
    QFETCH(const std::vector<Job>, jobs);
    QFETCH(const std::string, fault);
    std::string refusal;
    try {
      decide(jobs, cluster, Objective::fair);
    } catch (const std::invalid_argument& error) {
      refusal = error.what();
    }
    QCOMPARE(refusal, fault.empty() ? "" : "decide: " + fault);
  }

  // Beside a job on both of two nodes, which stays: rather one device than a share of its nodes, but for a
  // job to which one is of no use.
  void whoNeedsTwoSharesBothNodes_data() {
    const auto row = columns<int, Placement>({"least", "placement"});
    row("one suffices", 0, {{0, 1}});
    row("one", 1, {{0, 1}});
    row("two", 2, {{0, 1}, {1, 1}});
  }
  void whoNeedsTwoSharesBothNodes() {
    QFETCH(const int, least);
    QFETCH(const Placement, placement);
    Job stays = on({{0, 1}, {1, 1}});
    stays.preemptible = false;
    const Decision decision =
        decide(std::vector{stays, job(least, 2)}, uniform_cluster(2, 2), Objective::fair);
    QVERIFY(decision.jobs[0].placement == stays.placement);
    QVERIFY(decision.jobs[1].placement == placement);
  }

  // A job that trains on two devices of two nodes and not on two of one is told of no change by a third.
  void whatIsUnknownOfOneNodeIsNoChange() {
    Job spread = on({{0, 1}, {1, 1}});
    spread.goodput = [](int, int nodes, int devices) { return nodes < 2 ? 0.0 : 100.0 * devices; };
    spread.max_replicas = spread.max_profiled = 2;
    const Decision decision = decide(std::vector{spread}, uniform_cluster(2, 2), Objective::fair);
    QVERIFY(decision.jobs[0].placement == spread.placement);
    QCOMPARE(decision.jobs[0].alternatives.size(), 1u);
    QCOMPARE(decision.jobs[0].alternatives[0].devices, 1);
    QCOMPARE(decision.jobs[0].alternatives[0].speedup, 0.0);
  }
};

BATCHSCOPE_TEST(TestLimits)
#include "test_limits.moc"
