// SPDX-License-Identifier: Apache-2.0
//
// Loops across restarts on changing numbers of replicas, with real processes: each sample of a pass is used
// once, sums and random numbers go on where they were, and a crash undoes no more than what came after the
// last checkpoint.
#include <signal.h>

#include <QFile>
#include <fstream>
#include <set>

#include "job.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

// A job of the loop program, with a sample log.
class LoopJob : public Job {
 public:
  explicit LoopJob(const QStringList& arguments) : Job("loop", arguments) {
    QDir().mkdir(QString::fromStdString(path("samples")));
    variable(protocol::variable::kSampleLog) = path("samples");
  }

  // How often each (loader, epoch, pass, id) was used, all generations together.
  std::map<std::tuple<std::string, int, int, int>, int> used() const {
    std::map<std::tuple<std::string, int, int, int>, int> used;
    for (const auto& log : std::filesystem::directory_iterator(path("samples"))) {
      std::ifstream file(log.path());
      for (std::string text; std::getline(file, text);) {
        const Json line = Json::parse(text);
        for (const int id : line.at("ids"))
          ++used[{line.at("loader"), line.at("epoch"), line.at("pass"), id}];
      }
    }
    return used;
  }
};

std::vector<Json> of_loop(const Replica& replica, const std::string& loop) {
  std::vector<Json> found = replica.lines("loop");
  std::erase_if(found, [&](const Json& line) { return line.at("loop") != loop; });
  return found;
}

double number(const Json& line, const char* name) { return line.at(name).get<double>(); }

double sum_to(int size) { return size * (size - 1) / 2.0; }

}  // namespace

