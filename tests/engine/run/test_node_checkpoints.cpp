// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints that are handed over by lines: whole or not at all, under no name but that of a checkpoint, and
// what each side keeps of them.
#include <zlib.h>

#include <QTemporaryDir>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/telemetry.h"
#include "nodes/checkpoint_exchange.h"
#include "nodes/checkpoint_transfer.h"
#include "nodes/folder_mark.h"
#include "nodes/node_checkpoints.h"
#include "open_files.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using namespace batchscope::protocol;
using testing::contents;
using testing::thrown_by;
using testing::write_file;
namespace fs = std::filesystem;

namespace {

// Returns the frames of a checkpoint.
std::vector<Frame> frames_of(const fs::path& checkpoint) {
  CheckpointSender sender(checkpoint);
  std::vector<Frame> frames{{FrameKind::checkpoint, sender.announcement()}};
  for (std::string bytes = sender.next(); !bytes.empty(); bytes = sender.next())
    frames.push_back({FrameKind::state, bytes});
  return frames;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace

class TestNodeCheckpoints : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path here_, there_;

  static fs::path make(const fs::path& parent, const std::string& name,
                       const std::map<std::string, std::string>& states = {{"model", "the state"}}) {
    Manifest manifest;
    for (const auto& [file, content] : states) {
      write_file(parent / name / file, content);
      const auto crc =
          crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
      manifest.files.push_back(
          {file, static_cast<std::int64_t>(content.size()), static_cast<std::uint32_t>(crc)});
    }
    write_manifest(parent / name, manifest);
    return parent / name;
  }

  // Returns what is wrong with these frames; nothing where the checkpoint is there.
  std::string trouble_with(const std::vector<Frame>& frames) const {
    bool whole = false;
    const std::string trouble = thrown_by([&] {
      CheckpointReceiver receiver(there_, frames.front().bytes, true);
      for (auto frame = frames.begin() + 1; frame != frames.end(); ++frame)
        whole = receiver.take(frame->bytes);
    });
    return whole ? "" : trouble;
  }

  static std::string told(CheckpointExchange& exchange, const std::string& name,
                          const std::string& reason = "manual") {
    return exchange.told(encode(CheckpointWritten{.name = name, .reason = reason}));
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    here_ = fs::path(folder_->path().toStdString()) / "here";
    there_ = fs::path(folder_->path().toStdString()) / "there";
    fs::create_directory(here_);
    fs::create_directory(there_);
  }

  void itComesWholeInPieces() {
    const std::string large(3'000'000, 'x');
    const fs::path sent =
        make(here_, "checkpoint-000007", {{"empty", ""}, {"model", large}, {"one", "1"}, {"z", ""}});
    const auto frames = frames_of(sent);
    write_file(partial_checkpoint(there_ / "checkpoint-000007") / "model", "");  // of one that was killed
    QVERIFY(frames.size() > 4);
    QVERIFY(std::all_of(frames.begin(), frames.end(),
                        [](const Frame& frame) { return frame.bytes.size() <= 1u << 20; }));
    QCOMPARE(trouble_with(frames), std::string());
    verify_checkpoint(there_ / "checkpoint-000007");
    for (const char* file : {"manifest.json", "empty", "model", "one", "z"})
      QCOMPARE(contents(there_ / "checkpoint-000007" / file), contents(sent / file));
    QCOMPARE(names_in(there_), std::set<std::string>{"checkpoint-000007"});
    QCOMPARE(fs::status(there_ / "checkpoint-000007" / "model").permissions(),
             fs::perms::owner_read | fs::perms::owner_write);
  }

  void itMayBeRemovedWhileItIsSent() {
    CheckpointSender sender(make(here_, "checkpoint-000001"));
    fs::remove_all(here_ / "checkpoint-000001");
    CheckpointReceiver receiver(there_, sender.announcement(), true);
    bool whole = false;
    while (!whole) whole = receiver.take(sender.next());
    verify_checkpoint(there_ / "checkpoint-000001");
  }

  void whatIsNotWholeIsNotThere() {
    const auto frames = frames_of(make(here_, "checkpoint-000001"));
    trouble_with({frames.begin(), frames.end() - 1});
    QVERIFY(names_in(there_).empty());
    auto flipped = frames;
    flipped.back().bytes.back() ^= 1;
    VERIFY_HOLDS(trouble_with(flipped), "does not match its checksum");
    auto longer = frames;
    longer.back().bytes += "more";
    trouble_with(longer);
    QVERIFY(!names_in(there_).contains("checkpoint-000001.partial"));
  }

  // While it is sent, its file is cut.
  void aFileThatIsShorterThanItsManifestSaysIsNotSent() {
    const fs::path sent = make(here_, "checkpoint-000001", {{"model", std::string(1000, 'x')}});
    CheckpointSender sender(sent);
    fs::resize_file(sent / "model", 999);
    VERIFY_HOLDS(thrown_by([&] {
                   while (!sender.next().empty()) {
                   }
                 }),
                 "corrupt: model is shorter than its manifest says");
  }

  void aCheckpointThatGoesOnBeyondItsEndIsRefused() {
    auto frames = frames_of(make(here_, "checkpoint-000001"));
    frames.back().bytes += "more";
    CheckpointReceiver receiver(there_, frames.front().bytes, false);
    VERIFY_HOLDS(thrown_by([&] {
                   for (auto frame = frames.begin() + 1; frame != frames.end(); ++frame)
                     receiver.take(frame->bytes);
                 }),
                 "checkpoint-000001 is longer than its manifest says");
  }

  void fewerThanNoBytesAreRefused() {
    const fs::path sent = make(here_, "checkpoint-000001");
    Manifest manifest = read_manifest(sent);
    manifest.files[0].bytes = -1;
    write_manifest(sent, manifest);
    const std::string text = contents(sent / kManifestFile);
    QCOMPARE(trouble_with(
                 {{FrameKind::checkpoint,
                   encode(AnnouncedCheckpoint{"checkpoint-000001", static_cast<std::int64_t>(text.size())})},
                  {FrameKind::state, text}}),
             "corrupt: checkpoint-000001: model is to have -1 bytes");
    VERIFY_THROWS("io", "cannot make the folder " + (there_ / "no" / "such").string(),
                  NodeCheckpoints(there_ / "no" / "such"));
  }

  void noNameButACheckpointsIsTaken() {
    for (const char* announced :
         {"", "{}", R"({"name":"../checkpoint-000001","manifest_bytes":9})",
          R"({"name":"checkpoint-1/..","manifest_bytes":9})", R"({"name":7,"manifest_bytes":9})",
          R"({"name":"checkpoint-000001","manifest_bytes":0})"})
      QVERIFY2(trouble_with({{FrameKind::checkpoint, announced}}).starts_with("usage: "), announced);
    const fs::path outside = make(here_, "checkpoint-000001");
    Manifest manifest;
    manifest.files = {{"../outside", 9, 0}};
    write_manifest(outside, manifest);
    const std::string text = contents(outside / kManifestFile);
    VERIFY_HOLDS(
        trouble_with(
            {{FrameKind::checkpoint,
              encode(AnnouncedCheckpoint{"checkpoint-000001", static_cast<std::int64_t>(text.size())})},
             {FrameKind::state, text}}),
        "is not a file name");
    QVERIFY(names_in(there_).empty());
    QVERIFY(thrown_by([] {
              decode_offered(R"({"name":"checkpoint-000001","manifest_crc32":1,"later":["/etc"]})");
            }).starts_with("usage: "));
  }

  void aNodeKeepsWhatItsSupervisorHas() {
    make(here_, "checkpoint-000003");
    make(here_, "checkpoint-000004", {{"model", "that cannot be loaded"}});
    const CheckpointExchange exchange(here_, {{"checkpoint-000004", "it cannot be loaded"}});
    QCOMPARE(exchange.offer().name, std::string("checkpoint-000003"));
    QCOMPARE(exchange.offer().later, std::vector<std::string>{"checkpoint-000004"});
    const NodeCheckpoints node(there_);
    std::filesystem::create_directory(there_ / "checkpoint-000003");  // its manifest never arrived
    QVERIFY(node.lacks(exchange.offer()));
    make(there_, "checkpoint-000002");
    make(there_, "checkpoint-000003", {{"model", "never arrived"}});
    make(there_, "checkpoint-000005");
    QVERIFY(node.lacks(exchange.offer()));
    QCOMPARE(names_in(there_), std::set<std::string>{"checkpoint-000004"});  // its number is taken
    QCOMPARE(trouble_with(frames_of(here_ / "checkpoint-000003")), std::string());
    QVERIFY(!node.lacks(exchange.offer()));
    QVERIFY(!node.lacks(CheckpointExchange(here_ / "nowhere", {}).offer()));
    QVERIFY(names_in(there_).empty());
  }

  void whatHasArrivedIsToldAndWhatHasNotIsSaid() {
    CheckpointExchange exchange(here_, {});
    for (const char* name : {"checkpoint-000001", "checkpoint-000002", "checkpoint-000003"}) {
      for (const Frame& frame : frames_of(make(there_, name))) exchange.take(frame);
      QVERIFY(std::holds_alternative<CheckpointWritten>(decode(told(exchange, name))));
      exchange.tidy();
    }
    QCOMPARE(names_in(here_), (std::set<std::string>{"checkpoint-000002", "checkpoint-000003"}));
    const auto notice = [&](const std::string& name) {
      return std::get<Notice>(decode(told(exchange, name))).text;
    };
    VERIFY_HOLDS(notice("checkpoint-000003"), "does not count: it did not come");  // it was told already
    exchange.take({FrameKind::spoilt, "the disk of n2 is gone"});
    VERIFY_HOLDS(notice("checkpoint-000004"), "checkpoint-000004", "the disk of n2 is gone");
    auto frames = frames_of(make(there_, "checkpoint-000004"));
    frames.back().bytes.back() ^= 1;
    for (const Frame& frame : frames) exchange.take(frame);
    VERIFY_HOLDS(notice("checkpoint-000004"), "does not match its checksum");
    QCOMPARE(names_in(here_), (std::set<std::string>{"checkpoint-000002", "checkpoint-000003"}));
    VERIFY_HOLDS(thrown_by([&] { exchange.told(encode(Goodbye{})); }), "tells of no checkpoint");
  }

  void aFullDiskIsToldOfOnce() {
    CheckpointExchange exchange(here_, {});
    const auto first = std::get<Notice>(decode(told(exchange, "checkpoint-000001", "periodic")));
    QCOMPARE(first.level, "warning");
    QCOMPARE(
        first.text,
        "checkpoint-000001 was written on its node and could not be handed over, so it does not count: it "
        "did not come; training goes on, and the next one is tried as planned");
    QVERIFY(told(exchange, "checkpoint-000002", "periodic").empty());
    const auto awaited = std::get<Notice>(decode(told(exchange, "checkpoint-000003", "manual")));
    QCOMPARE(awaited.level, "error");  // somebody waits for it
    QCOMPARE(
        awaited.text,
        "checkpoint-000003 was written on its node and could not be handed over, so it does not count: it "
        "did not come");
    for (const Frame& frame : frames_of(make(there_, "checkpoint-000004"))) exchange.take(frame);
    const std::string again = told(exchange, "checkpoint-000004", "periodic");
    VERIFY_HOLDS(again, "checkpoints can be handed over again\"", "\"name\":\"checkpoint-000004\"");
    QCOMPARE(std::count(again.begin(), again.end(), '\n'), 2);
    for (const Frame& frame : frames_of(make(there_, "checkpoint-000005"))) exchange.take(frame);
    const std::string next = told(exchange, "checkpoint-000005", "periodic");
    QCOMPARE(std::count(next.begin(), next.end(), '\n'), 1);
  }

  // A frame of no checkpoint is passed over, and one that goes on without a checkpoint of its own.
  void whatBelongsToNoCheckpointIsPassedOver() {
    CheckpointExchange exchange(here_, {});
    exchange.take({FrameKind::state, "of nothing"});
    const auto before = testing::count_open_files();
    for (const Frame& frame : frames_of(make(there_, "checkpoint-000001"))) exchange.take(frame);
    QCOMPARE(testing::count_open_files(), before);  // nothing of it is held open
    exchange.take({FrameKind::state, "more"});
    QVERIFY(std::holds_alternative<CheckpointWritten>(decode(told(exchange, "checkpoint-000001"))));
  }

  // They count as old, and not as the ones that are kept.
  void whatCannotBeLoadedStaysBesides() {
    for (const char* name : {"checkpoint-000001", "checkpoint-000002", "checkpoint-000003"})
      make(here_, name);
    const CheckpointExchange exchange(here_, {{"checkpoint-000003", "it cannot be loaded"}});
    exchange.tidy();
    QCOMPARE(names_in(here_),
             (std::set<std::string>{"checkpoint-000001", "checkpoint-000002", "checkpoint-000003"}));
  }

  void aMarkIsThereAsLongAsItsSupervisor() {
    write_file(here_ / ".seen-by-nodes-0123", "");  // of one that was killed
    VERIFY_THROWS("io", "cannot make " + (here_ / "missing").string(), FolderMark(here_ / "missing"));
    const auto before = testing::count_open_files();
    {
      const FolderMark mark(here_);
      QCOMPARE(fs::status(mark.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
      QCOMPARE(names_in(here_), std::set<std::string>{mark.path().filename()});
      QVERIFY(list_checkpoints(here_).empty());
      QCOMPARE(testing::count_open_files(), before);
    }
    QVERIFY(names_in(here_).empty());
  }
};

BATCHSCOPE_TEST(TestNodeCheckpoints)
#include "test_node_checkpoints.moc"
