// SPDX-License-Identifier: Apache-2.0
//
// A program's reports to its supervisor over several generations, crashes among them: the ledger agrees with
// the replicas' own sample logs and counts nothing twice, steps are complete, epochs and checkpoints are
// announced once.
#include <signal.h>

#include <QFile>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/elastic_sampler.h"
#include "job.h"
#include "listener.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;
namespace fs = std::filesystem;

namespace {

constexpr int kSamples = 53;

using Sample = std::tuple<std::string, int, int, std::int64_t>;  // loader, epoch, pass, id
struct Logged {
  Sample sample;
  std::int64_t step;
};

class LoggedJob : public Job {
 public:
  explicit LoggedJob(const std::string& checkpoint_interval = {})
      : Job("loop", {"--dataset", QString::number(kSamples), "--batch", "10", "--epochs", "2"}) {
    fs::create_directory(path("samples"));
    variable(protocol::variable::kSampleLog) = path("samples");
    variable(protocol::variable::kTelemetrySocket) = path("telemetry");
    variable(protocol::variable::kCheckpointInterval) = checkpoint_interval;
  }

  // The messages of a generation of one replica, and its exit code.
  std::vector<protocol::Message> generation(int expected_code, const QStringList& more,
                                            const std::string& triggers, const std::string& unloadable = {}) {
    QFile::remove(heard());
    TelemetryListener listener(path("telemetry"));
    auto messages = std::async(std::launch::async, [&] {
      listener.accept();
      return listener.read_until([this](const auto& message) {
        if (std::holds_alternative<protocol::CheckpointWritten>(message))
          QFile(heard()).open(QFile::WriteOnly);
        return false;
      });
    });
    variable(protocol::variable::kUnloadable) = unloadable;
    all_ended(Job::generation(1, {}, more, triggers), expected_code);
    fs::remove(path("telemetry"));
    return messages.get();
  }

  // A file that is there once a checkpoint has been told of.
  QString heard() const { return QString::fromStdString(path("heard")); }

