// SPDX-License-Identifier: Apache-2.0
//
// Checkpoint manifests: what verifies, what does not, and which checkpoint is the newest good one.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <QTemporaryDir>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "batchscope/protocol/manifest.h"
#include "open_files.h"
#include "rows.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;
using testing::contents;
using testing::write_file;
namespace fs = std::filesystem;

class TestManifest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path parent_;

  fs::path make(const std::string& name, const std::string& content = "the state") {
    const fs::path directory = parent_ / name;
    fs::create_directories(directory);
    write_file(directory / "model", content);
    Manifest manifest;
    manifest.step = 40;
    manifest.num_replicas = 2;
    manifest.reason = "rescale";
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    manifest.files = {{"model", static_cast<std::int64_t>(content.size()), static_cast<std::uint32_t>(crc)}};
    manifest.generation = 3;
    manifest.ledger = {{2, {"train-0", 1, 2, 0, 30, 5, 53, 30}}, {3, {"train-0", 1, 2, 30, 40, 5, 53, 40}}};
    write_manifest(directory, manifest);
    return directory;
  }

  static std::string kind_of(const fs::path& directory) {
    return testing::kind_of([&] { verify_checkpoint(directory); });
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    parent_ = folder_->path().toStdString();
  }

  void aGoodOneVerifies() {
    const Manifest manifest = verify_checkpoint(make("checkpoint-000001"));
    QCOMPARE(manifest.step, 40);
    QCOMPARE(manifest.num_replicas, 2);
    QCOMPARE(manifest.reason, std::string("rescale"));
    QCOMPARE(manifest.files.size(), 1u);
    QCOMPARE(manifest.generation, 3);
    QCOMPARE(manifest.ledger.size(), 2u);
    QVERIFY((manifest.ledger.back() == Stretch{3, {"train-0", 1, 2, 30, 40, 5, 53, 40}}));
    QCOMPARE(manifest.ledger_from, 0);
    QCOMPARE(fs::status(parent_ / "checkpoint-000001" / "manifest.json").permissions(),
             fs::perms::owner_read | fs::perms::owner_write);
  }

  void nothingStaysOpen() {
    const auto before = testing::count_open_files();
    const fs::path directory = make("checkpoint-000001");
    verify_checkpoint(directory);
    fs::resize_file(directory / "model", 3);
    QCOMPARE(kind_of(directory), "corrupt");
    QCOMPARE(testing::count_open_files(), before);
  }

  // Like one on a damaged sector: it opens, and reading fails.
  void oneThatCannotBeReadIsSkipped() {
    const fs::path older = make("checkpoint-000001"), newer = make("checkpoint-000002");
    fs::remove(newer / "manifest.json");
    fs::create_directory(newer / "manifest.json");
    QCOMPARE(kind_of(newer), "io");
    std::vector<std::string> skipped;
    QCOMPARE(newest_good_checkpoint(parent_, &skipped), older);
    QCOMPARE(skipped.size(), 1u);
    VERIFY_HOLDS(skipped[0], "checkpoint-000002/manifest.json: Is a directory");
  }

  // A file that may not grow as a disk that has room for a part of it.
  void aManifestThatDoesNotFitIsToldOf() {
    const Manifest manifest = verify_checkpoint(make("checkpoint-000001"));
    const auto open_files = testing::count_open_files();
    rlimit before{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{100, before.rlim_max};
    const auto handled = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string told = testing::thrown_by([&] { write_manifest(parent_, manifest); });
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handled);
    VERIFY_HOLDS(told, "io: cannot write", "manifest.json: File too large");
    QCOMPARE(testing::count_open_files(), open_files);
  }

  void aManifestThatCannotBeWrittenSafelyIsToldOf() {
    const Manifest manifest = verify_checkpoint(make("checkpoint-000001"));
    VERIFY_THROWS("io", "cannot create", write_manifest(parent_ / "nothing", manifest));
    fs::create_symlink("/dev/null", parent_ / "manifest.json");  // takes all bytes and keeps none
    VERIFY_THROWS("io", "cannot fsync", write_manifest(parent_, manifest));
  }

  void aFileThatCannotBeReadHasNoChecksum() {
    VERIFY_THROWS("io", "nothing: No such file", file_crc32(parent_ / "nothing"));
    VERIFY_THROWS("io", parent_.string() + ": Is a directory", file_crc32(parent_));
  }

  void aFolderThatCannotBeReadIsNotAnEmptyOne() {
    QVERIFY(list_checkpoints(parent_ / "nothing").empty());
    write_file(parent_ / "file", "");
    QVERIFY_EXCEPTION_THROWN(list_checkpoints(parent_ / "file"), Error);
  }

  void everyKindOfDamageIsFound() {
    int number = 0;
    const auto damaged = [&](const auto& damage) {
      const fs::path directory = make(checkpoint_name(++number));
      damage(directory);
      return kind_of(directory);
    };
    const auto with = [&](const char* file, const char* text) {
      return damaged([&](const fs::path& directory) { write_file(directory / file, text); });
    };
    const auto without = [&](const char* file) {
      return damaged([&](const fs::path& directory) { fs::remove(directory / file); });
    };
    QCOMPARE(with("model", "the"), "corrupt");
    QCOMPARE(with("model", "the stat\x64"), "corrupt");
    QCOMPARE(without("model"), "corrupt");
    QCOMPARE(without("manifest.json"), "not_found");
    QCOMPARE(with("manifest.json", R"({"version":99})"), "version");
    QCOMPARE(with("manifest.json", R"({"version":1,"step":"x"})"), "corrupt");
    QCOMPARE(
        with("manifest.json", R"({"version":1,"step":1,"epoch":0,"progress":1,"num_replicas":1,)"
                              R"("files":[{"name":"model","bytes":9}],"ledger":[{"type":"heartbeat"}]})"),
        "corrupt");
    QCOMPARE(damaged([](const fs::path& directory) { write_manifest(directory, {}); }), "corrupt");
    const fs::path pipe = make("checkpoint-000008");  // of which a reader waits for a writer
    fs::remove(pipe / "model");
    QCOMPARE(mkfifo((pipe / "model").c_str(), 0600), 0);
    QCOMPARE(kind_of(pipe), "corrupt");
  }

  // However odd it is: a zero byte does not end the sentence.
  void aNameThatIsNotAFilesIsQuoted() {
    const auto row = [&](const std::string& name, const char* quoted) {
      const fs::path directory = make("checkpoint-000001");
      Manifest manifest = read_manifest(directory);
      manifest.files.at(0).name = name;
      write_manifest(directory, manifest);
      VERIFY_THROWS("corrupt", std::string(quoted) + " is not a file name", read_manifest(directory));
    };
    row("..", "\"..\"");
    row("a/b", "\"a/b\"");
    row(std::string("mo\0del", 6), "\"mo\\u0000del\"");
  }

  // Any change in it is noticed: no byte of it counts for nothing.
  void aManifestVouchesForItself() {
    const fs::path file = make("checkpoint-000001") / "manifest.json";
    const std::string text = contents(file);
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ 1);
      write_file(file, flipped);
      QVERIFY2(kind_of(file.parent_path()) != "nothing was thrown", qPrintable(QString::number(at)));
      write_file(file, text.substr(0, at));
      QVERIFY2(kind_of(file.parent_path()) != "nothing was thrown", qPrintable(QString::number(at)));
    }
    std::string added = text;
    added.insert(added.rfind("\n}"), ",\n  \"step\": 99");
    write_file(file, added);
    QCOMPARE(kind_of(file.parent_path()), "corrupt");
    write_file(file, text);
    QCOMPARE(kind_of(file.parent_path()), "nothing was thrown");
  }

  // It had no checksum, and of the ledger what came since the checkpoint before.
  void whatVersion1WroteIsRead() {
    const fs::path directory = make("checkpoint-000001");
    const char* const old =
        R"({"version":1,"step":40,"epoch":1,"progress":41.5,"num_replicas":2,"reason":"rescale","pinned":true,)"
        R"("files":[{"name":"model","bytes":9,"crc32":4091248363}],)"
        R"("ledger":[{"type":"ledger","loader":"train-0","epoch":1,"pass":0,"from":0,"to":640,"padding":0,)"
        R"("dataset_size":5000,"step":40}]})";
    write_file(directory / "manifest.json", old);
    const Manifest manifest = verify_checkpoint(directory);
    QCOMPARE(manifest.version, 1);
    QCOMPARE(manifest.step, 40);
    QVERIFY(manifest.pinned);
    QCOMPARE(manifest.generation, -1);
    QCOMPARE(manifest.ledger_from, 40);
    QVERIFY((manifest.ledger == Ledger{{-1, {"train-0", 1, 0, 0, 640, 0, 5000, 40}}}));
    // Written again it is of the newest version, and says the same.
    write_manifest(directory, manifest);
    const Manifest again = verify_checkpoint(directory);
    QCOMPARE(again.version, Manifest::kVersion);
    QVERIFY(again.ledger == manifest.ledger && again.ledger_from == 40 && again.pinned);
  }

  void stepsAreCountedFromZero() {
    const fs::path directory = make("checkpoint-000001");
    Manifest manifest = read_manifest(directory);
    manifest.step = manifest.ledger_from = 0;
    write_manifest(directory, manifest);
    QCOMPARE(kind_of(directory), "nothing was thrown");
    manifest.step = -1;
    write_manifest(directory, manifest);
    VERIFY_THROWS("corrupt", "it counts steps below 0", read_manifest(directory));
  }

  // Wrong values under a checksum that fits: of a program with a fault, not of a disk.
  void wrongFieldsAreTold_data() {
    const auto row = testing::columns<std::string, std::string, std::string>({"old", "changed", "fault"});
    row("a version", "\"version\": 2", "\"version\": 0", "its version is below 1");
    row("a newer version", "\"version\": 2", "\"version\": 3",
        "has version 3, but this program reads up to 2");
    row("no whole version", "\"version\": 2", "\"version\": 2.5", "\"version\" is not a whole number");
    row("no whole step", "\"step\": 40", "\"step\": 40.5", "\"step\" is not a whole number");
    row("no whole row", "[\"train-0\",2,1,", "[\"train-0\",2,1.5,", "a value that is not a whole number");
    row("no file", "\"name\": \"model\"", "\"name\": \".\"", "\".\" is not a file name");
    row("no size", "\"bytes\": 9", "\"bytes\": \"9\"", "\"bytes\" is not a whole number");
    row("steps of the ledger", "\"generation\": 3", "\"ledger_from\": -1, \"generation\": 3",
        "it counts steps below 0");
  }
  void wrongFieldsAreTold() {
    QFETCH(const std::string, fault);
    QFETCH(const std::string, old);
    QFETCH(const std::string, changed);
    const fs::path file = make("checkpoint-000001") / "manifest.json";
    std::string text = contents(file);
    const std::string seal = "  \"crc32\": ";
    text.resize(text.rfind("\n" + seal) + 1);
    QVERIFY2(text.find(old) != std::string::npos, text.c_str());
    text.replace(text.find(old), old.size(), changed);
    text += seal + std::to_string(bytes_crc32(text)) + "\n}\n";
    write_file(file, text);
    const std::string told = testing::thrown_by([&] { read_manifest(file.parent_path()); });
    VERIFY_HOLDS(told, fault);
  }

  void onlyWhatIsOursIsLoaded() {
    const fs::path others = make("checkpoint-000001");
    fs::permissions(others, fs::perms::others_write, fs::perm_options::add);
    QCOMPARE(kind_of(others), "corrupt");
    const fs::path file = make("checkpoint-000002");
    fs::permissions(file / "model", fs::perms::others_write, fs::perm_options::add);
    QCOMPARE(kind_of(file), "corrupt");
    // A link to a folder that is good itself.
    make("elsewhere");
    fs::create_directory_symlink(parent_ / "elsewhere", parent_ / "checkpoint-000003");
    QCOMPARE(kind_of(parent_ / "checkpoint-000003"), "corrupt");
    std::vector<std::string> skipped;
    QVERIFY(!newest_good_checkpoint(parent_, &skipped));
    VERIFY_HOLDS(skipped.at(0), "is a link to");
    VERIFY_HOLDS(skipped.at(2), "may be written by other users");
  }

  void whatAnotherUserMadeIsNotLoaded() {
    if (geteuid() != 0) QSKIP("only root can give a folder to another user");
    constexpr uid_t kNobody = 65534;
    const fs::path folder = make("checkpoint-000001"), file = make("checkpoint-000002");
    QCOMPARE(chown(folder.c_str(), kNobody, kNobody), 0);
    QCOMPARE(kind_of(folder), "corrupt");
    QCOMPARE(chown((file / "manifest.json").c_str(), kNobody, kNobody), 0);
    QCOMPARE(kind_of(file), "corrupt");
  }

  void onlyNamesThatFitAreCheckpoints() {
    make("checkpoint-000002");
    for (const char* name : {"checkpoint-99999999999999999999", "checkpoint-", "checkpoint--1",
                             "checkpoint-1x", "checkpoint-0000000000001"})
      make(name);
    QCOMPARE(list_checkpoints(parent_), std::vector{parent_ / "checkpoint-000002"});
    QCOMPARE(checkpoint_name(12), "checkpoint-000012");
    QCOMPARE(checkpoint_number(checkpoint_name(999'999'999'999)).value(), 999'999'999'999);
    QVERIFY_EXCEPTION_THROWN(checkpoint_name(1'000'000'000'000), Error);
    QVERIFY_EXCEPTION_THROWN(checkpoint_name(-1), Error);
  }

  void aStateFileCannotLieOutside() {
    const fs::path directory = make("checkpoint-000001");
    for (const char* name : {"../model", "/etc/passwd", "", ".."}) {
      Manifest manifest;
      manifest.files = {{name, 0, 0}};
      write_manifest(directory, manifest);
      QCOMPARE(kind_of(directory), "corrupt");
    }
  }

  void theNewestGoodOneIsFoundPastDamage() {
    make("checkpoint-000009");
    make("checkpoint-000010");
    const fs::path newest = make("checkpoint-1000000");
    make("checkpoint-000011.partial");
    make("something-else");
    QCOMPARE(list_checkpoints(parent_).size(), 3u);
    QCOMPARE(newest_good_checkpoint(parent_).value(), newest);
    write_file(newest / "model", "");
    std::vector<std::string> skipped;
    QCOMPARE(newest_good_checkpoint(parent_, &skipped).value(), parent_ / "checkpoint-000010");
    QCOMPARE(skipped.size(), 1u);
    QVERIFY(!newest_good_checkpoint(parent_ / "nowhere"));
    // One that could not be loaded is none.
    make("checkpoint-000012");
    QCOMPARE(
        newest_good_checkpoint(parent_, nullptr, {}, {{"checkpoint-000012", "it cannot be loaded"}}).value(),
        parent_ / "checkpoint-000010");
  }
};

BATCHSCOPE_TEST(TestManifest)
#include "test_manifest.moc"
