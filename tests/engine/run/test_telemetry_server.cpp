// SPDX-License-Identifier: Apache-2.0
//
// The replicas that a supervisor hears, and what becomes of those who talk nonsense.
#include "socket/telemetry_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

#include "batchscope/protocol/unix_address.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

// A connection of a replica, or of somebody else.
class Speaker {
 public:
  explicit Speaker(const std::filesystem::path& path) {
    const sockaddr_un address = protocol::unix_address(path);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      qFatal("cannot connect");
  }
  ~Speaker() { close(fd_); }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  void say_line(const std::string& line) const { ::send(fd_, line.data(), line.size(), MSG_NOSIGNAL); }
  void say(const protocol::Message& message) const { say_line(protocol::encode(message)); }
  void say_hello(int generation, int rank) const {
    protocol::Hello hello;
    hello.generation = generation;
    hello.rank = rank;
    say(hello);
  }
  void say_notice(const std::string& text) const { say(protocol::Notice{"info", text, 0}); }
  // Sends some of it, as the other end takes it.
  std::size_t push(const char* data, std::size_t size) const {
    const ssize_t sent = ::send(fd_, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  bool is_closed() const {
    char byte;
    const ssize_t size = recv(fd_, &byte, 1, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN);
  }

 private:
  const int fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

}  // namespace

class TestTelemetryServer : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  const std::filesystem::path path_ = folder_.filePath("telemetry.sock").toStdString();
  std::unique_ptr<TelemetryServer> server_;
  std::string heard_, faults_;

  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }
  bool hears(const std::string& expected) {
    return eventually([&] { return heard_ == expected; });
  }
  static constexpr char kFault[] = " sent telemetry that is not valid and was skipped: ";

 private Q_SLOTS:
  void init() {
    heard_.clear();
    faults_.clear();
    server_.reset();  // it removes its socket
    server_ = std::make_unique<TelemetryServer>(path_);
    server_->on_fault = [this](const std::string& text) { faults_ += text + "\n"; };
    server_->on_message = [this](int rank, const protocol::Message& message) {
      if (const auto* notice = std::get_if<protocol::Notice>(&message))
        heard_ += std::to_string(rank) + notice->text + " ";
      else if (std::holds_alternative<protocol::Hello>(message))
        heard_ += std::to_string(rank) + "hello ";
    };
    server_->expect(3, 2);
  }

  void replicasOfTheGenerationAreHeard() {
    const Speaker first(path_), last(path_);
    first.say_hello(3, 0);
    first.say_notice("a");
    QVERIFY(hears("0hello 0a "));
    last.say_hello(3, 1);
    last.say_notice("b");
    QVERIFY(hears("0hello 0a 1hello 1b "));
    QCOMPARE(faults_, "");
  }

  void nobodyElseIs_data() {
    QTest::addColumn<int>("generation");
    QTest::addColumn<int>("rank");
    QTest::newRow("too high a rank") << 3 << 2;
    QTest::newRow("none at all") << 3 << -1;
    QTest::newRow("the generation before") << 2 << 0;
    QTest::newRow("the generation after") << 4 << 0;
  }
  void nobodyElseIs() {
    QFETCH(int, generation);
    QFETCH(int, rank);
    const Speaker stranger(path_);
    stranger.say_hello(generation, rank);
    QVERIFY(eventually([&] { return stranger.is_closed(); }));
    QCOMPARE(heard_, "");
    QCOMPARE(faults_, std::string("a replica") + kFault + "it says it is rank " + std::to_string(rank) +
                          " of generation " + std::to_string(generation) + ", which is not running now\n");
  }

  void theFirstWordIsHello() {
    const Speaker stranger(path_);
    stranger.say_notice("a");
    QVERIFY(eventually([&] { return stranger.is_closed(); }));
    QCOMPARE(heard_, "");
    QCOMPARE(faults_, std::string("a replica") + kFault + "the first message must be a hello\n");
  }

  void whatIsSaidOfAGenerationThatIsGoneIsNotHeard() {
    const Speaker old(path_);
    old.say_hello(3, 1);
    QVERIFY(hears("1hello "));
    server_->expect(4, 2);
    old.say_notice("late");
    const Speaker next(path_);
    next.say_hello(4, 1);
    next.say_notice("a");
    QVERIFY(hears("1hello 1hello 1a "));
    old.say_notice("later");
    server_->drain();
    QCOMPARE(heard_, "1hello 1hello 1a ");
    QCOMPARE(faults_, "");
    old.say_hello(4, 0);  // a process may take part again
    old.say_notice("b");
    QVERIFY(hears("1hello 1hello 1a 0hello 0b "));
  }

  // A fault of one line costs that line, and a hundred are enough.
  void nonsenseIsToldOnce() {
    const Speaker replica(path_);
    replica.say_hello(3, 1);
    replica.say_line("nonsense\n");
    replica.say_notice("a");
    for (int fault = 2; fault <= 99; ++fault) replica.say_line("more\n");
    replica.say_notice("b");
    QVERIFY(hears("1hello 1a 1b "));
    QVERIFY2(faults_.starts_with(std::string("rank 1") + kFault), faults_.c_str());
    QCOMPARE(std::count(faults_.begin(), faults_.end(), '\n'), 1);
    QVERIFY(!replica.is_closed());
    replica.say_line("the hundredth\n" + protocol::encode(protocol::Notice{"info", "c", 0}));
    QVERIFY(eventually([&] { return replica.is_closed(); }));
    QCOMPARE(heard_, "1hello 1a 1b ");
    QCOMPARE(std::count(faults_.begin(), faults_.end(), '\n'), 1);
  }

  // Last words come before an exit: without the event loop.
  void whatHasArrivedIsHeardAtOnce() {
    const Speaker first(path_), last(path_);
    first.say_hello(3, 0);
    last.say_hello(3, 1);
    server_->drain();
    QVERIFY(testing::holds(heard_, "0hello ") && testing::holds(heard_, "1hello "));
    heard_.clear();
    first.say_notice("a");
    last.say_notice("b");
    server_->drain(1);
    QCOMPARE(heard_, "1b ");
    server_->drain(1);
    server_->drain(0);
    QCOMPARE(heard_, "1b 0a ");
    const Speaker stranger(path_);  // who may be that rank
    stranger.say_hello(3, 1);
    server_->drain(1);
    QCOMPARE(heard_, "1b 0a 1hello ");
  }

  void aLineWithoutAnEndIsTheLast() {
    const Speaker replica(path_);
    replica.say_hello(3, 0);
    const std::string block(1 << 20, 'x');
    std::size_t sent = 0;
    QVERIFY(eventually([&] {
      for (int i = 0; i < 100 && faults_.empty(); ++i) {
        sent += replica.push(block.data(), block.size());
        QCoreApplication::processEvents();
      }
      return !faults_.empty();
    }));
    QVERIFY2(sent > (16u << 20) && sent < (24u << 20), std::to_string(sent).c_str());
    QCOMPARE(faults_, "rank 0 sent telemetry without an end of line; its connection was closed\n");
    QVERIFY(eventually([&] { return replica.is_closed(); }));
  }
};

BATCHSCOPE_TEST(TestTelemetryServer)
#include "test_telemetry_server.moc"
