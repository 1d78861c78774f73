// SPDX-License-Identifier: Apache-2.0
//
// A replica as its node's agent has it, between a test that is the replica and a test that is its stand-in,
// which reads as much as it likes.
#include "nodes/hosted_replica.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QAbstractEventDispatcher>
#include <QTcpServer>
#include <QTemporaryDir>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/unix_address.h"
#include "nodes/tcp_line.h"
#include "open_files.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"
#include "waiting_replicas.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kMostOnTheLine = 1 << 20;  // and a piece
constexpr std::int64_t kPiece = 1 << 16;
constexpr std::size_t kMuch = 64'000'000;  // more than the system keeps of a line

class NobodyStarts final : public Launcher {
 public:
  std::vector<pid_t> launch(const std::vector<ReplicaOrder>& /*orders*/) override {
    throw Error(ErrorKind::not_found, "there is no program");
  }
};

}  // namespace

class TestHostedReplica : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<FrameSocket> line_;
  std::unique_ptr<HostedReplica> replica_;
  WaitingReplicas launcher_;
  FrameSplitter frames_;
  int peer_ = -1;
  std::vector<int> open_;

  fs::path file(const char* name) const { return folder_->filePath(name).toStdString(); }
  static bool anything_happens() {
    return QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents);
  }

  ReplicaOrder order() const {
    return {"/bin/true", {}, "/", {{"BATCHSCOPE_TELEMETRY_SOCKET", "/of/the/supervisor"}}, {}};
  }
  void host(const fs::path& checkpoints = {}) {
    fs::create_directory(file("own"));
    replica_ = std::make_unique<HostedReplica>(*line_, file("own"), checkpoints, order(), launcher_);
  }
  // Returns the end of what it prints.
  int output() {
    return open_.emplace_back(open((file("own") / "output").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  }
  // Connects to where it tells.
  int telemetry() {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const sockaddr_un address =
        protocol::unix_address(launcher_.orders[0].environment.at("BATCHSCOPE_TELEMETRY_SOCKET"));
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw Error(ErrorKind::failure, "nobody hears the replica");
    return open_.emplace_back(fd);
  }
  static bool say(int fd, const std::string& words) {
    return write(fd, words.data(), words.size()) == std::ssize(words);
  }
  // Writes for as long as somebody reads. Returns how much was taken when nothing happens any more; else more
  // than there is.
  static std::size_t filled(int fd) {
    const std::string piece(kPiece, 'x');
    std::size_t taken = 0;
    for (int idle = 0, turns = 0; idle < 3 && turns < 100'000 && taken < kMuch; ++turns) {
      const ssize_t count = write(fd, piece.data(), piece.size());
      if (count > 0) taken += static_cast<std::size_t>(count);
      idle = anything_happens() || count > 0 ? 0 : idle + 1;
    }
    return anything_happens() ? kMuch + 1 : taken;
  }
  // Returns the frames that come until it has ended.
  std::vector<Frame> frames_to_the_end() {
    std::vector<Frame> frames;
    std::string bytes(1 << 20, '\0');
    const auto read_some = [&] {
      for (ssize_t count; (count = recv(peer_, bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0;)
        frames_.feed({bytes.data(), static_cast<std::size_t>(count)});
      for (Frame frame; frames_.next(frame);) frames.push_back(frame);
      return !frames.empty() && frames.back().kind == FrameKind::exit;
    };
    return QTest::qWaitFor(read_some, 30000) ? frames : std::vector<Frame>();
  }
  static std::string kinds_of(const std::vector<Frame>& frames) {
    std::string kinds;
    for (const Frame& frame : frames) kinds += std::to_string(static_cast<int>(frame.kind)) + " ";
    return kinds;
  }
  void end() {
    kill(replica_->pid(), SIGTERM);
    replica_->ended(WaitingReplicas::status_of(replica_->pid()));
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    frames_ = FrameSplitter();
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    peer_ = open_.emplace_back(connect_tcp_line("127.0.0.2", server.serverPort()));
    QVERIFY(server.waitForNewConnection(10000));
    line_ = std::make_unique<FrameSocket>(std::unique_ptr<QTcpSocket>(server.nextPendingConnection()));
  }
  void cleanup() {
    const pid_t pid = replica_ ? replica_->pid() : 0;
    replica_.reset();
    if (pid > 0) WaitingReplicas::status_of(pid);
    line_.reset();
    for (const int fd : std::exchange(open_, {})) close(fd);
  }

  void signalsComeWithWhatFollows() {
    host();
    const pid_t pid = replica_->pid();
    replica_->signal({SIGTERM, 1});
    QCOMPARE(WaitingReplicas::status_of(pid), W_EXITCODE(11, 0));
    replica_->ended(0);
    replica_->signal({SIGTERM, 0});  // which goes to nobody
    replica_->kill();
  }

  void nothingIsLeftOfIt() {
    const std::ptrdiff_t before = testing::count_open_files();
    host();
    QCOMPARE(fs::status(file("own") / "output").permissions(),
             fs::perms::owner_read | fs::perms::owner_write);
    const pid_t pid = replica_->pid();
    replica_.reset();
    QCOMPARE(WaitingReplicas::status_of(pid), SIGKILL);
    QVERIFY(!fs::exists(file("own")));
    QVERIFY(!line_->on_sent);
    QCOMPARE(testing::count_open_files(), before);
    fs::create_directory(file("own"));
    NobodyStarts nobody;
    VERIFY_THROWS("not_found", "there is no program",
                  HostedReplica(*line_, file("own"), {}, order(), nobody));
    QVERIFY(!fs::exists(file("own")));
    QCOMPARE(testing::count_open_files(), before);
  }

  // Output waits where nobody reads, and all of it comes where somebody does.
  void whatIsPrintedWaits() {
    host();
    const int fd = output();
    const std::size_t printed = filled(fd);
    QVERIFY2(printed > static_cast<std::size_t>(kMostOnTheLine) && printed < kMuch,
             std::to_string(printed).c_str());
    QVERIFY(line_->waiting() <= kMostOnTheLine + 2 * kPiece);
    end();
    const std::vector<Frame> frames = frames_to_the_end();
    std::size_t came = 0;
    for (const Frame& frame : frames)
      if (frame.kind == FrameKind::output) came += frame.bytes.size();
    QCOMPARE(came, printed);
    QCOMPARE(decode_status(frames.back().bytes), W_EXITCODE(10, 0));
  }

  // Telemetry waits, too, and the end of a connection is behind all that was told.
  void whatIsToldWaits() {
    host();
    const int fd = telemetry();
    const std::size_t told = filled(fd);
    QVERIFY2(told > static_cast<std::size_t>(kMostOnTheLine) && told < kMuch, std::to_string(told).c_str());
    QVERIFY(line_->waiting() <= kMostOnTheLine + 4 * kPiece);
    close(fd);
    open_.pop_back();
    while (anything_happens()) {
    }
    end();
    std::size_t came = 0, behind = 0;
    bool ended = false;
    for (const Frame& frame : frames_to_the_end()) {
      if (frame.kind != FrameKind::telemetry) continue;
      const auto bytes = decode_telemetry(frame.bytes).bytes;
      (ended ? behind : came) += bytes.size();
      ended = ended || bytes.empty();
    }
    QCOMPARE(came, told);
    QCOMPARE(behind, 0u);
    QVERIFY(ended);
  }

  // Where the line is held up by output, too.
  void aConnectionsEndIsBehindItsLastWords() {
    host();
    const int known = telemetry();
    while (anything_happens()) {
    }
    const int printing = output();
    QVERIFY(filled(printing) < kMuch);
    QVERIFY(say(known, "a word\n"));
    while (anything_happens()) {
    }
    close(known);
    std::erase(open_, known);
    while (anything_happens()) {
    }
    end();
    std::vector<std::string> words;
    for (const Frame& frame : frames_to_the_end())
      if (frame.kind == FrameKind::telemetry) words.emplace_back(decode_telemetry(frame.bytes).bytes);
    QCOMPARE(words, (std::vector<std::string>{"a word\n", ""}));
  }

  // A replica's output comes before its telemetry, and both before its end, however late they were.
  void lastWordsComeInOrder() {
    host();
    const int known = telemetry();
    QVERIFY(say(known, "first\n"));
    while (anything_happens()) {
    }
    QVERIFY(say(output(), "printed\n"));
    QVERIFY(say(known, "second\n"));
    QVERIFY(say(telemetry(), "other\n"));
    end();
    const std::vector<Frame> frames = frames_to_the_end();
    std::vector<std::string> words;
    for (const Frame& frame : frames)
      words.push_back(frame.kind == FrameKind::telemetry
                          ? std::to_string(decode_telemetry(frame.bytes).connection) + ": " +
                                std::string(decode_telemetry(frame.bytes).bytes)
                      : frame.kind == FrameKind::output ? frame.bytes
                                                        : "the end");
    QCOMPARE(words.size(), 5u);
    QCOMPARE(words[0], "0: first\n");
    QCOMPARE(words[1], "printed\n");
    QVERIFY((words[2] == "0: second\n" && words[3] == "1: other\n") ||
            (words[2] == "1: other\n" && words[3] == "0: second\n"));
    QCOMPARE(words[4], "the end");
  }

  // A replica's end is told behind a checkpoint that is still on its way.
  void aCheckpointComesBeforeTheEnd() {
    const fs::path checkpoint = file("checkpoints") / "checkpoint-000001";
    constexpr std::int64_t kBytes = 32'000'000;
    testing::write_file(checkpoint / "model", "");
    fs::resize_file(checkpoint / "model", kBytes);
    protocol::Manifest manifest;
    manifest.files = {{"model", kBytes, 0}};
    protocol::write_manifest(checkpoint, manifest);
    host(file("checkpoints"));
    QVERIFY(say(telemetry(), protocol::encode(protocol::CheckpointWritten{.name = "checkpoint-000001",
                                                                          .reason = "manual"})));
    while (anything_happens()) {
    }
    QVERIFY(line_->waiting() <= kMostOnTheLine + kMostOnTheLine + kPiece);
    QVERIFY(say(output(), "printed\n"));
    end();
    QVERIFY(replica_->has_more_to_say());
    const std::vector<Frame> frames = frames_to_the_end();
    QVERIFY(!replica_->has_more_to_say());
    std::int64_t came = 0;
    std::string kinds;
    for (const Frame& frame : frames)
      if (frame.kind == FrameKind::state)
        came += std::ssize(frame.bytes);
      else
        kinds += std::to_string(static_cast<int>(frame.kind)) + " ";
    QVERIFY(came > kBytes);  // and the manifest
    QCOMPARE(kinds, kinds_of({{FrameKind::checkpoint, ""},
                              {FrameKind::output, ""},
                              {FrameKind::written, ""},
                              {FrameKind::exit, ""}}));
  }

  // It is the supervisor's to refuse.
  void aLineWithoutAnEndIsPassedOn() {
    fs::create_directory(file("checkpoints"));
    host(file("checkpoints"));
    const int fd = telemetry();
    constexpr std::size_t kLonger = (16u << 20) + 100;  // than a line may be
    const std::string piece(kPiece, 'x');
    std::size_t told = 0;
    for (int turns = 0; told < kLonger && turns < 1'000'000; ++turns) {
      const ssize_t count = write(fd, piece.data(), piece.size());
      if (count > 0) told += static_cast<std::size_t>(count);
      anything_happens();
    }
    while (anything_happens()) {
    }
    end();
    std::size_t came = 0;
    for (const Frame& frame : frames_to_the_end())
      if (frame.kind == FrameKind::telemetry) came += decode_telemetry(frame.bytes).bytes.size();
    QVERIFY2(came > 0 && came < told, std::to_string(came).c_str());
  }
};

BATCHSCOPE_TEST(TestHostedReplica)
#include "test_hosted_replica.moc"
