// SPDX-License-Identifier: Apache-2.0
//
// Loops across restarts on changing numbers of replicas, with real processes: each sample of a pass is used
// once, sums and random numbers go on where they were, and a crash undoes no more than what came after the
// last checkpoint.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <set>

#include "replicas.h"
#include "test_case.h"

using namespace batchscope;
using batchscope::testing::Replica;
using protocol::Json;

namespace {

// Runs of one program that share checkpoints and a sample log.
class Job {
 public:
  explicit Job(QStringList arguments) : arguments_(std::move(arguments)) {
    QDir(directory_.path()).mkdir("samples");
  }

  std::vector<Replica> generation(int replicas, const QString& signal = {}, const QStringList& more = {},
                                  const std::string& triggers = {}) {
    QStringList arguments = arguments_ + more;
    if (!signal.isEmpty()) arguments << "--signal" << signal;
    return batchscope::testing::run({.program = "train-loop-program",
                                     .arguments = arguments,
                                     .replicas = replicas,
                                     .variables = {{protocol::variable::kCheckpointPath, path("checkpoints")},
                                                   {protocol::variable::kSampleLog, path("samples")},
                                                   {protocol::variable::kTriggers, triggers}},
                                     .generation = generation_++});
  }

  // How often each (loader, epoch, pass, id) was used, all generations together.
  std::map<std::tuple<std::string, int, int, int>, int> used() const {
    std::map<std::tuple<std::string, int, int, int>, int> used;
    const QDir logs(QString::fromStdString(path("samples")));
    for (const QString& name : logs.entryList(QDir::Files)) {
      QFile file(logs.filePath(name));
      if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read the sample log");
      for (const QByteArray& text : file.readAll().trimmed().split('\n')) {
        if (text.isEmpty()) continue;
        const Json line = Json::parse(text.toStdString());
        for (const int id : line.at("ids"))
          ++used[{line.at("loader"), line.at("epoch"), line.at("pass"), id}];
      }
    }
    return used;
  }

  QStringList checkpoints() const {
    return QDir(QString::fromStdString(path("checkpoints")))
        .entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
  }
  std::string path(const char* name) const { return directory_.filePath(name).toStdString(); }

 private:
  QTemporaryDir directory_;
  QStringList arguments_;
  int generation_ = 0;
};

std::vector<Json> lines(const Replica& replica) {
  std::vector<Json> lines;
  for (const QByteArray& text : replica.output.trimmed().split('\n'))
    if (!text.isEmpty()) lines.push_back(Json::parse(text.toStdString()));
  return lines;
}

std::vector<Json> of_loop(const Replica& replica, const std::string& loop) {
  std::vector<Json> found;
  for (const Json& line : lines(replica))
    if (line.value("loop", "") == loop) found.push_back(line);
  return found;
}

bool all_ended(const std::vector<Replica>& replicas, int code) {
  for (const Replica& replica : replicas)
    if (replica.code != code) {
      qWarning("exit code %d instead of %d: %s", replica.code, code, replica.errors.constData());
      return false;
    }
  return true;
}

double number(const Json& line, const char* name) { return line.at(name).get<double>(); }

double sum_to(int size) { return size * (size - 1) / 2.0; }

}  // namespace

class TestRestart : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_sample_once_whatever_the_restarts() {
    Job job({"--dataset", "53", "--batch", "10", "--epochs", "2", "--workers", "1"});
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
      for (const Json& line : lines(replica))
        if (line.contains("trained")) {
          QCOMPARE(number(line, "trained"), sum_to(53));
          QCOMPARE(number(line, "sum"), sum_to(53));
          QCOMPARE(number(line, "count"), 53.0);
        }
  }

  void on_one_replica_a_restart_changes_nothing() {
    const QStringList arguments{"--dataset", "45", "--batch", "10", "--epochs", "2"};
    Job whole(arguments), broken(arguments);
    std::vector<float> expected, found;
    for (const Json& line : of_loop(whole.generation(1)[0], "train")) expected.push_back(line.at("draw"));
    for (const char* signal : {"2:0", "e0v2:0", "7:0", ""})
      for (const Json& line : of_loop(broken.generation(1, signal)[0], "train"))
        found.push_back(line.at("draw"));
    QCOMPARE(found, expected);  // the random numbers too
  }

  void replicas_that_grow_draw_numbers_of_their_own() {
    Job job({"--dataset", "60", "--batch", "10", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0"), 143));
    const auto grown = job.generation(3);
    QVERIFY(all_ended(grown, 0));
    std::set<float> first;
    for (const Replica& replica : grown)
      first.insert(of_loop(replica, "train").front().at("draw").get<float>());
    QCOMPARE(first.size(), 3u);
  }

  void no_restart_in_the_middle_of_accumulation() {
    Job job({"--dataset", "53", "--batch", "12", "--max-batch", "12", "--local-max", "3", "--accumulate",
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
    Job job({"--dataset", "40", "--batch", "10", "--epochs", "3"});
    QVERIFY(all_ended(job.generation(2, "2:1", {"--signal-number", QString::number(SIGUSR1)}), 0));
    QCOMPARE(job.checkpoints().size(), 2);  // the one by hand and the one at the end
    const auto again = job.generation(1);
    QVERIFY(all_ended(again, 0));
    QCOMPARE(of_loop(again[0], "train").size(), 0u);
    QVERIFY(again[0].errors.contains("3 of 3 epochs are finished"));
  }

  void a_crash_goes_back_to_the_last_checkpoint() {
    Job job({"--dataset", "60", "--batch", "10", "--epochs", "1"});
    const std::string triggers = R"(["step=2:checkpoint"])";
    job.generation(1, "5:0", {"--crash"}, triggers);
    const auto after = job.generation(1, {}, {}, triggers);
    QVERIFY(all_ended(after, 0));
    QCOMPARE(of_loop(after[0], "train").size(), 4u);
    QCOMPARE(number(after[0].said, "steps"), 6.0);
    QCOMPARE(job.checkpoints().size(), 2);  // the trigger did not fire again
  }

  void triggers_fire_on_all_replicas_after_the_same_step() {
    Job job({"--dataset", "60", "--batch", "10", "--epochs", "2"});
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
    Job job({"--dataset", "2", "--batch", "10", "--epochs", "1"});
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
    Job job({"--dataset", "200", "--batch", "10", "--max-batch", "80", "--accumulate", "--gain", "1.5",
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

  void other_data_in_the_middle_of_a_loop_is_refused() {
    Job job({"--batch", "10", "--epochs", "1"});
    QVERIFY(all_ended(job.generation(1, "2:0", {"--dataset", "40"}), 143));
    const auto other = job.generation(1, {}, {"--dataset", "50"});
    QVERIFY(all_ended(other, 4));
    QVERIFY2(other[0].errors.contains("40 samples"), other[0].errors.constData());
  }

  void a_damaged_checkpoint_is_passed_over_by_all_replicas() {
    Job job({"--dataset", "60", "--batch", "10", "--epochs", "1"});
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
