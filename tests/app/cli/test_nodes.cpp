// SPDX-License-Identifier: Apache-2.0
//
// The jobs in the folder of a run on Slurm, and how many nodes the next one is to have. On an emulated
// cluster: tests/slurm.
#include <QTemporaryDir>
#include <fstream>

#include "batchscope/storage/catalogue.h"
#include "slurm/job_folder.h"
#include "slurm/node_choice.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli::slurm;

namespace {

// Twice as fast on twice the replicas.
const protocol::Model kScales{.perf = protocol::PerfParams{0.1, 0.01, 1e-6, 0, 1e-6, 0, 1},
                              .grad_sqr = 1e-4,
                              .grad_var = 1,
                              .init_batch_size = 64,
                              .max_batch_size = 8192,
                              .min_local_batch_size = 8,
                              .max_local_batch_size = 64,
                              .max_profiled_replicas = 1,
                              .step = 100};

// Returns the choice after three models in a row, for a run with a replica on each of these nodes, of up to
// eight.
std::optional<NodeChoice::More> chosen(int nodes, int idle, goodput::RunContext at = {}) {
  NodeChoice choice({1, 0}, 0.5, {1, 8}, 1);
  at.replicas = at.max_profiled_replicas = nodes;
  std::optional<NodeChoice::More> more;
  for (int i = 0; i < 3 && !more; ++i)
    more = choice.consider(
        kScales, at, nodes, [=] { return idle; }, i);
  return more;
}

}  // namespace

class TestNodes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goodputTakesAtMostTwiceAsManyAndNoneThatIsAnothers() {
    QCOMPARE(chosen(2, 6)->nodes, 4);
    QCOMPARE(chosen(4, 1)->nodes, 5);
    QVERIFY(!chosen(2, 0));
    QVERIFY(!chosen(8, 6));
    QVERIFY(QString::fromStdString(chosen(2, 6)->why).startsWith("auto: on to 4 nodes, for 4 replicas"));
  }

  void threeModelsMustAgreeHoweverMuchTheyPromise() {
    NodeChoice choice({1, 0}, 0.5, {1, 8}, 1);
    const auto idle = [] { return 7; };
    for (const bool agree : {false, false, true})
      QCOMPARE(choice.consider(kScales, {}, 1, idle, 0).has_value(), agree);
  }

  void aChangeOfJobsMustPayInWhatIsLeft() {
    QVERIFY(!chosen(2, 6, {.remaining = 40}));
    QVERIFY(chosen(2, 6, {.remaining = 400}));
  }

  void theFolderSaysWhatTheNextJobAsksFor() {
    const JobFolder folder = made();
    protocol::RunSpec spec;
    spec.program = "/bin/true";
    const auto asked = [&] { return folder.nextNodes(2, {1, 4}).text(); };
    storage::keep_spec(folder.path(), spec);
    QCOMPARE(asked(), std::string("1-4"));  // all that there is room for
    folder.want({.number = 3, .automatic = std::nullopt});
    QCOMPARE(asked(), std::string("1-2"));
    folder.want({.number = std::nullopt, .automatic = protocol::AutoReplicas{}});
    QCOMPARE(asked(), std::string("1"));
    folder.chooseNodes(3);
    QCOMPARE(asked(), std::string("1-3"));
  }

  void aJobIsToldOfInManyLinesAndNoneOfThemMayBeBroken() {
    const JobFolder folder = made();
    folder.tell("7", {{"host", "n1"}, {"nodes", 2}});
    std::ofstream(folder.path() / "jobs.jsonl", std::ios::app) << "{\"job\":";  // its writer was killed
    folder.tell("7", {{"how", end::kTime}});
    folder.tell("8", {{"host", "n2"}});
    const auto jobs = folder.jobs();
    QCOMPARE(jobs.size(), std::size_t(2));
    QCOMPARE(jobs[0].host, std::string("n1"));
    QCOMPARE(jobs[0].nodes.least, 2);
    QCOMPARE(jobs[0].how, std::string(end::kTime));
    QVERIFY(jobs[1].how.empty());
  }

  void whatCountsAgainstTheRestartBudgetIsAJobWithoutAStep() {
    const auto job = [](std::int64_t first, std::optional<std::int64_t> last) {
      Job job;
      job.first_step = first;
      job.last_step = last;
      return job;
    };
    const Job unborn;  // it was killed before it knew
    QCOMPARE(jobsWithoutStep({}), 0);
    QCOMPARE(jobsWithoutStep({job(0, 10)}), 0);
    QCOMPARE(jobsWithoutStep({job(0, 10), job(10, 10), unborn}), 2);
    QCOMPARE(jobsWithoutStep({job(0, std::nullopt), job(10, 10)}),
             1);  // the first came to 10, as the next knew
    QCOMPARE(jobsWithoutStep({job(10, 10), job(10, 20)}), 0);
  }

 private:
  JobFolder made() {
    const std::filesystem::path path = place_.filePath("k3v90abc").toStdString();
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
    return JobFolder(path);
  }

  QTemporaryDir place_;
};

BATCHSCOPE_TEST(TestNodes)
#include "test_nodes.moc"
