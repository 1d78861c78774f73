// SPDX-License-Identifier: Apache-2.0
//
// The sockets of a supervisor: where they are, whom they trust, what they do without descriptors; and what a
// client of the control socket may ask, and how much of what it is told it may leave unread.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QAbstractEventDispatcher>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "open_files.h"
#include "raw_client.h"
#include "socket/control_server.h"
#include "socket/line_socket.h"
#include "socket/local_listener.h"
#include "socket/peer.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestSockets : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  const fs::path path_ = folder_.filePath("a.sock").toStdString();

  static bool eventually(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, 20'000);
  }
  static std::string asking(const std::string& command, int id = 1) {
    return "{\"v\":1,\"id\":" + std::to_string(id) + ",\"command\":\"" + command + "\"}\n";
  }

 private Q_SLOTS:

  // --- where they are ---

  void aSocketTakesThePlaceOfADeadOnes() {
    const std::ptrdiff_t before = testing::count_open_files();
    testing::write_file(path_, "left by somebody");
    {
      int accepted = 0;
      LocalListener listener(path_, [&](auto) { ++accepted; });
      QVERIFY(listener.stands());
      const std::ptrdiff_t open = testing::count_open_files();
      listener.renew();
      listener.renew();
      QVERIFY(listener.stands());
      QCOMPARE(testing::count_open_files(), open);
      const RawClient one(path_), other(path_);
      listener.accept_pending();
      QCOMPARE(accepted, 2);
      listener.accept_pending();
      QCOMPARE(accepted, 2);
    }
    QVERIFY(!fs::exists(path_));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QCOMPARE(testing::count_open_files(), before);
  }

  void whereNoneCanBeItIsSaid() {
    const std::ptrdiff_t before = testing::count_open_files();
    const fs::path nowhere = folder_.filePath("no/folder.sock").toStdString();
    QCOMPARE(testing::thrown_by([&] { LocalListener(nowhere, [](auto) {}); }),
             "io: cannot listen on " + nowhere.string() + ": No such file or directory");
    QCOMPARE(testing::count_open_files(), before);
    // One that is there already hears nobody meanwhile, and can be made again.
    const fs::path folder = folder_.filePath("folder").toStdString(), moved = folder.string() + "-moved";
    fs::create_directory(folder);
    LocalListener listener(folder / "b.sock", [](auto) {});
    fs::rename(folder, moved);
    QVERIFY(!listener.stands());
    VERIFY_THROWS("io", "cannot listen on", listener.renew());
    QVERIFY(!listener.stands());
    listener.accept_pending();
    fs::rename(moved, folder);
    QVERIFY(!listener.stands());
    listener.renew();
    QVERIFY(listener.stands());
  }

  // The connection is not refused, and nobody turns in circles until it can be accepted.
  void whereDescriptorsHaveRunOutAConnectionWaits() {
    int accepted = 0;
    LocalListener listener(path_, [&](auto) { ++accepted; });
    const RawClient client(path_);
    rlimit usual{};
    QCOMPARE(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const int next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    ::close(next);
    {
      const rlimit none{static_cast<rlim_t>(next), usual.rlim_max};
      QCOMPARE(setrlimit(RLIMIT_NOFILE, &none), 0);
      const auto back = qScopeGuard([&] { setrlimit(RLIMIT_NOFILE, &usual); });
      listener.accept_pending();
      bool rests = false;
      for (int look = 0; look < 5; ++look)
        rests = !QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents) || rests;
      QVERIFY(rests);
      QCOMPARE(accepted, 0);
    }
    QVERIFY(eventually([&] { return accepted == 1; }));
    const RawClient another(path_);
    QVERIFY(eventually([&] { return accepted == 2; }));
  }

  // What follows a line beyond the limit is the rest of it, whatever it looks like.
  void nothingIsReadAfterALineThatIsTooLong() {
    std::unique_ptr<LineSocket> lines;
    int overlong = 0, closed = 0;
    std::vector<std::string> read;
    LocalListener listener(path_, [&](std::unique_ptr<QLocalSocket> socket) {
      lines = std::make_unique<LineSocket>(std::move(socket), 10);
      lines->on_line = [&](const std::string& line) { read.push_back(line); };
      lines->on_overlong = [&] { ++overlong; };
      lines->on_closed = [&] { ++closed; };
    });
    {
      const RawClient client(path_);
      QVERIFY(client.send("fine\n"));
      QVERIFY(eventually([&] { return read.size() == 1; }));
      QVERIFY(client.send(std::string(11, 'x')));
      QVERIFY(eventually([&] { return overlong == 1; }));
      QVERIFY(client.send(std::string(11, 'x') + "\nfine\n"));
    }
    QVERIFY(eventually([&] { return closed == 1; }));
    QCOMPARE(overlong, 1);
    QCOMPARE(read.size(), 1u);
  }

  // --- whom they trust ---

  void aPeerIsThisUserOrRoot() {
    int ends[2];
    QCOMPARE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const auto shut = qScopeGuard([&] {
      for (const int end : ends) ::close(end);
    });
    QVERIFY(is_trusted_peer(ends[0]));
    QVERIFY(!is_trusted_peer(-1));
    if (geteuid() != 0) QSKIP("only root can become somebody else");
    QCOMPARE(seteuid(65534), 0);
    int others[2];
    const bool has_others = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, others) == 0;
    const bool by_another = is_trusted_peer(ends[0]);  // which root's is
    QCOMPARE(seteuid(0), 0);
    QVERIFY(has_others);
    const bool others_by_root = is_trusted_peer(others[0]);
    for (const int end : others) ::close(end);
    QVERIFY(by_another);
    QVERIFY(!others_by_root);
  }

  // --- what a client may ask ---

  void aRequestHasItsLength() {
    ControlServer server(path_);
    server.on_request = [](const auto&, const auto& responder) { responder.ok("fine"); };
    const std::string request = asking("status");
    const std::string longest = std::string((64 << 10) - request.size() + 1, ' ') + request;
    const RawClient client(path_);
    QVERIFY(client.send(longest));
    std::string said;
    QVERIFY(eventually([&] { return testing::holds(said += client.read(), "\n"); }));
    VERIFY_HOLDS(said, "\"fine\"");
    QVERIFY(client.send(" " + longest + request));
    said.clear();
    QVERIFY(eventually([&] { return testing::holds(said += client.read(), "\n") && client.is_closed(); }));
    VERIFY_HOLDS(said, "a request of over 65536 bytes");
    QCOMPARE(std::count(said.begin(), said.end(), '\n'), 1);
    QVERIFY(eventually([&] { return client.is_closed(); }));
  }

  void whoHasAskedMuchIsHeardAgainWhenItIsAnswered() {
    ControlServer server(path_, {.unanswered = 3});
    std::vector<ControlServer::Responder> asked;
    server.on_request = [&](const auto&, const auto& responder) { asked.push_back(responder); };
    const RawClient client(path_);
    std::string requests;
    for (int id = 1; id <= 6; ++id) requests += asking("checkpoint", id);
    QVERIFY(client.send(requests));
    QVERIFY(eventually([&] { return asked.size() == 3; }));
    QTest::qWait(50);
    QCOMPARE(asked.size(), 3u);
    asked[0].ok("first");
    QVERIFY(eventually([&] { return asked.size() == 4; }));
    QTest::qWait(50);
    QCOMPARE(asked.size(), 4u);
    asked[1].fail(Error(ErrorKind::conflict, "not now"));
    asked[2].ok("third");
    QVERIFY(eventually([&] { return asked.size() == 6; }));
    std::string said;
    QVERIFY(
        eventually([&] { return (said += client.read(), std::count(said.begin(), said.end(), '\n') == 3); }));
    VERIFY_HOLDS(said, "\"first\"", "not now", "\"third\"");
  }

  // A client that went while an answer was on its way has not left it unread.
  void whoGoesIsNotCalledOneWhoDoesNotRead() {
    ControlServer server(path_, {.unread = 1000, .patience = std::chrono::milliseconds(100)});
    int faults = 0;
    server.on_fault = [&](const std::string&) { ++faults; };
    bool asked = false;
    server.on_request = [&](const auto&, const auto& responder) {
      asked = true;
      responder.ok(std::string(1 << 20, 'x'));
    };
    auto client = std::make_unique<RawClient>(path_);
    QVERIFY(client->send(asking("status")));
    QVERIFY(eventually([&] { return asked; }));
    client.reset();
    QVERIFY(!QTest::qWaitFor([&] { return faults > 0; }, 300));
  }

  void aRequestThatMakesNoSenseIsAnsweredWithItsId() {
    ControlServer server(path_);
    server.on_request = [](const auto&, const auto&) { throw Error(ErrorKind::conflict, "not now"); };
    const RawClient client(path_);
    std::string said;
    QVERIFY(client.send("{\"v\":1,\"id\":7,\"command\":\"dance\"}\nnonsense\n" + asking("stop", 8)));
    QVERIFY(
        eventually([&] { return (said += client.read(), std::count(said.begin(), said.end(), '\n') == 3); }));
    VERIFY_HOLDS(said, "\"id\":7", "dance", "\"id\":null", "\"id\":8", "not now");
    QVERIFY(!client.is_closed());
  }

  // --- what subscribers are told ---

  void whoSubscribesIsToldAndNobodyElse() {
    ControlServer server(path_);
    server.on_request = [](const auto&, const auto& responder) { responder.ok("fine"); };
    auto subscriber = std::make_unique<RawClient>(path_);
    const RawClient other(path_);
    const auto answered = [](const RawClient& client) {
      return eventually([&] { return testing::holds(client.read(), "\"fine\""); });
    };
    QVERIFY(!server.has_subscribers());
    QVERIFY(other.send(asking("status")) && answered(other));
    QVERIFY(!server.has_subscribers());
    QVERIFY(subscriber->send(asking("subscribe")) && answered(*subscriber));
    QVERIFY(server.has_subscribers());
    server.send_notice("warning", "so \xff");  // it is repaired
    server.send_status({});
    server.flush();
    const std::string said = subscriber->read();
    VERIFY_HOLDS(said, "\"event\":\"notice\"", "\"level\":\"warning\"", "\"text\":\"so \xef\xbf\xbd\"",
                 "\"event\":\"status\"");
    QCOMPARE(std::count(said.begin(), said.end(), '\n'), 2);
    QCOMPARE(other.read(), "");
    subscriber.reset();
    QVERIFY(eventually([&] { return !server.has_subscribers(); }));
    server.send_notice("info", "to nobody");
    server.flush();
  }

  // A mebibyte, beside what the kernel keeps. He is not waited for.
  void aSubscriberThatDoesNotReadIsSentAwayInTheEnd() {
    ControlServer server(path_);
    server.on_request = [](const auto&, const auto& responder) { responder.ok("fine"); };
    const RawClient slow(path_);
    QVERIFY(slow.send(asking("subscribe")));
    QVERIFY(eventually([&] { return server.has_subscribers(); }));
    const std::string text(1 << 16, 'x');
    int sent = 0;
    for (; server.has_subscribers() && sent < 64; ++sent) {
      server.send_notice("info", text);
      QCoreApplication::processEvents();
      if (sent == 8) server.flush();
    }
    QVERIFY2(sent > 16 && sent < 31, std::to_string(sent).c_str());
  }
};

BATCHSCOPE_TEST(TestSockets)
#include "test_sockets.moc"