class TestRestart : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_sample_once_whatever_the_restarts() {
    LoopJob job({"--dataset", "53", "--batch", "10", "--epochs", "2", "--workers", "1"});
    QVERIFY(all_ended(job.generation(2, "2:1"), 143));     // in training
    QVERIFY(all_ended(job.generation(3, "e0v2:0"), 143));  // in validation
    QVERIFY(all_ended(job.generation(1, "8:0"), 143));
    const auto last = job.generation(2);
    QVERIFY(all_ended(last, 0));
    const auto used = job.used();
    QCOMPARE(used.size(), 4u * 53u);
    for (const auto& [sample, times] : used) QCOMPARE(times, 1);
    QCOMPARE(number(last[0].said, "samples"), 2.0 * 53);
    for (const Replica& replica : last)
      for (const Json& line : replica.lines("trained")) {
        QCOMPARE(number(line, "trained"), sum_to(53));
        QCOMPARE(number(line, "sum"), sum_to(53));
        QCOMPARE(number(line, "count"), 53.0);
      }
  }

  void on_one_replica_a_restart_changes_nothing() {
    const QStringList arguments{"--dataset", "45", "--batch", "10", "--epochs", "2"};
    LoopJob whole(arguments), broken(arguments);
    std::vector<float> expected, found;
    for (const Json& line : of_loop(whole.generation(1)[0], "train")) expected.push_back(line.at("draw"));
    for (const char* signal : {"2:0", "e0v2:0", "7:0", ""})
      for (const Json& line : of_loop(broken.generation(1, signal)[0], "train"))
        found.push_back(line.at("draw"));
    QCOMPARE(found, expected);  // the random numbers too
  }

  void replicas_draw_numbers_of_their_own() {
    const QStringList arguments{"--dataset", "60", "--batch", "10", "--epochs", "1"};
    const auto first_draws = [](const std::vector<Replica>& replicas) {
      std::vector<float> draws;
      for (const Replica& replica : replicas)
        draws.push_back(of_loop(replica, "train").front().at("draw").get<float>());
      return draws;
    };
    LoopJob lone(arguments), fresh(arguments), again(arguments);
    const auto begun = lone.generation(1, "2:0");
    QVERIFY(all_ended(begun, 143));
    const std::vector<float> draws = first_draws(fresh.generation(3));  // though all set one seed
    QCOMPARE(draws.front(), first_draws(begun).front());
    QCOMPARE(first_draws(again.generation(3)), draws);  // the seed says which
    const auto grown = lone.generation(3);
    QVERIFY(all_ended(grown, 0));
    for (const auto& found : {draws, first_draws(grown)})
      QCOMPARE(std::set(found.begin(), found.end()).size(), 3u);
  }

  void no_restart_in_the_middle_of_accumulation() {
    LoopJob job({"--dataset", "53", "--batch", "12", "--max-batch", "12", "--local-max", "3", "--accumulate",
                 "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2m1:0"), 143));
    const auto second = job.generation(2, "4m0:0");
    QVERIFY(all_ended(second, 143));
    for (const Replica& replica : second) {
      const auto steps = of_loop(replica, "train");
      QCOMPARE(number(steps.front(), "micro_step"), 0.0);
      QVERIFY(steps.back().at("optimizer_step").get<bool>());
    }
    QVERIFY(all_ended(job.generation(1), 0));
    for (const auto& [sample, times] : job.used()) QCOMPARE(times, 1);
  }

  void a_checkpoint_by_signal_goes_on_and_is_kept() {
    LoopJob job({"--dataset", "40", "--batch", "10", "--epochs", "3"});
    QVERIFY(all_ended(job.generation(2, "2:1", {"--signal-number", QString::number(SIGUSR1)}), 0));
    QCOMPARE(job.checkpoints().size(), 2u);  // the one by hand and the one at the end
    const auto again = job.generation(1);
    QVERIFY(all_ended(again, 0));
    QCOMPARE(of_loop(again[0], "train").size(), 0u);
    QVERIFY(again[0].errors.contains("3 of 3 epochs are finished"));
  }

  void a_crash_goes_back_to_the_last_checkpoint() {
    LoopJob job({"--dataset", "60", "--batch", "10", "--epochs", "1"});
    const std::string triggers = R"(["step=2:checkpoint"])";
    job.generation(1, "5:0", {"--crash"}, triggers);
    const auto after = job.generation(1, {}, {}, triggers);
    QVERIFY(all_ended(after, 0));
    QCOMPARE(of_loop(after[0], "train").size(), 4u);
    QCOMPARE(number(after[0].said, "steps"), 6.0);
    QCOMPARE(job.checkpoints().size(), 2u);  // the trigger did not fire again
  }

  void triggers_fire_on_all_replicas_after_the_same_step() {
    LoopJob job({"--dataset", "60", "--batch", "10", "--epochs", "2"});
    const std::string triggers = R"(["step=3:replicas=1","epoch=1:stop","progress=8:pause"])";
    const auto first = job.generation(2, {}, {}, triggers);
    QVERIFY(all_ended(first, 143));
    for (const Replica& replica : first) QCOMPARE(of_loop(replica, "train").size(), 3u);
    const auto second = job.generation(1, {}, {}, triggers);  // up to the end of the epoch
    QVERIFY(all_ended(second, 143));
    QCOMPARE(of_loop(second[0], "train").size(), 3u);
    QCOMPARE(of_loop(second[0], "validate").size(), 6u);
    QVERIFY(all_ended(job.generation(3, {}, {}, triggers), 143));
    QVERIFY(all_ended(job.generation(2, {}, {}, triggers), 0));
    for (const auto& [sample, times] : job.used()) QCOMPARE(times, 1);
  }

  void a_dataset_smaller_than_the_replicas_works() {
    LoopJob job({"--dataset", "2", "--batch", "10", "--epochs", "1"});
    const auto replicas = job.generation(3);
    QVERIFY(all_ended(replicas, 0));
    const auto idle = of_loop(replicas[2], "train");
    QCOMPARE(idle.size(), 1u);  // a row of padding without weight keeps it in step
    QCOMPARE(number(idle[0], "count"), 0.0);
    QCOMPARE(number(idle[0], "rows"), 1.0);
    QCOMPARE(number(idle[0], "weight"), 0.0);
    QVERIFY(of_loop(replicas[2], "validate").empty());
    QCOMPARE(job.used().size(), 4u);
  }

  void the_batch_size_survives_on_the_same_count() {
    // Steps as long as real ones, so that the model is fitted, beside them, within the first pass.
    LoopJob job({"--dataset", "200", "--batch", "10", "--max-batch", "80", "--accumulate", "--gain", "1.5",
                 "--epochs", "4", "--step-ms", "5"});
    const auto first = job.generation(1, "35:0");
    QVERIFY(all_ended(first, 143));
    const auto before = of_loop(first[0], "train").back();
    const auto after = of_loop(job.generation(1, "38:0")[0], "train").front();
    QVERIFY(before.at("batch_size").get<int>() > 10);
    QCOMPARE(number(after, "batch_size"), number(before, "batch_size"));
    QVERIFY(all_ended(job.generation(2), 0));
    for (const auto& [sample, times] : job.used()) QCOMPARE(times, 1);
  }

  // It keeps its batch size unless it may accumulate, or is asked to grow by a single gradient.
  void one_replica_grows_only_where_it_may() {
    const auto largest = [](int replicas, const QStringList& how) {
      LoopJob job({"--dataset", "200", "--batch", "10", "--max-batch", "80", "--gain", "1.5", "--epochs", "3",
                   "--step-ms", "5"});
      int batch_size = 0;
      for (const Json& line : of_loop(job.generation(replicas, {}, how)[0], "train"))
        batch_size = std::max(batch_size, line.at("batch_size").get<int>());
      return batch_size;
    };
    QCOMPARE(largest(1, {}), 10);
    QVERIFY(largest(1, {"--single-gradient"}) > 10);
    QVERIFY(largest(1, {"--accumulate"}) > 10);
    QVERIFY(largest(2, {}) > 10);
  }

  // A step never crosses the end of a pass.
  void no_batch_is_larger_than_the_data() {
    LoopJob job({"--dataset", "40", "--batch", "10", "--max-batch", "1000", "--accumulate", "--epochs", "6",
                 "--step-ms", "5"});
    int largest = 0;
    for (const Json& line : of_loop(job.generation(1)[0], "train"))
      largest = std::max(largest, line.at("batch_size").get<int>());
    QVERIFY2(largest > 10 && largest <= 40, qPrintable(QString::number(largest)));
  }

  void other_data_in_the_middle_of_a_loop_is_refused() {
    LoopJob job({"--batch", "10", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0", {"--dataset", "40"}), 143));
    const auto other = job.generation(1, {}, {"--dataset", "50"});
    QVERIFY(all_ended(other, 4));
    QVERIFY2(other[0].errors.contains("40 samples"), other[0].errors.constData());
  }

  void a_damaged_checkpoint_is_passed_over_by_all_replicas() {
    LoopJob job({"--dataset", "60", "--batch", "10", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, {}, {}, R"(["step=2:checkpoint","step=4:stop"])"), 143));
    QFile metrics(QString::fromStdString(job.path("checkpoints")) + "/checkpoint-000001/metrics");
    QVERIFY(metrics.resize(10));
    const auto replicas = job.generation(2);
    QVERIFY(all_ended(replicas, 0));
    QVERIFY2(replicas[0].errors.contains("checkpoint-000001"), replicas[0].errors.constData());
    for (const Replica& replica : replicas) QCOMPARE(of_loop(replica, "train").size(), 4u);
  }
};

BATCHSCOPE_TEST(TestRestart)
#include "test_restart.moc"