  std::vector<Logged> logged(int generation) const {
    std::vector<Logged> logged;
    std::ifstream file(path("samples") + "/samples-g" + std::to_string(generation) + "-r0.jsonl");
    for (std::string text; std::getline(file, text);) {
      const Json line = Json::parse(text);
      for (const std::int64_t id : line.at("ids"))
        logged.push_back({{line.at("loader"), line.at("epoch"), line.at("pass"), id}, line.at("step")});
    }
    return logged;
  }
};

template <typename T>
std::vector<T> all(const std::vector<protocol::Message>& messages) {
  std::vector<T> found;
  for (const auto& message : messages)
    if (const T* m = std::get_if<T>(&message)) found.push_back(*m);
  return found;
}

std::vector<protocol::LedgerEntry> entries_of(const protocol::Ledger& ledger) {
  std::vector<protocol::LedgerEntry> entries;
  for (const protocol::Stretch& stretch : ledger) entries.push_back(stretch.entry);
  return entries;
}

// The samples that a ledger lists.
std::vector<Sample> listed(const std::vector<protocol::LedgerEntry>& entries) {
  std::vector<Sample> samples;
  for (const auto& entry : entries) {
    const auto order =
        ElasticSampler::permutation(entry.dataset_size, entry.epoch, entry.pass, entry.loader == "train-0");
    for (std::int64_t at = entry.from; at < entry.to; ++at)
      samples.emplace_back(entry.loader, entry.epoch, entry.pass, order[static_cast<std::size_t>(at)]);
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

}  // namespace

class TestLedger : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_ledger_agrees_with_the_samples_that_lasted() {
    LoggedJob job;
    const std::string triggers = R"(["step=4:checkpoint","step=8:stop"])";
    // The first generation dies two steps after its checkpoint; the second repeats these.
    const auto died = job.generation(-1, {"--signal", "6:0", "--after", job.heard(), "--crash"}, triggers);
    const auto stopped = job.generation(143, {}, triggers);
    const auto finished = job.generation(0, {}, triggers);

    auto entries = all<protocol::LedgerEntry>(died);
    QCOMPARE(entries.size(), 1u);  // what came after the checkpoint is not told
    QCOMPARE(entries[0].to, 40);
    for (const auto& generation : {stopped, finished})
      for (const auto& entry : all<protocol::LedgerEntry>(generation)) entries.push_back(entry);
    const std::vector<Sample> told = listed(entries);
    QCOMPARE(told.size(), 4u * kSamples);
    QVERIFY(std::adjacent_find(told.begin(), told.end()) == told.end());

    std::vector<Sample> lasted;
    for (int generation = 0; generation < 3; ++generation)
      for (const Logged& logged : job.logged(generation))
        if (generation > 0 || logged.step <= 4) lasted.push_back(logged.sample);
    std::sort(lasted.begin(), lasted.end());
    QCOMPARE(told, lasted);

    // The last checkpoint knows all of it by itself, and who did it.
    const protocol::Manifest last = job.newest();
    QCOMPARE(last.generation, 2);
    QCOMPARE(last.ledger_from, 0);
    QCOMPARE(listed(entries_of(last.ledger)), lasted);
    const std::vector<int> generations{0, 1, 1, 1, 2, 2};  // of the stretches of four passes
    QCOMPARE(last.ledger.size(), generations.size());
    for (std::size_t i = 0; i < generations.size(); ++i) QCOMPARE(last.ledger[i].generation, generations[i]);
  }

  void a_checkpoint_of_version_1_goes_on() {
    LoggedJob job;
    const fs::path old = fs::path(job.path("checkpoints")) / "checkpoint-000001";
    fs::create_directories(old);
    for (const auto& file : fs::directory_iterator(BATCHSCOPE_CHECKPOINT_V1))
      fs::copy_file(file.path(), old / file.path().filename());
    const protocol::Manifest before = protocol::verify_checkpoint(old);
    QCOMPARE(before.version, 1);
    const auto finished = job.generation(0, {}, {});
    QCOMPARE(all<protocol::Restored>(finished).at(0).step, before.step);
    const protocol::Manifest after = job.newest();
    QCOMPARE(after.version, protocol::Manifest::kVersion);
    QCOMPARE(after.ledger_from, before.step);
    // Added are the rest of the pass that the checkpoint was made in, and the last validation.
    QCOMPARE(after.ledger.size(), before.ledger.size() + 2);
    QVERIFY(std::equal(before.ledger.begin(), before.ledger.end(), after.ledger.begin()));
  }

  // The checkpoint's file is as it was written, and holds nothing that a state can be made of.
  void a_checkpoint_that_cannot_be_loaded_is_named_and_passed_over() {
    LoggedJob job;
    job.generation(143, {}, R"(["step=4:checkpoint","step=8:stop"])");
    const fs::path newest = job.checkpoints().at(0);
    protocol::Manifest manifest = protocol::read_manifest(newest);
    std::ofstream(newest / "metrics") << "{}";
    for (protocol::StateFile& file : manifest.files)
      if (file.name == "metrics") file = {"metrics", 2, protocol::file_crc32(newest / "metrics")};
    protocol::write_manifest(newest, manifest);
    QCOMPARE(protocol::verify_checkpoint(newest).step, 8);

    const auto failed = all<protocol::Failure>(job.generation(kExitCorrupt, {}, {}));
    QCOMPARE(failed.at(0).kind, std::string("checkpoint"));
    QCOMPARE(failed[0].checkpoint, newest.filename().string());
    QVERIFY2(failed[0].text.find("\"metrics\"") != std::string::npos, failed[0].text.c_str());

    protocol::Json why;
    why[newest.filename().string()] = "it cannot be loaded: " + failed[0].text;
    const auto next = job.generation(0, {}, {}, why.dump());
    QCOMPARE(all<protocol::Restored>(next).at(0).step, 4);
    const auto notices = all<protocol::Notice>(next);
    QVERIFY(std::any_of(notices.begin(), notices.end(), [&](const auto& notice) {
      return notice.text.find(newest.filename().string() + ": it cannot be loaded") != std::string::npos;
    }));
  }

  void periodic_checkpoints_tell_nothing_twice_and_leave_nothing_out() {
    LoggedJob job("0.000001");
    std::vector<protocol::LedgerEntry> entries;
    // The first ends by a signal in step 8, the second by itself; each has a periodic checkpoint by then,
    // however slow the disk is.
    for (const int code : {143, 0}) {
      const QString at = code == 0 ? "12:0" : "8:0", number = QString::number(code == 0 ? SIGWINCH : SIGTERM);
      const auto generation =
          job.generation(code, {"--signal", at, "--signal-number", number, "--after", job.heard()}, {});
      for (const auto& entry : all<protocol::LedgerEntry>(generation)) entries.push_back(entry);
      const auto written = all<protocol::CheckpointWritten>(generation);
      QVERIFY(std::any_of(written.begin(), written.end(),
                          [](const auto& checkpoint) { return checkpoint.reason == "periodic"; }));
    }
    const std::vector<Sample> told = listed(entries);
    QCOMPARE(told.size(), 4u * kSamples);
    QVERIFY(std::adjacent_find(told.begin(), told.end()) == told.end());
  }

  void the_story_is_told_once_and_in_order() {
    LoggedJob job;
    const std::string triggers = R"(["step=8:stop"])";
    const auto first = job.generation(143, {}, triggers);
    const auto second = job.generation(0, {}, triggers);

    QCOMPARE(all<protocol::Hello>(first).size(), 1u);
    const auto restored = all<protocol::Restored>(second);
    QCOMPARE(restored.size(), 1u);
    QCOMPARE(restored[0].step, 8);
    QCOMPARE(restored[0].checkpoint, all<protocol::CheckpointWritten>(first).back().name);
    QCOMPARE(all<protocol::Restored>(first).front().checkpoint, std::string());

    const auto triggered = all<protocol::Triggered>(first);
    QCOMPARE(triggered.size(), 1u);
    QCOMPARE(triggered[0].step, 8);
    QVERIFY(all<protocol::Triggered>(second).empty());

    // Every step has a row, with what this program records.
    std::int64_t next = 1;
    for (const auto& generation : {first, second})
      for (const auto& steps : all<protocol::Steps>(generation)) {
        QCOMPARE(steps.first_step, next);
        for (const char* name :
             {"mono", "gain", "scale", "lr_factor", "batch_size", "local_batch_size", "replicas", "progress",
              "epoch", "samples", "throughput", "efficiency", "goodput", "step_time"})
          QVERIFY2(steps.columns.contains(name), name);
        next += std::ssize(steps.columns.at("mono"));
      }
    QCOMPARE(next, 13);

    std::vector<std::pair<int, bool>> marks;
    for (const auto& generation : {first, second})
      for (const auto& mark : all<protocol::EpochMark>(generation))
        marks.emplace_back(mark.epoch, mark.begin);
    const std::vector<std::pair<int, bool>> expected{{0, true}, {0, false}, {1, true}, {1, false}};
    QCOMPARE(marks, expected);

    const auto ends = [](const auto& generation) {
      return std::get<protocol::Goodbye>(generation.back()).code;
    };
    QCOMPARE(ends(first), 143);
    QCOMPARE(ends(second), 0);
    QVERIFY(!all<protocol::Model>(second).empty());
    QVERIFY(!all<protocol::Position>(second).empty());
  }
};

BATCHSCOPE_TEST(TestLedger)
#include "test_ledger.moc"
