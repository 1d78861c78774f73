// SPDX-License-Identifier: Apache-2.0
//
// Jobs that hold nodes for the pool: which are submitted and cancelled, and what the pool is told of them.
#include "slurm/holders.h"

#include <climits>
#include <cmath>

#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli::slurm;

namespace {

constexpr double kNow = 1'000'000;

HolderJob waiting(const std::string& number) { return {number, "PENDING", "", HUGE_VAL, 3600}; }
HolderJob running(const std::string& number, double left = 3000, double limit = 3600) {
  return {number, "RUNNING", "n" + number, left, limit};
}

HolderPlan planned(const std::vector<HolderJob>& jobs, int wanted, const std::set<std::string>& empty = {}) {
  return planHolders(jobs, wanted, empty, {2, 4}, kNow);
}

// Ended so long ago, after so many that had ended at once.
HolderJob failed(const std::string& number, double ago, int before = 0) {
  return {number, "FAILED", "n" + number, 0, 3600, 2, kNow - ago, "NonZeroExitCode", before};
}

}  // namespace

class TestHolders : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsSlurmsQueue() {
    const auto jobs = parseHolders(
        "17|RUNNING|n1|1-02:03:04|2-00:00:00|21:56:56|2026-11-24T08:43:37|None|(null)\n"
        "18|PENDING||UNLIMITED|UNLIMITED|0:00|N/A|Resources|(null)\n"
        "19|RUNNING|n2|0:07|1:00|0:53|N/A|None|2\n"
        "20|FAILED|n3|0:58|1:00|0:02|2026-11-23T08:43:37|NonZeroExitCode|a|b\n");
    QCOMPARE(jobs.size(), std::size_t(4));
    QCOMPARE(jobs[0].name(), std::string("n1.17"));
    QCOMPARE(jobs[0].left, 86'400. + 7'384);
    QCOMPARE(jobs[0].limit, 2 * 86'400.);
    QVERIFY(jobs[1].waits() && std::isinf(jobs[1].left));
    QCOMPARE(jobs[2].left, 7.);
    QCOMPARE(jobs[2].failures, 2);
    QVERIFY(jobs[3].ended_at_once());
    QCOMPARE(jobs[3].reason, std::string("NonZeroExitCode"));
    QCOMPARE(jobs[0].ended - jobs[3].ended, 86'400.);
    QCOMPARE(jobs[3].failures, 0);  // a comment of the site's
    QVERIFY(parseHolders("").empty());
  }

  void asksForWhatIsMissing() {
    QCOMPARE(planned({}, 3).submit, 3);
    QCOMPARE(planned({}, 1).submit, 2);  // the least that was said
    QCOMPARE(planned({}, 9).submit, 4);  // the most
    QCOMPARE(planned({running("1"), waiting("2")}, 3).submit, 1);
    QCOMPARE(planHolders({}, 100, {}, {1, 100}, kNow).submit, 10);  // the next call asks for more
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

  void aNodeThatSlurmDrainsLeavesAndAnotherIsAskedFor() {
    std::vector jobs{running("1"), running("2")};
    markClosed(jobs, "n2\nn2\nn7\n");  // a line for each of its partitions
    const HolderPlan plan = planned(jobs, 2);
    QCOMPARE(plan.nodes, (Strings{"n1.1=1", "n2.2=2 leaving"}));
    QCOMPARE(plan.submit, 1);
    QVERIFY(plan.cancel.empty());  // its runs are moved first
    QCOMPARE(planned(jobs, 2, {"n2.2"}).cancel, (Strings{"2"}));
    markClosed(jobs, "");
    QCOMPARE(planned(jobs, 2).nodes.back(), std::string("n2.2=2"));
  }

  void afterAJobThatEndsAtOnceTheNextOnesComeLaterAndLater() {
    const auto submitted = [](double ago, int before) {
      const HolderPlan plan = planned({failed("1", ago, before)}, 4);
      return plan.note.empty() == (plan.submit > 0) ? plan.submit : -1;
    };
    QCOMPARE(submitted(9, 0), 0);
    QCOMPARE(submitted(10, 0), 1);  // to see whether it lasts, before there are four
    QCOMPARE(submitted(19, 1), 0);
    QCOMPARE(submitted(20, 1), 1);
    QCOMPARE(submitted(239, INT_MAX), 0);
    QCOMPARE(submitted(240, INT_MAX), 1);
    QCOMPARE(planned({failed("1", 10, 3)}, 4).failures, 4);
    QVERIFY(planned({failed("1", 5)}, 4).note.starts_with("job 1 on n1 ended after 2 s (NonZeroExitCode)"));
    QVERIFY(planned({failed("1", 5)}, 0).note.empty());  // nobody needs another
  }

  void aLaterJobThatLastsEndsTheWait() {
    HolderJob later = running("2");
    later.lasted = 59;
    QCOMPARE(planned({failed("1", 5), later}, 4).submit, 0);
    later.lasted = 60;
    QCOMPARE(planned({failed("1", 5), later}, 4).submit, 3);
    QCOMPARE(planned({failed("1", 5), later}, 4).failures, 0);
    QCOMPARE(planned({later, failed("3", 5)}, 4).submit, 0);
  }

  void aJobThatWasCancelledOrHasDoneItsTimeHasNotFailed() {
    HolderJob other = failed("1", 5);
    other.state = "CANCELLED";
    QCOMPARE(planned({other}, 3).submit, 3);
    other = failed("1", 5);
    other.lasted = 600;  // the pool was gone
    QCOMPARE(planned({other}, 3).submit, 3);
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
