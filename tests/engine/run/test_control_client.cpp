// SPDX-License-Identifier: Apache-2.0
//
// The connection of a window or a progress bar to a supervisor, whatever becomes of that.
#include "batchscope/run/client.h"

#include <algorithm>
#include <memory>

#include "socket/control_server.h"
#include "socket/local_listener.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::Request;
using protocol::RunState;
using protocol::RunStatus;

class TestControlClient : public QObject {
  Q_OBJECT

  std::unique_ptr<StoredRuns> runs_;
  std::string id_, requests_, shown_, answers_;

  std::filesystem::path socket() const { return protocol::run_paths(id_).control_socket; }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }
  static RunStatus status(RunState state) {
    RunStatus status;
    status.state = state;
    return status;
  }
  // Answers each request with the state, or refuses a stop, or keeps silent about a pause.
  std::unique_ptr<ControlServer> server(RunState state) {
    auto server = std::make_unique<ControlServer>(socket());
    server->on_request = [this, state](const Request& request, const ControlServer::Responder& responder) {
      requests_ += std::string(protocol::command_name(request.command)) + request.id.dump() + " ";
      if (request.command == Request::Command::stop) throw Error(ErrorKind::conflict, "it is over");
      if (request.command != Request::Command::pause) responder.ok(status(state));
    };
    return server;
  }
  // Writes down what a client emits.
  void watch(ControlClient& client) {
    connect(&client, &ControlClient::statusChanged, this,
            [this](const RunStatus& now) { shown_ += std::string(run_state_name(now.state)) + " "; });
    connect(&client, &ControlClient::eventAdded, this, [this](const QString& level, const QString& text) {
      shown_ += (level + ": " + text + " ").toStdString();
    });
    connect(&client, &ControlClient::connectedChanged, this,
            [this](bool connected) { shown_ += connected ? "+ " : "- "; });
  }
  void ask(ControlClient& client, Request::Command command) {
    Request request;
    request.command = command;
    client.send(request, [this](const protocol::Json* result, const Error* error) {
      answers_ += error ? std::string(error_kind_name(error->kind())) + ": " + error->what()
                        : result->at("state").get<std::string>();
      answers_ += "\n";
    });
  }
  bool shows(const std::string& expected) {
    return eventually([&] { return shown_ == expected; });
  }

 private Q_SLOTS:
  void init() {
    runs_ = std::make_unique<StoredRuns>();
    id_ = runs_->add(runs_->spec());
    for (std::string* const text : {&requests_, &shown_, &answers_}) text->clear();
  }

  void itSubscribesAndHandsOnWhatComes() {
    const auto supervisor = server(RunState::running);
    ControlClient client(id_);
    QCOMPARE(client.run(), id_);
    QVERIFY(!client.connected());
    watch(client);
    QVERIFY(shows("+ running "));
    QVERIFY(client.connected());
    QCOMPARE(requests_, "subscribe1 ");
    supervisor->send_status(status(RunState::restarting));
    supervisor->send_notice("warning", "so");
    QVERIFY(shows("+ running restarting warning: so "));
    ask(client, Request::Command::status);
    ask(client, Request::Command::stop);
    client.send({});  // whose answer nobody wants
    ask(client, Request::Command::status);
    QVERIFY(eventually([&] { return std::count(answers_.begin(), answers_.end(), '\n') == 3; }));
    QCOMPARE(answers_, "running\nconflict: it is over\nrunning\n");
    QCOMPARE(requests_, "subscribe1 status2 stop3 status4 status5 ");
  }

  // The supervisor may be on its way.
  void whoFindsNobodyLooksAgain() {
    ControlClient client(id_);
    watch(client);
    QVERIFY(!QTest::qWaitFor([&] { return client.connected(); }, 200));
    QCOMPARE(shown_, "");
    const auto supervisor = server(RunState::running);
    QVERIFY(shows("+ running "));
    QCOMPARE(requests_, "subscribe1 ");
  }

  void whoIsNotConnectedIsAnsweredAtOnce() {
    ControlClient client(id_);
    ask(client, Request::Command::status);
    QCOMPARE(answers_,
             "not_found: run " + id_ + " has no supervisor; resume it with: batchscope resume " + id_ + "\n");
    client.send({});
  }

  // It may come back, for somebody may resume the run.
  void aSupervisorThatGoesLeavesNoRequestOpen() {
    auto supervisor = server(RunState::running);
    ControlClient client(id_);
    watch(client);
    QVERIFY(shows("+ running "));
    ask(client, Request::Command::pause);
    QVERIFY(eventually([&] { return requests_ == "subscribe1 pause2 "; }));
    supervisor.reset();
    QVERIFY(shows("+ running - "));
    QVERIFY(!client.connected());
    QCOMPARE(answers_, "io: the supervisor of run " + id_ + " closed the connection\n");
    supervisor = server(RunState::paused);
    QVERIFY(shows("+ running - + paused "));
  }

  void aRunThatIsFinishedIsNotLookedForAgain() {
    auto supervisor = server(RunState::finished);
    ControlClient client(id_);
    watch(client);
    QVERIFY(shows("+ finished "));
    supervisor.reset();
    QVERIFY(shows("+ finished - "));
    supervisor = server(RunState::running);
    ControlClient other(id_);
    QTRY_VERIFY(other.connected());
    QVERIFY(!QTest::qWaitFor([&] { return client.connected(); }, 200));
    QCOMPARE(shown_, "+ finished - ");
  }

  // A line without an id says why the connection is closed.
  void aRefusalIsHandedOn() {
    std::unique_ptr<QLocalSocket> line;
    LocalListener listener(socket(), [&](auto accepted) { line = std::move(accepted); });
    ControlClient client(id_);
    watch(client);
    QVERIFY(eventually([&] { return line != nullptr; }) && shows("+ "));
    ask(client, Request::Command::status);
    line->write(protocol::error_line(nullptr, Error(ErrorKind::conflict, "too many connections")).c_str());
    line->disconnectFromServer();
    QVERIFY(eventually([&] { return testing::holds(shown_, "- "); }));
    QCOMPARE(answers_, "io: the supervisor of run " + id_ + ": too many connections\n");
    // It is the reason of that one time.
    line.reset();
    QVERIFY(eventually([&] { return line != nullptr && client.connected(); }));
    answers_.clear();
    ask(client, Request::Command::status);
    line->disconnectFromServer();
    QVERIFY(eventually([&] { return !answers_.empty(); }));
    QCOMPARE(answers_, "io: the supervisor of run " + id_ + " closed the connection\n");
  }

  void whoTalksNonsenseIsNoSupervisor_data() {
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("no JSON") << QByteArray("nonsense\n");
    QTest::newRow("no status") << QByteArray("{\"event\":\"status\",\"status\":{\"step\":\"x\"}}\n");
    QTest::newRow("no event") << QByteArray("{\"event\":3}\n");
    QTest::newRow("no error") << QByteArray("{\"error\":3}\n");
    QTest::newRow("no end") << QByteArray((1 << 20) + 1, 'x');
  }
  void whoTalksNonsenseIsNoSupervisor() {
    QFETCH(QByteArray, said);
    std::vector<std::unique_ptr<QLocalSocket>> lines;
    LocalListener listener(socket(), [&](auto accepted) { lines.push_back(std::move(accepted)); });
    ControlClient client(id_);
    watch(client);
    QVERIFY(eventually([&] { return lines.size() == 1; }) && shows("+ "));
    lines[0]->write("{\"id\":99,\"ok\":true,\"result\":{}}\n{\"event\":\"another\"}\n");  // which is nobody's
    lines[0]->write(said);
    QVERIFY(eventually([&] { return lines.size() == 2; }));  // it tries again
    QVERIFY(shown_.starts_with("+ - "));
  }
};

BATCHSCOPE_TEST(TestControlClient)
#include "test_control_client.moc"
