// SPDX-License-Identifier: Apache-2.0
//
// Branches of a checkpoint, with real processes: whatever the batch size, they train over the same samples in
// the same order, and end after as many.
#include <fstream>

#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/error.h"
#include "job.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

// A job of the loop program that was stopped with a checkpoint, and goes on from it as a branch.
class BranchJob : public Job {
 public:
  explicit BranchJob(const QStringList& arguments) : Job("loop", arguments) {}

  std::vector<Replica> branch(int replicas, std::int64_t batch_size, std::int64_t samples,
                              const QString& signal = {}) {
    ++branches_;
    QDir().mkpath(QString::fromStdString(log()));
    variable(protocol::variable::kSampleLog) = log();
    variable(protocol::variable::kBranch) =
        protocol::Branch{"origin", "checkpoint-000000", 0, 0, batch_size, samples, "loss", {}}.text();
    return generation(replicas, signal);
  }

  // The samples of the newest branch in their order, of one replica.
  std::vector<int> order() const {
    std::vector<int> ids;
    for (const auto& one : std::filesystem::directory_iterator(log())) {
      std::ifstream file(one.path());
      for (std::string text; std::getline(file, text);) {
        const Json line = Json::parse(text);
        if (line.at("loader") == "train-0")
          ids.insert(ids.end(), line.at("ids").begin(), line.at("ids").end());
      }
    }
    return ids;
  }

 private:
  std::string log() const { return path(("samples" + std::to_string(branches_)).c_str()); }

  int branches_ = 0;
};

std::vector<std::int64_t> batch_sizes(const Replica& replica) {
  std::vector<std::int64_t> sizes;
  for (const Json& line : replica.lines("batch_size"))
    if (line.at("optimizer_step").get<bool>()) sizes.push_back(line.at("batch_size"));
  return sizes;
}

// The samples of a step, of all replicas.
std::int64_t samples(const Replica& replica) {
  std::int64_t sum = 0;
  for (const Json& line : replica.lines("batch_size"))
    if (line.at("optimizer_step").get<bool>()) sum += line.at("samples").get<std::int64_t>();
  return sum;
}

const QStringList kAdaptive{"--dataset", "50",           "--batch",  "10", "--max-batch",
                            "40",        "--accumulate", "--epochs", "2"};

}  // namespace

class TestBranch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // The checkpoint lies in the middle of a pass, and the branches go on into the second after it. An epoch by
  // progress would end sooner or later by the batch size.
  void the_samples_and_their_order_are_the_same() {
    std::vector<std::vector<int>> orders;
    for (const std::int64_t size : {5, 20, 40}) {
      BranchJob job(kAdaptive);
      QVERIFY(all_ended(job.generation(1, "2:0"), 143));
      const auto ended = job.branch(1, size, 120);
      QVERIFY(all_ended(ended));
      orders.push_back(job.order());
      for (const std::int64_t had : batch_sizes(ended[0])) QCOMPARE(had, size);
      QVERIFY(ended[0].lines("finished").empty());
    }
    QCOMPARE(orders[0].size(), 120u);
    QCOMPARE(orders[1], orders[0]);
    QCOMPARE(orders[2], orders[0]);
  }

  void as_it_is_without_a_batch_size_that_adapts() {
    BranchJob job({"--dataset", "50", "--batch", "10", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto ended = job.branch(1, 25, 175);
    QVERIFY(all_ended(ended));
    QCOMPARE(samples(ended[0]), 175);
    for (const std::int64_t had : batch_sizes(ended[0])) QCOMPARE(had, 25);
  }

  void replicas_share_a_step() {
    BranchJob job(kAdaptive);
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto ended = job.branch(2, 20, 100);
    QVERIFY(all_ended(ended));
    for (const Replica& replica : ended) {
      QCOMPARE(samples(replica), 100);
      for (const Json& line : replica.lines("batch_size")) QVERIFY(line.at("rows").get<int>() <= 10);
    }
  }

  // Beyond the largest local batch size a step has several micro-batches.
  void a_large_size_accumulates() {
    BranchJob job({"--dataset", "50", "--batch", "10", "--max-batch", "20", "--local-max", "10",
                   "--accumulate", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto ended = job.branch(1, 40, 80);
    QVERIFY(all_ended(ended));
    QCOMPARE(samples(ended[0]), 80);
    for (const Json& line : ended[0].lines("batch_size")) QVERIFY(line.at("rows").get<int>() <= 10);
  }

  void a_short_last_batch_is_dropped_where_the_program_says_so() {
    BranchJob job({"--dataset", "50", "--batch", "10", "--drop-last", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto ended =
        job.branch(1, 20, 70);  // 20 of the 30 that are left, 40 of 50, and no whole batch more
    QVERIFY(all_ended(ended));
    QCOMPARE(samples(ended[0]), 60);
  }

  void one_that_is_stopped_goes_on_where_it_was() {
    BranchJob job(kAdaptive);
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto first = job.branch(1, 20, 120, "4:0");
    QVERIFY(all_ended(first, 143));
    const std::int64_t before = samples(first[0]);
    QVERIFY(before > 0 && before < 120);
    const auto rest = job.branch(1, 20, 120);
    QVERIFY(all_ended(rest));
    QCOMPARE(before + samples(rest[0]), 120);
  }

  void a_size_that_does_not_fit_is_refused() {
    BranchJob job(
        {"--dataset", "50", "--batch", "10", "--max-batch", "20", "--single-gradient", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto too_large = job.branch(1, 40, 80);
    QCOMPARE(too_large[0].code, int{kExitUsage});
    QVERIFY2(too_large[0].errors.contains("above the largest local batch size, 20"), too_large[0].errors);
    QVERIFY(job.branch(1, 64, 640)[0].errors.contains("the data have 50 samples"));
  }
};

BATCHSCOPE_TEST(TestBranch)
#include "test_branch.moc"
