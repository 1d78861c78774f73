// SPDX-License-Identifier: Apache-2.0
//
// Jobs that hold nodes for the pool: which are submitted and cancelled, and what the pool is told of them.
#include "slurm/holders.h"

#include <cmath>

#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli::slurm;

namespace {

HolderJob waiting(const std::string& number) { return {number, "PENDING", "", HUGE_VAL, 3600}; }
HolderJob running(const std::string& number, double left = 3000, double limit = 3600) {
  return {number, "RUNNING", "n" + number, left, limit};
}

HolderPlan planned(const std::vector<HolderJob>& jobs, int wanted, const std::set<std::string>& empty = {}) {
  return planHolders(jobs, wanted, empty, {2, 4});
}

}  // namespace

class TestHolders : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsSlurmsQueue() {
    const auto jobs = parseHolders(
        "17|RUNNING|n1|1-02:03:04|2-00:00:00\n18|PENDING||UNLIMITED|UNLIMITED\n19|RUNNING|n2|0:07|1:00\n");
    QCOMPARE(jobs.size(), std::size_t(3));
    QCOMPARE(jobs[0].name(), std::string("n1.17"));
    QCOMPARE(jobs[0].left, 86'400. + 7'384);
    QCOMPARE(jobs[0].limit, 2 * 86'400.);
    QVERIFY(jobs[1].waits() && std::isinf(jobs[1].left));
    QCOMPARE(jobs[2].left, 7.);
    QVERIFY(parseHolders("").empty());
  }

  void asksForWhatIsMissing() {
    QCOMPARE(planned({}, 3).submit, 3);
    QCOMPARE(planned({}, 1).submit, 2);  // the least that was said
    QCOMPARE(planned({}, 9).submit, 4);  // the most
    QCOMPARE(planned({running("1"), waiting("2")}, 3).submit, 1);
    QCOMPARE(planHolders({}, 100, {}, {1, 100}).submit, 10);  // the next call asks for more
  }

  void asksForNoneWhereNobodyNeedsOne() {
    const HolderPlan plan = planned({running("1"), waiting("2"), waiting("3")}, 0);
    QCOMPARE(plan.submit, 0);
    QCOMPARE(plan.cancel, (Strings{"3", "2"}));
    QCOMPARE(plan.nodes, (Strings{"n1.1=1"}));  // the pool empties it first
  }

  void cancelsTheLastOfThoseThatWait() {
    QCOMPARE(planned({running("1"), waiting("2"), waiting("3")}, 2).cancel, (Strings{"3"}));
  }

  void endsTheJobOfAnEmptyNode() {
    const HolderPlan plan = planned({running("1"), running("2")}, 2, {"n2.2", "n7.7"});
    QCOMPARE(plan.cancel, (Strings{"2"}));
    QCOMPARE(plan.nodes, (Strings{"n1.1=1"}));
    QCOMPARE(plan.submit, 1);
  }

  void aNodeLeavesBeforeItsTimeLimitAndItsSuccessorIsThere() {
    QCOMPARE(planned({running("1"), running("2", 400)}, 2).submit, 0);
    QCOMPARE(planned({running("1"), running("2", 350)}, 2).submit, 1);
    const HolderPlan late = planned({running("1"), running("2", 180), waiting("3")}, 2);
    QCOMPARE(late.submit, 0);
    QCOMPARE(late.nodes, (Strings{"n1.1=1", "n2.2=2 leaving"}));
    // A short job has less notice.
    QCOMPARE(planned({running("1"), running("2", 16, 60)}, 2).nodes.back(), std::string("n2.2=2"));
    QCOMPARE(planned({running("1"), running("2", 15, 60)}, 2).nodes.back(), std::string("n2.2=2 leaving"));
  }

  void whatEndsIsNotThere() {
    HolderJob ends = running("1");
    ends.state = "COMPLETING";
    QVERIFY(planned({ends}, 2).nodes.empty());
    QCOMPARE(planned({ends}, 2).submit, 2);
  }

  void aStoreHasItsOwnName() {
    QVERIFY(holderName("/a/runs.db") != holderName("/b/runs.db"));
    QCOMPARE(holderName("/a/runs.db").size(), std::string("batchscope-pool-12345678").size());
  }
};

BATCHSCOPE_TEST(TestHolders)
#include "test_holders.moc"
