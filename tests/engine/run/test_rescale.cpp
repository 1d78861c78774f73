// SPDX-License-Identifier: Apache-2.0
//
// The planned life of a run, with real processes: start, rescale, checkpoint, pause, stop, resume, scripted
// events, and the control socket.
#include <sys/stat.h>

#include <QLocalSocket>
#include <QProcess>
#include <cmath>

#include "batchscope/protocol/manifest.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/run/prediction.h"
#include "batchscope/storage/samples.h"
#include "launch/generation.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;

class TestRescale : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  // Where somebody has set the variable, it is theirs.
  void replicasAskForLargePages() {
    const auto asked = [&] {
      const auto environment = program_order(spec_of(1, {}), {}).environment;
      return environment.at("GLIBC_TUNABLES");
    };
    qunsetenv("GLIBC_TUNABLES");
    QCOMPARE(asked(), std::string("glibc.malloc.hugetlb=1"));
    qputenv("GLIBC_TUNABLES", "glibc.malloc.check=1");
    QCOMPARE(asked(), std::string("glibc.malloc.check=1"));
    qunsetenv("GLIBC_TUNABLES");
  }

  void fromTwoToOneToThreeToTheEnd() {
    const std::string id = start(2, {"--steps", "150", "--step-ms", "10"});
    VERIFY_RUN(trains(id, 2));
    ask(id, Command::rescale, 1);
    VERIFY_RUN(trains(id, 1));
    ask(id, Command::rescale, 3);
    VERIFY_RUN(trains(id, 3));
    VERIFY_RUN(reaches(id, RunState::finished));

    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 3u);
    const int counts[] = {2, 1, 3};
    storage::SampleReader samples(protocol::run_paths(id).samples);
    std::int64_t next = 1;
    for (const auto& generation : generations) {
      QCOMPARE(generation.replicas, counts[generation.number]);
      QCOMPARE(generation.first_step, next);  // training went on from the next step
      const auto loss = samples.read("loss", generation.number);
      QCOMPARE(static_cast<std::int64_t>(loss.size()), generation.last_step - generation.first_step + 1);
      next = generation.last_step + 1;
      if (generation.number == 0) {
        QVERIFY(generation.pause < 0);
        QCOMPARE(generation.reason, "start");
        continue;
      }
      QCOMPARE(generation.reason, "rescale");
      QVERIFY(generation.pause > 0);
      double parts = 0;
      for (const auto& [name, seconds] : generation.pause_parts) parts += seconds;
      QVERIFY(std::abs(parts - generation.pause) < 1e-6);
    }
    QCOMPARE(next, 151);
    QVERIFY(tells(id, "restarted on 3 replicas in"));
  }

  void whatWasPredictedIsKeptBesideWhatWasObtained() {
    const std::string id = start(1, {"--steps", "1000000", "--model"});
    VERIFY_RUN(trains(id, 1));
    QTRY_VERIFY(catalogue().model(id));
    const protocol::Model model = *catalogue().model(id);
    QCOMPARE(model.devices, static_cast<int>(Machine::here().cores.size()));
    const protocol::Json answered = ask(id, Command::rescale, 2).at("predicted");
    VERIFY_RUN(tells(id, "Predicted goodput "));
    VERIFY_RUN(tells(id, "samples/s on 2 replicas, obtained 32 ("));
    VERIFY_RUN(stops(id));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.front().predicted_goodput, -1.0);
    QCOMPARE(generations.back().predicted_goodput, predict(model, 2)->goodput);
    QCOMPARE(generations.back().predicted_throughput, predict(model, 2)->throughput);
    QCOMPARE(protocol::decode_number(answered.at("goodput")), generations.back().predicted_goodput);
    QCOMPARE(protocol::decode_number(answered.at("throughput")), generations.back().predicted_throughput);
    QCOMPARE(generations.back().obtained_throughput, 64.0);
    QCOMPARE(generations.back().obtained_goodput, 32.0);
    storage::SampleReader samples(protocol::run_paths(id).samples);
    QCOMPARE(measured_rate(generations, samples)->goodput, 32.0);
  }

  // A new supervisor changes nothing: the batch size stays, the best is not what comes.
  void aRunThatGoesOnOnAsManyReplicasIsPredictedAsItWas() {
    const std::string id = start(2, {"--steps", "1000000", "--model"});
    VERIFY_RUN(trains(id, 2));
    QTRY_VERIFY(catalogue().model(id));
    VERIFY_RUN(stops(id));
    const protocol::Model model = *catalogue().model(id);
    resume(id);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations.back().predicted_goodput, predict(model, {1, 2, 32, 0}).goodput);
    QVERIFY(generations.back().predicted_goodput < predict(model, 2)->goodput);
  }

  void aCheckpointIsAnsweredWhenItIsWritten() {
    const std::string id = train(2);
    const auto result = ask(id, Command::checkpoint);
    const std::string name = result.at("name");
    protocol::verify_checkpoint(protocol::run_paths(id).checkpoints / name);
    QTRY_COMPARE(catalogue().checkpoints(id).size(), 1u);
    QCOMPARE(catalogue().checkpoints(id)[0].reason, "manual");
    VERIFY_RUN(stops(id));
  }

  // A generation may begin in the middle of a validation, and end with it.
  void aRunThatValidatesIsUnderWay() {
    std::string validates =
        protocol::encode(protocol::Position{0, 1, "validate", 0.5, 0, protocol::monotonic_seconds()});
    while (validates.ends_with('\n')) validates.pop_back();
    const std::string id = start(1, {"--steps", "100000", "--hang-on", "1", "--says", validates});
    VERIFY_RUN(tells(id, "training on 1 replica"));
    VERIFY_RUN(trains(id, 1));
    QCOMPARE(catalogue().run(id)->step, 0);
    VERIFY_RUN(stops(id));
  }

  void pausedAndResumedOnAnotherCount() {
    const std::string id = train(1);
    ask(id, Command::pause);
    VERIFY_RUN(reaches(id, RunState::paused));
    QVERIFY(replicas(id).empty());
    ask(id, Command::resume, 2);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(stops(id));
    QCOMPARE(catalogue().generations(id).back().reason, "resume");
  }

  void stoppedAndResumedByAnotherSupervisor() {
    const std::string id = start(2, {"--steps", "60"});
    QVERIFY(trains(id, 2));
    QVERIFY_THROWS_EXCEPTION(Error, resume(id));  // it is active
    VERIFY_RUN(stops(id));
    resume(id);
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[1].replicas, 2);
    QCOMPARE(generations[1].first_step, generations[0].last_step + 1);
    QVERIFY_THROWS_EXCEPTION(Error, resume(id));  // it is finished
  }

  void scriptedEventsHappen() {
    auto spec = spec_of(2, {"--steps", "100"});
    spec.triggers = {protocol::Trigger::parse("step=20:replicas=1"),
                     protocol::Trigger::parse("elapsed=0.6:checkpoint"),
                     protocol::Trigger::parse("step=40:checkpoint")};
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, RunState::finished));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 2u);
    QCOMPARE(generations[0].last_step, 20);
    QCOMPARE(generations[1].replicas, 1);
    QCOMPARE(generations[1].reason, "trigger");
    QVERIFY(generations[1].pause_parts.at("checkpoint") > 0);
    QVERIFY(tells(id, "elapsed=0.6s:checkpoint"));
  }

  void theSupervisorsSigtermStopsWithACheckpoint() {
    const std::string id = train(2);
    const auto before = replicas(id);
    QCOMPARE(before.size(), 2u);
    ::kill(supervisor(id), SIGTERM);
    VERIFY_RUN(reaches(id, RunState::stopped));
    for (const auto& replica : before) QVERIFY(!is_alive(replica));
    QVERIFY(protocol::newest_good_checkpoint(protocol::run_paths(id).checkpoints));
  }

  void aRunHasOneSupervisor() {
    const std::string id = train(1);
    QProcess second;
    second.start(BATCHSCOPE_TEST_BIN "/batchscope", {"supervise", QString::fromStdString(id)});
    QVERIFY(second.waitForFinished());
    QCOMPARE(second.exitCode(), static_cast<int>(kExitConflict));
    QVERIFY(trains(id, 1));  // and the first goes on
    VERIFY_RUN(stops(id));
  }

  void theControlSocketIsPrivateAndForgiving() {
    const std::string id = train(1);
    const auto path = protocol::run_paths(id).control_socket;
    struct stat info {};
    QCOMPARE(stat(path.c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777, 0600u);

    QLocalSocket socket;
    socket.connectToServer(QString::fromStdString(path.string()));
    QVERIFY(socket.waitForConnected());
    const auto exchange = [&](const QByteArray& line) {
      socket.write(line + "\n");
      while (!socket.canReadLine())
        if (!socket.waitForReadyRead(5000)) return protocol::Json();
      return protocol::Json::parse(socket.readLine().toStdString());
    };
    auto reply = exchange("rescale to 4, please");
    QVERIFY(reply.at("ok") == false);
    QVERIFY(reply.at("error").at("kind") == "usage");
    reply = exchange(R"({"v":1,"id":"a","command":"rescale","replicas":0})");
    QVERIFY(reply.at("id") == "a");
    QVERIFY(reply.at("ok") == false);
    reply = exchange(R"({"v":2,"id":3,"command":"status"})");
    QVERIFY(reply.at("error").at("kind") == "version");
    reply = exchange(R"({"v":1,"id":4,"command":"resume"})");
    QVERIFY(reply.at("error").at("kind") == "conflict");
    reply = exchange(R"({"v":1,"id":5,"command":"status"})");
    QVERIFY(reply.at("result").at("state") == "running");
    // A line without end is the peer's last.
    socket.write(QByteArray(100000, 'x'));
    QVERIFY(socket.state() != QLocalSocket::ConnectedState || socket.waitForDisconnected(5000));
    VERIFY_RUN(stops(id));
  }

  void aClientFollowsARestart() {
    const std::string id = train(1);
    ControlClient client(id);
    QStringList states, notices;
    protocol::RunStatus last;
    connect(&client, &ControlClient::statusChanged, this, [&](const protocol::RunStatus& status) {
      last = status;
      states << run_state_name(status.state);
    });
    connect(&client, &ControlClient::eventAdded, this,
            [&](const QString&, const QString& text) { notices << text; });
    QTRY_VERIFY(client.connected());
    QTRY_VERIFY(last.step > 0);
    QVERIFY(last.latest.contains("loss"));
    bool accepted = false;
    protocol::Request rescale;
    rescale.command = Command::rescale;
    rescale.replicas = 2;
    client.send(rescale, [&](const protocol::Json* result, const Error*) { accepted = result; });
    QTRY_VERIFY(accepted);
    QTRY_VERIFY(last.replicas == 2 && last.state == protocol::RunState::running);
    QVERIFY(states.contains("restarting"));
    QTRY_VERIFY(!notices.filter("restarted on 2 replicas in").isEmpty());
    std::string refusal;
    rescale.command = Command::resume;
    client.send(rescale,
                [&](const protocol::Json*, const Error* error) { refusal = error ? error->what() : ""; });
    QTRY_VERIFY(refusal.find("not paused") != std::string::npos);
    rescale.command = Command::stop;
    client.send(rescale);
    QTRY_COMPARE(last.state, protocol::RunState::stopped);
    QTRY_VERIFY(!client.connected());
  }
};

BATCHSCOPE_TEST(TestRescale)
#include "test_rescale.moc"
