// SPDX-License-Identifier: Apache-2.0
//
// The end of a run, posted to an address or handed to a command.
#include "batchscope/run/end_notice.h"

#include <QScopeGuard>
#include <QTemporaryDir>
#include <optional>

#include "batchscope/http/server.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "standard_error.h"
#include "storage/store_test.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using protocol::RunState;

namespace {

// Answers with this status, and keeps what it was asked.
class Listener {
 public:
  explicit Listener(int status) {
    server_.on_request = [this, status](const http::Request& request, const http::Reply& reply) {
      body_ = request.body;
      reply({.status = status});
    };
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()) + "/secret"; }
  const std::optional<std::string>& body() const { return body_; }

 private:
  http::Server server_;
  std::optional<std::string> body_;
};

}  // namespace

class TestEndNotice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    qputenv("BATCHSCOPE_DB", folder_->filePath("runs.db").toUtf8());
    catalogue_.emplace(protocol::catalogue_path());
  }
  void cleanup() {
    catalogue_.reset();
    folder_.reset();
  }

  void aFailureIsPostedWithItsReason() {
    const Listener listener(200);
    const std::string id = ended(listener.url(), RunState::failed, std::string("rank 1 was killed"));
    run::tell_end(id);
    const protocol::Json said = protocol::Json::parse(listener.body().value());
    QCOMPARE(said.at("event").get<std::string>(), std::string("failed"));
    QCOMPARE(said.at("text").get<std::string>(), "digits (" + id + ") failed: rank 1 was killed");
    QCOMPARE(said.at("run").get<std::string>(), id);
    QCOMPARE(said.at("message").get<std::string>(), std::string("rank 1 was killed"));
    QVERIFY(catalogue_->events(id).empty());
  }

  void aRefusalIsAnEventThatKeepsTheSecret() {
    const Listener listener(403);
    const std::string id = ended(listener.url(), RunState::finished, "");
    run::tell_end(id);
    const auto events = catalogue_->events(id);
    QCOMPARE(events.size(), 1u);
    QVERIFY2(events[0].text.find("nobody was told of the end by 127.0.0.1: it answered 403") == 0,
             events[0].text.c_str());
    QVERIFY2(events[0].text.find("secret") == std::string::npos, events[0].text.c_str());
  }

  void aCommandIsGivenTheSentence() {
    const QString told = folder_->filePath("told");
    const std::string id = ended("printf %s > '" + told.toStdString() + "'", RunState::finished, "");
    run::tell_end(id);
    QFile file(told);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()), QString::fromStdString("digits (" + id + ") finished"));
    QVERIFY(catalogue_->events(id).empty());
  }

  void aCommandFindsTheFactsInItsEnvironment() {
    const QString told = folder_->filePath("told");
    const std::string id = ended("printenv BATCHSCOPE_NOTICE > '" + told.toStdString() + "' #",
                                 RunState::failed, "out of memory");
    run::tell_end(id);
    const protocol::Json said = protocol::Json::parse(testing::contents(told.toStdString()));
    QCOMPARE(said.at("run").get<std::string>(), id);
    QCOMPARE(said.at("event").get<std::string>(), "failed");
    QCOMPARE(said.at("message").get<std::string>(), "out of memory");
  }

  // It reads nothing of ours, and waits for nobody.
  void aCommandHasNoInput() {
    const std::string told = folder_->filePath("told").toStdString();
    run::tell_end(ended("readlink /proc/self/fd/0 > '" + told + "' #", RunState::finished, ""));
    QCOMPARE(testing::contents(told), "/dev/null\n");
  }

  void theFactsAreWhatTheRunCameTo() {
    const Listener listener(200);
    const std::string id = ended(listener.url(), RunState::running, "");
    catalogue_->set_progress(id, 1200, 5, 6, 0.9, {{"loss", 0.5}});
    catalogue_->set_state(id, RunState::finished, "");
    run::tell_end(id);
    const storage::Run run = *catalogue_->run(id);
    const protocol::Json said = protocol::Json::parse(listener.body().value());
    const protocol::Json expected{{"event", "finished"},
                                  {"text", "digits (" + id + ") finished: epoch 5 of 6, step 1200"},
                                  {"run", id},
                                  {"name", "digits"},
                                  {"message", ""},
                                  {"step", 1200},
                                  {"epoch", 5},
                                  {"seconds", run.ended - run.created},
                                  {"host", protocol::node_name()},
                                  {"latest", {{"loss", 0.5}}}};
    QCOMPARE(said.dump(), expected.dump());
  }

  // The clock may have been set back meanwhile.
  void noRunTookLessThanNoTime() {
    const Listener listener(200);
    const std::string id = ended(listener.url(), RunState::finished, "");
    QVERIFY(storage::test::meddle(protocol::catalogue_path(), "UPDATE run SET created = ended + 100"));
    run::tell_end(id);
    QCOMPARE(protocol::Json::parse(listener.body().value()).at("seconds").get<double>(), 0.0);
  }

  void whoCannotBeToldOfIsNamed() {
    VERIFY_THROWS("not_found", "there is no run aaaaaaaa", run::tell_end("aaaaaaaa"));
    const std::string id = ended("exit 3 #", RunState::finished, "");
    for (const int number : {0, 4}) {
      storage::Generation generation;
      generation.number = number;
      catalogue_->put_generation(id, generation);
    }
    run::tell_end(id);
    const auto events = catalogue_->events(id);
    QCOMPARE(events.size(), 1u);
    QCOMPARE(events[0].level, "warning");
    QCOMPARE(events[0].generation, 4);
    QCOMPARE(events[0].text, "nobody was told of the end by `exit 3 #`: it ended with exit code 3");
  }

  void aCommandThatFailsIsAnEvent_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("why");
    QTest::newRow("exit code") << "exit 3 #"
                               << "it ended with exit code 3";
    QTest::newRow("signal") << "kill -9 $$ #"
                            << "it was killed by a signal";
  }
  void aCommandThatFailsIsAnEvent() {
    QFETCH(QString, command);
    QFETCH(QString, why);
    const std::string id = ended(command.toStdString(), RunState::finished, "");
    run::tell_end(id);
    const auto events = catalogue_->events(id);
    QCOMPARE(events.size(), 1u);
    VERIFY_HOLDS(events[0].text, why.toStdString());
    QCOMPARE(events[0].generation, 0);  // it has had none
  }

  void whereNobodyListensThatIsSaid() {
    std::string address;
    {
      const Listener gone(200);
      address = gone.url();
    }
    const std::string id = ended(address, RunState::finished, "");
    run::tell_end(id);
    const auto events = catalogue_->events(id);
    QCOMPARE(events.size(), 1u);
    QCOMPARE(events[0].text, "nobody was told of the end by 127.0.0.1: Connection refused");
  }

  // An empty listener is nobody.
  void theRunsOwnListenerComesBeforeThatOfAll() {
    const Listener own(200), all(200);
    qputenv(run::kNotify, all.url().c_str());
    const auto forget = qScopeGuard([] { qunsetenv(run::kNotify); });
    run::tell_end(ended(own.url(), RunState::finished, ""));
    QVERIFY(own.body());
    run::tell_end(ended("", RunState::finished, ""));
    QVERIFY(!all.body());
    run::tell_end(ended({}, RunState::finished, ""));
    QVERIFY(all.body());
  }

  void nobodyIsToldOfWhatAPersonEnded() {
    const Listener listener(200);
    run::tell_end(ended(listener.url(), RunState::stopped, ""));
    QVERIFY(!listener.body());
  }

  // The run has ended all the same.
  void whereNobodyCanBeToldThatIsSaid() {
    protocol::RunSpec spec;
    spec.environment["BATCHSCOPE_NOTIFY"] = "true";
    qputenv("BATCHSCOPE_BIN", folder_->filePath("none").toUtf8());
    const testing::StandardError said;
    run::announce_end("aaaaaaaa", spec);
    qunsetenv("BATCHSCOPE_BIN");
    QCOMPARE(said.count("nobody was told of the end: "), 1);
  }

  void anAddressNeedsAHost() {
    run::check_notify("mail -s done me");
    run::check_notify("https://example.org/hook");
    VERIFY_HOLDS(testing::thrown_by([] { run::check_notify("http:///hook"); }), "is not an address");
  }

 private:
  std::string ended(const std::optional<std::string>& whom, RunState state, const std::string& message) {
    protocol::RunSpec spec;
    spec.name = "digits";
    spec.program = "/bin/true";
    if (whom) spec.environment[run::kNotify] = *whom;
    const std::string id = catalogue_->create_run(spec);
    catalogue_->set_state(id, state, message);
    return id;
  }

  std::optional<QTemporaryDir> folder_;
  std::optional<storage::Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestEndNotice)
#include "test_end_notice.moc"
