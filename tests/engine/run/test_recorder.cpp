// SPDX-License-Identifier: Apache-2.0
//
// What the recorder makes of messages that the store will not have as they are.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/samples.h"
#include "recorder.h"

using namespace batchscope;
using namespace batchscope::run;

class TestRecorder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLateValueIsLeftOutAndToldOnce() {
    QTemporaryDir folder;
    qputenv("BATCHSCOPE_DB", (folder.path() + "/runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder.path().toUtf8());
    storage::Catalogue catalogue(protocol::catalogue_path());
    const std::string id = catalogue.create_run({});
    const protocol::RunPaths paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);

    Recorder recorder(catalogue, id, paths);
    recorder.begin_generation(0);
    // More than the tail holds: what came first is sealed.
    std::vector<double> many(70'000, 1);
    recorder.take(protocol::Steps{1, {{"mono", many}, {"loss", many}}, 0});
    recorder.commit();
    for (int i = 0; i < 3; ++i)
      recorder.take(protocol::Steps{5, {{"mono", {1}}, {"loss", {2}}, {"new", {3}}}, 0});
    recorder.take(protocol::Scalar{"loss", 5, 2});
    recorder.commit();
    recorder.flush();

    const auto events = catalogue.events(id);
    QCOMPARE(std::count_if(events.begin(), events.end(),
                           [](const auto& event) { return event.text.find("'loss'") != std::string::npos; }),
             1);
    storage::SampleReader reader(paths.samples);
    QCOMPARE(reader.read("loss", 0, 70'000).size(), 1u);
    QCOMPARE(reader.read("new", 0).size(), 3u);  // the others of the same message are kept
  }
};

QTEST_APPLESS_MAIN(TestRecorder)
#include "test_recorder.moc"
