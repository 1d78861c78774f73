// SPDX-License-Identifier: Apache-2.0
//
// The process that stands in for a replica of another node, between a test that is its agent and a test that
// is its supervisor.
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QScopeGuard>
#include <QSslSocket>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "nodes/checkpoint_transfer.h"
#include "nodes/frame.h"
#include "nodes/line_server.h"
#include "nodes/messages.h"
#include "socket/local_listener.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestStandIn : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<QTcpServer> server_;
  std::unique_ptr<QTcpSocket> line_;
  std::optional<FrameSplitter> frames_;
  pid_t pid_ = 0;

  std::string file(const char* name) const { return folder_->filePath(name).toStdString(); }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }
  static ReplicaOrder replica() { return {"/bin/digits", {"--fast"}, "/tmp", {{"OWN", "x"}}, {}}; }

  // Starts it with this on its descriptor.
  void start(const std::string& order) {
    const int descriptor = memfd_create("order", MFD_CLOEXEC);
    QCOMPARE(write(descriptor, order.data(), order.size()), std::ssize(order));
    QCOMPARE(lseek(descriptor, 0, SEEK_SET), 0);
    pid_ = spawn({BATCHSCOPE_TEST_BIN "/batchscope-node", {"replica"}, "/", {}, file("log")},
                 {{descriptor, 3}}, handed_signals());
    close(descriptor);
  }
  // Starts it with an order for this agent, and takes its line.
  void connect_it(const std::string& checkpoints = {}, const ReplicaOrder& order = replica()) {
    start(encode(StandInOrder{"127.0.0.2",
                              server_->serverPort(),
                              {std::string(64, 'a'), false},
                              file("telemetry"),
                              checkpoints,
                              order}));
    QVERIFY(server_->waitForNewConnection(20000));
    line_.reset(server_->nextPendingConnection());
    line_->setParent(nullptr);
    const NodeHello hello = decode_hello(next(FrameKind::hello));
    QCOMPARE(hello.token, std::string(64, 'a'));
    QVERIFY(hello.caller == Caller::stand_in);
  }
  void say(FrameKind kind, std::string_view bytes = {}) const {
    const std::string frame = encode(kind, bytes);
    line_->write(frame.data(), static_cast<qint64>(frame.size()));
    line_->flush();
  }
  // Returns the bytes of the next frame, which must be of this kind.
  std::string next(FrameKind kind) {
    for (Frame frame;;) {
      const QByteArray bytes = line_->readAll();
      frames_->feed({bytes.data(), static_cast<std::size_t>(bytes.size())});
      if (frames_->next(frame)) {
        if (frame.kind == kind) return frame.bytes;
        throw Error(ErrorKind::failure, "another frame came: " + frame.bytes);
      }
      if (!line_->waitForReadyRead(10000)) throw Error(ErrorKind::failure, "no frame comes: " + printed());
    }
  }
  std::string printed() const { return testing::contents(file("log")); }
  int status() {
    int status = -1;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }

  // A checkpoint in a folder.
  static void make_checkpoint(const fs::path& folder, int number) {
    protocol::Manifest manifest;
    testing::write_file(folder / protocol::checkpoint_name(number) / "model", "the state");
    manifest.files = {
        {"model", 9, protocol::file_crc32(folder / protocol::checkpoint_name(number) / "model")}};
    protocol::write_manifest(folder / protocol::checkpoint_name(number), manifest);
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    server_ = std::make_unique<QTcpServer>();
    frames_.emplace();
    QVERIFY(server_->listen(QHostAddress(QStringLiteral("127.0.0.2"))));
  }
  void cleanup() {
    line_.reset();
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    status();
  }

  void itHandsOnWhatItsReplicaIsAndPrints() {
    connect_it();
    const ReplicaOrder came = decode_order(next(FrameKind::order));
    QCOMPARE(came.program, "/bin/digits");
    QVERIFY(came.arguments == std::vector<std::string>{"--fast"});
    QCOMPARE(came.working_directory, "/tmp");
    QVERIFY(came.environment == replica().environment);
    const std::string large(300'000, 'x');
    say(FrameKind::output, "first\n");
    say(FrameKind::output, large);
    say(FrameKind::exit, encode_status(W_EXITCODE(5, 0)));
    QCOMPARE(status(), W_EXITCODE(5, 0));
    QVERIFY(printed() == "first\n" + large);
  }

  void itsLineIsEncryptedWhereItIsToldSo() {
    LineServer encrypted({std::string(64, 'a'), true});
    QVERIFY(encrypted.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    start(encode(StandInOrder{"127.0.0.2",
                              encrypted.serverPort(),
                              {std::string(64, 'a'), true},
                              file("telemetry"),
                              {},
                              replica()}));
    QVERIFY(encrypted.waitForNewConnection(20000));
    line_.reset(encrypted.nextPendingConnection());
    line_->setParent(nullptr);
    QCOMPARE(decode_hello(next(FrameKind::hello)).token, std::string(64, 'a'));
    next(FrameKind::order);
    const std::string large(300'000, 'x');
    say(FrameKind::output, large);
    QCOMPARE(::kill(pid_, SIGUSR1), 0);
    QCOMPARE(decode_signal(next(FrameKind::signal)).number, SIGUSR1);
    say(FrameKind::exit, encode_status(W_EXITCODE(5, 0)));
    QVERIFY(line_->waitForDisconnected(10000) || line_->state() == QAbstractSocket::UnconnectedState);
    QCOMPARE(status(), W_EXITCODE(5, 0));
    QVERIFY(printed() == large);
    line_.reset();
  }

  // Not when something else comes: it may have come with the end of the agreement on TLS.
  void whatComesAtOnceIsReadAtOnce() {
    LineServer encrypted({std::string(64, 'a'), true});
    QVERIFY(encrypted.listen(QHostAddress(QStringLiteral("127.0.0.2"))));
    start(encode(StandInOrder{"127.0.0.2",
                              encrypted.serverPort(),
                              {std::string(64, 'a'), true},
                              file("telemetry"),
                              {},
                              replica()}));
    QVERIFY(encrypted.waitForNewConnection(20000));
    line_.reset(encrypted.nextPendingConnection());
    line_->setParent(nullptr);
    QObject::connect(qobject_cast<QSslSocket*>(line_.get()), &QSslSocket::encrypted, line_.get(),
                     [this] { say(FrameKind::output, "early\n"); });
    QVERIFY(eventually([this] { return printed() == "early\n"; }));
    line_.reset();
  }

  // Also by those that it has blocked for itself. Whatever its replica has left, it leaves no core.
  void itEndsAsItsReplicaDid() {
    rlimit before{};
    getrlimit(RLIMIT_CORE, &before);
    const auto restore = qScopeGuard([before] { setrlimit(RLIMIT_CORE, &before); });
    const rlimit all{before.rlim_max, before.rlim_max};
    setrlimit(RLIMIT_CORE, &all);
    for (const int number : {SIGKILL, SIGSEGV, SIGTERM, SIGPIPE}) {
      connect_it();
      next(FrameKind::order);
      say(FrameKind::exit, encode_status(number));
      QCOMPARE(status(), number);
    }
    connect_it();
    next(FrameKind::order);
    say(FrameKind::exit, encode_status(0));
    QCOMPARE(status(), 0);
  }

  void signalsAreForItsReplica() {
    connect_it();
    next(FrameKind::order);
    for (const auto& [number, value] : {std::pair(SIGTERM, 1), {SIGUSR1, 0}}) {
      sigval with{};
      with.sival_int = value;
      QCOMPARE(sigqueue(pid_, number, with), 0);
      const HandedSignal signal = decode_signal(next(FrameKind::signal));
      QCOMPARE(signal.number, number);
      QCOMPARE(signal.value, value);
    }
  }

  // Each connection of the replica is one to the supervisor.
  void whatItsReplicaTellsIsTold() {
    std::vector<std::unique_ptr<QLocalSocket>> connections;
    LocalListener listener(file("telemetry"), [&](auto socket) { connections.push_back(std::move(socket)); });
    connect_it();
    next(FrameKind::order);
    const auto tell = [&](std::uint32_t connection, std::string_view bytes) {
      say(FrameKind::telemetry, encode(TelemetryBytes{connection, bytes}));
    };
    tell(7, "one");
    tell(8, "other");
    tell(7, "\n");
    QVERIFY(eventually([&] { return connections.size() == 2; }));
    QVERIFY(eventually([&] { return connections[0]->bytesAvailable() == 4; }));
    QVERIFY(eventually([&] { return connections[1]->bytesAvailable() == 5; }));
    QCOMPARE(connections[0]->readAll(), QByteArray("one\n"));
    QCOMPARE(connections[1]->readAll(), QByteArray("other"));
    tell(7, "");
    tell(9, "");  // which has said nothing
    QVERIFY(eventually([&] { return connections[0]->state() == QLocalSocket::UnconnectedState; }));
    QVERIFY(connections[1]->state() == QLocalSocket::ConnectedState);
    tell(7, "again");
    QVERIFY(eventually([&] { return connections.size() == 3; }));
  }

  void aSupervisorThatDoesNotListenHoldsNobodyUp() {
    connect_it();
    next(FrameKind::order);
    const auto sockets = [this] {
      std::ptrdiff_t found = 0;
      for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid_) + "/fd")) {
        std::error_code gone;
        found += testing::holds(fs::read_symlink(entry, gone).string(), "socket:");
      }
      return found;
    };
    const std::ptrdiff_t before = sockets();
    for (std::uint32_t connection = 0; connection < 3; ++connection)
      say(FrameKind::telemetry, encode(TelemetryBytes{connection, "hello"}));
    say(FrameKind::output, "behind it\n");
    QVERIFY(eventually([this] { return printed() == "behind it\n"; }));
    QCOMPARE(sockets(), before);
    say(FrameKind::exit, encode_status(0));
    QCOMPARE(status(), 0);
  }

  void aSupervisorThatHangsUpHoldsNobodyUp() {
    std::unique_ptr<QLocalSocket> connection;
    LocalListener listener(file("telemetry"), [&](auto socket) { connection = std::move(socket); });
    connect_it();
    next(FrameKind::order);
    say(FrameKind::telemetry, encode(TelemetryBytes{0, "hello"}));
    QVERIFY(eventually([&] { return connection != nullptr; }));
    connection.reset();
    const std::string large(300'000, 'x');
    for (int i = 0; i < 3; ++i) say(FrameKind::telemetry, encode(TelemetryBytes{0, large}));
    say(FrameKind::output, "behind it\n");
    say(FrameKind::exit, encode_status(W_EXITCODE(5, 0)));
    QVERIFY(line_->waitForDisconnected(10000) || line_->state() == QAbstractSocket::UnconnectedState);
    QCOMPARE(status(), W_EXITCODE(5, 0));
    QCOMPARE(printed(), "behind it\n");
  }

  void whyItsReplicaCannotBeStartedIsInItsLog() {
    connect_it();
    next(FrameKind::order);
    say(FrameKind::refused, "the agent is ending");
    QCOMPARE(status(), W_EXITCODE(127, 0));
    QCOMPARE(printed(), "batchscope-node: the agent is ending\n");
  }

  void whatAnAgentDoesNotSayIsRefused_data() {
    QTest::addColumn<int>("kind");
    for (const FrameKind kind : {FrameKind::hello, FrameKind::beat, FrameKind::wanted, FrameKind::state,
                                 FrameKind::checkpoint, FrameKind::spoilt, FrameKind::written})
      QTest::addRow("%d", static_cast<int>(kind)) << static_cast<int>(kind);
  }
  void whatAnAgentDoesNotSayIsRefused() {
    QFETCH(int, kind);
    connect_it();
    next(FrameKind::order);
    say(static_cast<FrameKind>(kind), "12345678");
    QCOMPARE(status(), W_EXITCODE(127, 0));
    QCOMPARE(printed(), "batchscope-node: the agent sent a frame that does not belong here\n");
  }

  void whoIsStartedByHandIsTold() {
    QProcess process;
    process.start("sh", {"-c", "exec " BATCHSCOPE_TEST_BIN "/batchscope-node replica 3<&-"});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 127);
    VERIFY_HOLDS(process.readAllStandardError().toStdString(), "batchscope-node: cannot read the order: ");
  }

  void anOrderThatIsNoneIsRefused() {
    start("{}");
    QCOMPARE(status(), W_EXITCODE(127, 0));
    VERIFY_HOLDS(printed(), "batchscope-node: a message between nodes has no valid \"");
    server_->close();
    start(encode(StandInOrder{"127.0.0.2", 1, {std::string(64, 'a'), false}, "", "", replica()}));
    QCOMPARE(status(), W_EXITCODE(127, 0));
    VERIFY_HOLDS(printed(), "batchscope-node: no connection to 127.0.0.2:1: Connection refused\n");
  }

  // The supervisor may find out first that the whole node is gone.
  void aLineThatBreaksIsAKill() {
    connect_it();
    next(FrameKind::order);
    QElapsedTimer timer;
    timer.start();
    line_->abort();
    QCOMPARE(status(), SIGKILL);
    QVERIFY(timer.elapsed() >= protocol::time_out::kLastWords.count());
    VERIFY_HOLDS(printed(), "batchscope-node: the line to the replica's node broke: ");
  }

  // --- where the node does not see the run's checkpoints ---

  void aNodeGetsTheCheckpointThatItLacks() {
    const fs::path here = file("here"), there = file("there");
    fs::create_directory(there);
    for (const int number : {1, 2, 3}) make_checkpoint(here, number);
    ReplicaOrder order = replica();
    order.environment["BATCHSCOPE_UNLOADABLE_CHECKPOINTS"] = R"({"checkpoint-000003":"it is odd"})";
    for (const bool wanted : {true, false}) {
      connect_it(here, order);
      const OfferedCheckpoint offer = decode_offered(next(FrameKind::offer));
      QCOMPARE(offer.name, "checkpoint-000002");
      QVERIFY(offer.later == std::vector<std::string>{"checkpoint-000003"});
      say(FrameKind::wanted, encode_wanted(wanted));
      if (wanted) {
        CheckpointReceiver receiver(there, next(FrameKind::checkpoint), true);
        while (!receiver.take(next(FrameKind::state))) {
        }
        protocol::verify_checkpoint(there / "checkpoint-000002");
      }
      QCOMPARE(decode_order(next(FrameKind::order)).program, "/bin/digits");
      say(FrameKind::exit, encode_status(0));
      QCOMPARE(status(), 0);
    }
  }

  // It is told of when it has arrived, and not before.
  void aCheckpointOfTheNodeArrives() {
    std::string heard;
    std::unique_ptr<QLocalSocket> connection;
    LocalListener listener(file("telemetry"), [&](auto socket) { connection = std::move(socket); });
    const fs::path here = file("here"), there = file("there");
    fs::create_directory(here);
    make_checkpoint(there, 1);
    connect_it(here);
    QCOMPARE(decode_offered(next(FrameKind::offer)).name, "");
    say(FrameKind::wanted, encode_wanted(false));
    next(FrameKind::order);
    CheckpointSender sender(there / "checkpoint-000001");
    say(FrameKind::checkpoint, sender.announcement());
    for (std::string bytes = sender.next(); !bytes.empty(); bytes = sender.next())
      say(FrameKind::state, bytes);
    const std::string told =
        protocol::encode(protocol::CheckpointWritten{.name = "checkpoint-000001", .reason = "manual"});
    say(FrameKind::written, encode(TelemetryBytes{0, told}));
    QVERIFY(eventually([&] { return connection && connection->canReadLine(); }));
    QVERIFY(std::holds_alternative<protocol::CheckpointWritten>(
        protocol::decode(connection->readLine().toStdString())));
    protocol::verify_checkpoint(here / "checkpoint-000001");
    say(FrameKind::spoilt, "the disk of n2 is gone");
    say(FrameKind::written, encode(TelemetryBytes{0, protocol::encode(protocol::CheckpointWritten{
                                                         .name = "checkpoint-000002", .reason = "manual"})}));
    QVERIFY(eventually([&] { return connection->canReadLine(); }));
    const auto notice = std::get<protocol::Notice>(protocol::decode(connection->readLine().toStdString()));
    VERIFY_HOLDS(notice.text, "checkpoint-000002", "the disk of n2 is gone");
  }
};

BATCHSCOPE_TEST(TestStandIn)
#include "test_stand_in.moc"
