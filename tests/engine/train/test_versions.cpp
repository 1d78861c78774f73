// SPDX-License-Identifier: Apache-2.0
//
// State files of other versions: older ones are read, newer and damaged ones refused with the reason.
#include <QTemporaryDir>
#include <fstream>
#include <sstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/train/process_group.h"
#include "checkpoint/store.h"
#include "data/loader_state.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

// The kind of error that loading these bytes ends with; nothing: they are read.
std::optional<ErrorKind> refused(checkpoint::State& state, const std::string& bytes) {
  std::istringstream in(bytes);
  try {
    state.load(in);
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

}  // namespace

class TestVersions : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

 private Q_SLOTS:
  // The checkpoint that this process starts from was written by a version whose accumulators were text.
  void initTestCase() {
    const auto checkpoints = directory_.filePath("checkpoints").toStdString();
    protocol::Manifest manifest;
    CheckpointStore(checkpoints).write(manifest, {{"accumulator-0", [](std::ostream& out) {
                                                     out << R"({"version":1,"sums":{"a":0.1,"b":3},)"
                                                         << R"("histories":[]})" << '\n';
                                                   }}});
    qputenv("ADAPTDL_CHECKPOINT_PATH", checkpoints.c_str());
    init_process_group();
  }

  void a_loader_without_cuts_is_read() {
    LoaderState state("loader", 100, [] {});
    state.cut({0, 10, 2});
    QVERIFY(!refused(state, R"({"version":1,"index":130,"dataset_size":100,"replicas":1,)"
                            R"("local_batch_size":8,"accumulation_steps":1,)"
                            R"("finished":[{"epoch":0,"position":2}]})"));
    QCOMPARE(state.index, 130);
    QVERIFY(state.shape == (BatchShape{8, 1}));
    QVERIFY(state.cuts.empty());
    QCOMPARE(state.finished.at(0), 2);
  }

  void what_is_written_is_read() {
    LoaderState state("loader", 100, [] {}), same("same", 100, [] {});
    state.index = 45;
    state.cut({0, 20, 2});
    state.cut({40, 20, 2});  // as before
    state.cut({40, 5, 1});
    std::stringstream file;
    state.save(file);
    same.load(file);
    QCOMPARE(same.index, 45);
    QVERIFY(same.cuts == (std::vector<Cut>{{0, 20, 2}, {40, 5, 1}}));
  }

  void a_newer_or_damaged_state_is_refused() {
    LoaderState state("loader", 100, [] {});
    QVERIFY(refused(state, R"({"version":99,"index":1})") == ErrorKind::version);
    for (const char* damaged :
         {"", "{", "[1]", R"({"index":1})", R"({"version":1,"index":"one"})", "\x82\x01"})
      QVERIFY2(refused(state, damaged) == ErrorKind::corrupt, damaged);
  }

  void an_accumulator_that_was_text_is_read() {
    Accumulator sums;
    QVERIFY(sums.synchronized() == (std::map<std::string, double>{{"a", 0.1}, {"b", 3}}));
  }
};

BATCHSCOPE_TEST(TestVersions)
#include "test_versions.moc"
