// SPDX-License-Identifier: Apache-2.0
//
// Commands of a page to a run, and in which words they are refused.
#include "batchscope/storage/origins.h"
#include "fake_supervisor.h"
#include "rows.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestControl : public WebTest {
  Q_OBJECT

  Answer control(const std::string& id, const QByteArray& body) const {
    return post("/api/runs/" + id + "/control", body);
  }
  static std::string error(const Answer& answer) { return answer.json.value("error", ""); }

 private Q_SLOTS:
  void init() {
    newStore();
    serve();
  }

  void theSupervisorIsAsked() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    const Answer answer = control(id, R"({"command":"rescale","replicas":3})");
    QCOMPARE(answer.status, 200);
    QCOMPARE(answer.json.at("result").at("replicas").get<int>(), 2);
    QCOMPARE(supervisor.asked.size(), std::size_t(1));
    QCOMPARE(supervisor.asked[0].replicas.value(), 3);
    QCOMPARE(control(id, R"({"command":"rescale","auto":"auto:1-4"})").status, 200);
    QCOMPARE(supervisor.asked[1].auto_replicas.value().text(), std::string("auto:1-4"));
    for (const char* command : {"pause", "stop", "checkpoint"})
      QCOMPARE(control(id, QByteArray("{\"command\":\"") + command + "\"}").status, 200);
    QCOMPARE(supervisor.asked.size(), std::size_t(5));
  }

  void theRunMovesToDevicesByName() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    QCOMPARE(control(id, R"({"command":"rescale","devices":["cpu:1","cpu:3"]})").status, 200);
    QCOMPARE(supervisor.asked.at(0).devices, (std::vector<std::string>{"cpu:1", "cpu:3"}));
    for (const char* devices : {R"("cpu:1")", "[]", "[1]", R"(["/dev/null"])", R"(["cpu:1","cpu:1"])"})
      QCOMPARE(control(id, QByteArray(R"({"command":"rescale","devices":)") + devices + "}").status, 400);
    QCOMPARE(supervisor.asked.size(), std::size_t(1));
  }

  void aPausedRunGoesOn() {
    const std::string id = make_run("one", 4, protocol::RunState::paused);
    FakeSupervisor supervisor(id);
    QCOMPARE(control(id, R"({"command":"resume","replicas":1})").status, 200);
    QCOMPARE(supervisor.asked.at(0).command, protocol::Request::Command::resume);
    QCOMPARE(supervisor.asked.at(0).replicas.value(), 1);
  }

  void whatTheSupervisorRefusesIsSaid() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    supervisor.on_request = [](const protocol::Request&) -> Json {
      throw Error(ErrorKind::conflict, "the run is pausing");
    };
    const Answer answer = control(id, R"({"command":"rescale","replicas":3})");
    QCOMPARE(answer.status, 409);
    QCOMPARE(error(answer), std::string("the run is pausing"));
  }

  void aRunWithoutASupervisorIsRefusedAsByTheCommandLine() {
    const std::string id = make_run("one", 4, protocol::RunState::stopped);
    const Answer answer = control(id, R"({"command":"pause"})");
    QCOMPARE(answer.status, 409);
    QVERIFY(error(answer).find("was stopped; `batchscope resume " + id) != std::string::npos);
    QCOMPARE(control(make_run("two", 4), R"({"command":"resume"})").status, 409);  // it is finished
  }

  void aRunThatIsOnlyFollowedIsAskedWhereItTrains() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::RunRecord record = catalogue.record(id);
    catalogue.remove_run(id);
    storage::Origins origins(protocol::catalogue_path());
    const std::vector<storage::RecordPart> parts{{.record = record}};
    origins.take(id, {.host = "cluster", .folder = "/scratch/" + id, .followed = true}, parts);
    const Answer nowhere = control(id, R"({"command":"stop"})");
    QCOMPARE(nowhere.status, 409);
    QVERIFY2(error(nowhere).find("/scratch/") != std::string::npos, error(nowhere).c_str());
    // The command line knows the way; here it says what it was called with.
    testing::write_file(path("there"), "#!/bin/sh\nprintf '{\"result\":{\"words\":\"%s\"}}\\n' \"$*\"\n");
    std::filesystem::permissions(path("there"), std::filesystem::perms::owner_all);
    origins.set_control(id, {"batchscope", "slurm-job"});
    serve({.program = path("there")});
    QCOMPARE(
        control(id, R"({"command":"rescale","replicas":3})").json.at("result").at("words").get<std::string>(),
        "rescale " + id + " 3 --json");
    const Answer by_name = control(id, R"({"command":"rescale","devices":["cpu:0"]})");
    QVERIFY(by_name.status == 409 && error(by_name).find("number of replicas") != std::string::npos);
    testing::write_file(path("there"),
                        "#!/bin/sh\necho '{\"error\":{\"kind\":\"conflict\",\"message\":\"no\"}}'; exit 4\n");
    const Answer refused = control(id, R"({"command":"pause"})");
    QCOMPARE(refused.status, 409);
    QCOMPARE(error(refused), std::string("no"));
  }

  void nonsenseIsRefused_data() {
    testing::rows<QByteArray>(
        "body", {"", "{", "[]", "3", "{}", R"({"command":"status"})", R"({"command":"subscribe"})",
                 R"({"command":"explode"})", R"({"command":"rescale"})",
                 R"({"command":"rescale","replicas":0})", R"({"command":"rescale","replicas":-1})",
                 R"({"command":"rescale","replicas":"many"})", R"({"command":"rescale","auto":"often"})",
                 R"({"command":["pause"]})", "{\"command\":\"pause\xff\"}"});
  }
  void nonsenseIsRefused() {
    QFETCH(QByteArray, body);
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    const Answer answer = control(id, body);
    QCOMPARE(answer.status, 400);
    QVERIFY(!error(answer).empty());
    QVERIFY(supervisor.asked.empty());
  }

  void onlyAPostControls() {
    const std::string id = make_run("one", 4);
    QCOMPARE(get("/api/runs/" + id + "/control").status, 405);
    QCOMPARE(post("/", "{}").status, 405);
    QCOMPARE(control("aaaaaaaa", R"({"command":"pause"})").status, 404);
    QCOMPARE(control("..%2f..", R"({"command":"pause"})").status, 404);
  }

  void whoMayOnlyLookControlsNothing() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    serve({.read_only = true});
    QCOMPARE(control(id, R"({"command":"stop"})").status, 403);
    QVERIFY(supervisor.asked.empty());
    QCOMPARE(get("/api/runs").status, 200);
    QCOMPARE(get("/api/about").json.at("read_only").get<bool>(), true);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestControl)
#include "test_control.moc"
