// SPDX-License-Identifier: Apache-2.0
//
// An interrupted run is the uninterrupted one, bit for bit, on as many replicas: stopped after every step, at
// random, or killed; and what a checkpoint holds is, loaded, what it holds when it is saved again.
#include <QDir>
#include <QFile>
#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "replicas.h"
#include "test_case.h"

using namespace batchscope;
using protocol::Json;

namespace {

struct Settings {
  std::string optimizer = "sgd";
  int replicas = 1;
  int local = 0;
  int epochs = 2;
};

struct Run {
  std::vector<std::vector<int>> codes;  // by generation and rank
  std::vector<double> progress;         // after every step of rank 0, all generations together
  std::vector<Json> said;               // in the end, by rank
  QByteArray errors;
};

Json stops(const std::set<int>& steps) {
  Json triggers = Json::array();
  for (const int step : steps) triggers.push_back("step=" + std::to_string(step) + ":stop");
  return triggers;
}

Run train_run(const Settings& settings, int generations = 1, const Json& triggers = Json::array(),
              int dies_after = 0, const QString& checkpoints = {}) {
  const Json arguments{{"optimizer", settings.optimizer}, {"epochs", settings.epochs},
                       {"replicas", settings.replicas},   {"local", settings.local},
                       {"generations", generations},      {"triggers", triggers},
                       {"dies_after", dies_after}};
  testing::Launch launch{.program = "training", .arguments = {QString::fromStdString(arguments.dump())}};
  if (!checkpoints.isEmpty())
    launch.variables[protocol::variable::kCheckpointPath] = checkpoints.toStdString();
  const testing::Replica program = testing::run(launch)[0];
  Run run;
  run.errors = program.errors;
  if (!program.said.contains("generations")) return run;
  for (const Json& generation : program.said["generations"]) {
    auto& codes = run.codes.emplace_back();
    run.said.clear();
    for (const Json& replica : generation) {
      codes.push_back(replica["code"]);
      run.said.push_back(replica["lines"].empty() ? Json() : replica["lines"].back());
    }
    for (const Json& line : generation[0]["lines"])
      if (line.contains("progress")) run.progress.push_back(line["progress"]);
  }
  return run;
}

// All generations but the last were stopped, and that one ended well.
bool ended(const Run& run) {
  for (std::size_t generation = 0; generation < run.codes.size(); ++generation)
    for (const int code : run.codes[generation])
      if (code != (generation + 1 == run.codes.size() ? 0 : 143)) {
        qWarning() << "exit code" << code << run.errors;
        return false;
      }
  return !run.codes.empty();
}

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

#define VERIFY_SAME(is, should)                                                 \
  for (std::size_t rank = 0; rank < (should).said.size(); ++rank)               \
    for (const auto& [what, value] : (should).said[rank].items())               \
  QVERIFY2((is).said.at(rank).contains(what) && (is).said[rank][what] == value, \
           qPrintable(QString("%1 of rank %2").arg(QString::fromStdString(what)).arg(rank)))

class TestResume : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void stopped_after_every_step_data() {
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("local");
    for (const int replicas : {1, 2, 3})
      QTest::addRow("SGD, %d replicas", replicas) << "sgd" << replicas << 0;
    QTest::newRow("Adam, measured in pairs") << "adam" << 1 << 0;
    QTest::newRow("Adam, 3 micro-batches") << "adam" << 1 << 4;
    QTest::newRow("Adam, 2 replicas x 2 micro-batches") << "adam" << 2 << 3;
  }
  void stopped_after_every_step() {
    QFETCH(QString, optimizer);
    QFETCH(int, replicas);
    QFETCH(int, local);
    const Settings settings{optimizer.toStdString(), replicas, local};
    const Run whole = train_run(settings);
    QVERIFY(ended(whole));
    std::set<int> all;
    while (all.size() < whole.progress.size()) all.insert(static_cast<int>(all.size()) + 1);
    QVERIFY(all.size() >= 4);
    const Run broken = train_run(settings, static_cast<int>(all.size()) + 1, stops(all));
    QVERIFY(ended(broken));
    QCOMPARE(broken.progress, whole.progress);
    QVERIFY(std::is_sorted(whole.progress.begin(), whole.progress.end(), std::less_equal<double>()));
    VERIFY_SAME(broken, whole);
  }

  void ten_times_at_random_steps() {
    const Settings settings{.epochs = 6};
    const Run whole = train_run(settings);
    QVERIFY(ended(whole));
    std::mt19937 random(10);
    std::set<int> steps;
    while (steps.size() < 10) steps.insert(1 + static_cast<int>(random() % whole.progress.size()));
    const Run broken = train_run(settings, 11, stops(steps));
    QVERIFY(ended(broken));
    QCOMPARE(broken.progress, whole.progress);
    VERIFY_SAME(broken, whole);
  }

  // Back to a checkpoint that was written in the background while training went on.
  void killed_two_steps_after_a_checkpoint() {
    for (const int replicas : {1, 2}) {
      const Run whole = train_run({.replicas = replicas});
      const Run broken = train_run({.replicas = replicas}, 2, Json::array({"step=3:checkpoint"}), 5);
      QCOMPARE(broken.codes, (std::vector{std::vector(whole.said.size(), -1), whole.codes[0]}));
      VERIFY_SAME(broken, whole);
    }
  }

  void every_state_comes_back_as_it_was_data() {
    QTest::addColumn<int>("replicas");
    for (const int replicas : {1, 3}) QTest::addRow("%d replicas", replicas) << replicas;
  }
  void every_state_comes_back_as_it_was() {
    QFETCH(int, replicas);
    const QTemporaryDir directory;
    const Run run =
        train_run({"adam", replicas}, 2, Json::array({"step=6:stop", "step=6:stop"}), 0, directory.path());
    QCOMPARE(run.progress.size(), std::size_t(6));  // saved again before any step
    const QDir first(directory.filePath("checkpoint-000000")),
        second(directory.filePath("checkpoint-000001"));
    const QStringList names = first.entryList(QDir::Files);
    QCOMPARE(second.entryList(QDir::Files), names);
    for (const char* name : {"adaptdl-dataparallel", "accumulator-0", "loader-train-0", "metrics", "rng"})
      QVERIFY2(names.contains(name), qPrintable(names.join(' ')));
    for (const QString& name : names) {
      if (name == "manifest.json" || name == "triggers") continue;  // the second fired in between
      QVERIFY2(contents(second.filePath(name)) == contents(first.filePath(name)), qPrintable(name));
    }
  }
};

BATCHSCOPE_TEST(TestResume)
#include "test_resume.moc"
