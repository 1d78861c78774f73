// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window is killed while a real run trains. Training goes on; the next window attaches to it, and every
// step that the replicas logged is in the store and on the charts, before and after the kill and across a
// restart.
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <memory>
#include <set>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "session/catalogue_watcher.h"
#include "session/run_session.h"
#include "temporary_store.h"
#include "test_case.h"
#include "window/main_window.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

constexpr int kPatience = 120'000;

QString program(const char* name) {
  return qEnvironmentVariable("BATCHSCOPE_BIN") + QLatin1Char('/') + QLatin1String(name);
}

}  // namespace

class TestReattach : public QObject {
  Q_OBJECT

  test::TemporaryStore store_;
  QTemporaryDir logs_;

  static bool call(const QStringList& arguments) {
    QProcess process;
    process.start(program("batchscope"), arguments);
    return process.waitForFinished(kPatience) && process.exitCode() == 0;
  }

  // The steps that rank 0 trained on, by generation.
  std::map<int, std::set<std::int64_t>> loggedSteps() const {
    std::map<int, std::set<std::int64_t>> steps;
    for (const QString& name : QDir(logs_.path()).entryList({QStringLiteral("samples-g*-r0.jsonl")})) {
      QFile file(logs_.filePath(name));
      if (!file.open(QIODevice::ReadOnly)) continue;
      const int generation = name.mid(9, name.indexOf(QLatin1Char('-'), 9) - 9).toInt();
      while (!file.atEnd()) {
        const QJsonObject line = QJsonDocument::fromJson(file.readLine()).object();
        if (line.value(QStringLiteral("loader")).toString().startsWith(QStringLiteral("train"))) {
          steps[generation].insert(line.value(QStringLiteral("step")).toInteger());
        }
      }
    }
    return steps;
  }

 private Q_SLOTS:
  void aKilledWindowLosesNothing() {
    qputenv("BATCHSCOPE_SAMPLE_LOG", logs_.path().toUtf8());
    QVERIFY(call({QStringLiteral("run"), QStringLiteral("digits"), QStringLiteral("--detach"),
                  QStringLiteral("--name"), QStringLiteral("watched"), QStringLiteral("--"),
                  QStringLiteral("--epochs"), QStringLiteral("1000")}));
    QProcess window;
    window.start(program("batchscope-desktop"), {});
    QVERIFY(window.waitForStarted());

    CatalogueWatcher watcher(protocol::catalogue_path());
    const auto step = [&] { return watcher.runs().empty() ? 0 : watcher.runs().front().step; };
    QTRY_VERIFY_WITH_TIMEOUT(step() > 20, kPatience);
    QCOMPARE(window.state(), QProcess::Running);
    window.kill();
    QVERIFY(window.waitForFinished());
    const std::int64_t whenKilled = step();
    QVERIFY(call({QStringLiteral("rescale"), QStringLiteral("watched"), QStringLiteral("1")}));

    MainWindow second(&watcher, false);
    second.show();
    QTRY_VERIFY_WITH_TIMEOUT(second.session()->isConnected(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(second.session()->status().generation == 1 &&
                                 second.session()->status().phase.empty() &&
                                 second.session()->status().step > whenKilled + 20,
                             kPatience);
    QVERIFY(call({QStringLiteral("stop"), QStringLiteral("watched")}));
    QTRY_VERIFY_WITH_TIMEOUT(second.session()->run().state == protocol::RunState::stopped, kPatience);
    QTest::qWait(300);  // the charts read what was written last

    const auto logged = loggedSteps();
    QCOMPARE(logged.size(), 2u);
    const auto& run = second.session()->run();
    storage::SampleReader reader(protocol::run_paths(run.id).samples);
    for (const auto& [generation, steps] : logged) {
      std::set<std::int64_t> stored;
      for (const auto& sample : reader.read(protocol::series::kLoss, generation, 0))
        stored.insert(sample.step);
      QVERIFY2(stored == steps, qPrintable(QStringLiteral("generation %1: %2 steps logged, %3 stored")
                                               .arg(generation)
                                               .arg(steps.size())
                                               .arg(stored.size())));
      const Track* track = second.session()->series()->track(protocol::series::kLoss, generation);
      QVERIFY(track != nullptr);
      QCOMPARE(track->sampleCount(), static_cast<std::int64_t>(steps.size()));
      QCOMPARE(track->firstStep(), *steps.begin());
      QCOMPARE(track->lastStep(), *steps.rbegin());
    }
  }
};

BATCHSCOPE_TEST(TestReattach)
#include "test_reattach.moc"
