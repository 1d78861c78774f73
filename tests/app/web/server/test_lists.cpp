// SPDX-License-Identifier: Apache-2.0
//
// Logs, the explorer, the queue and sweeps, as the API answers them.
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/pool.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/sweeps.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestLists : public WebTest {
  Q_OBJECT

  void write_log(const std::string& id, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(protocol::run_paths(id).logs);
    testing::write_file(protocol::run_paths(id).logs / file, text);
  }

 private Q_SLOTS:
  void init() {
    newStore();
    serve();
  }

  void aLogIsReadPieceByPiece() {
    const std::string id = make_run("one", 4);
    std::string whole;
    while (whole.size() < 150'000) whole += "line é € 😀 " + std::to_string(whole.size()) + '\n';
    write_log(id, "g1-r0.log", whole);
    write_log(id, "g0-r0.log", "early\n");
    std::string heard;
    for (std::int64_t from = 0, pieces = 0;; ++pieces) {
      const Json piece = get("/api/runs/" + id + "/log?from=" + std::to_string(from)).json;
      QCOMPARE(piece.at("size").get<std::size_t>(), whole.size());
      if (piece.at("text").get<std::string>().empty()) {
        QCOMPARE(pieces, 3);
        break;
      }
      QVERIFY(piece.at("text").get<std::string>().size() <= 65536);
      heard += piece.at("text").get<std::string>();
      from = piece.at("next");
    }
    QVERIFY(heard == whole);
    const Json early = get("/api/runs/" + id + "/log?generation=0&rank=0").json;
    QCOMPARE(early.at("text").get<std::string>(), std::string("early\n"));
    QCOMPARE(early.at("files").size(), std::size_t(2));
    QCOMPARE(get("/api/runs/" + id + "/log?generation=7").status, 404);
    const Json end = get("/api/runs/" + id + "/log?from=9000000").json;
    QCOMPARE(end.at("text").get<std::string>(), std::string());
    QCOMPARE(text(end.at("next")), text(end.at("size")));
  }

  void aRunWithoutLogsHasNone() {
    const std::string id = make_run("one", 4);
    const Json log = get("/api/runs/" + id + "/log").json;
    QVERIFY(log.at("files").empty() && log.at("text").get<std::string>().empty());
  }

  void noLogLeadsElsewhere() {
    const std::string id = make_run("one", 4);
    write_log(id, "g0-r0.log", "mine\n");
    testing::write_file(path("secret"), "secret");
    std::filesystem::create_symlink(path("secret"), protocol::run_paths(id).logs / "g0-r1.log");
    QVERIFY(!get("/api/runs/" + id + "/log?rank=1&generation=0").all.contains("secret\""));
    for (const char* query : {"rank=../../runs.db", "rank=-1", "generation=0x0", "rank=0%00", "from=-1"})
      QCOMPARE(get("/api/runs/" + id + "/log?" + query).status, 400);
  }

  void theQueueSaysWhenThePoolWasHeard() {
    QVERIFY(get("/api/queue").json.at("heartbeat").is_null());
    const run::StoreLock pool(run::kPool);
    QVERIFY(get("/api/queue").json.at("heartbeat").at("hang").get<std::string>().empty());
    std::filesystem::last_write_time(
        run::kPool.lock_path(), std::filesystem::file_time_type::clock::now() - std::chrono::seconds(75));
    VERIFY_HOLDS(get("/api/queue").json.at("heartbeat").at("hang").get<std::string>(),
                 "has not answered for");
  }

  void aFollowedRunSaysWhenItWasHeardLast() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::RunRecord record = catalogue.record(id);
    record.run.state = protocol::RunState::running;  // it has no supervisor here
    catalogue.remove_run(id);
    const std::vector<storage::RecordPart> parts{{.record = record}};
    storage::Origins(protocol::catalogue_path())
        .take(id, {.host = "cluster", .folder = "/scratch/" + id, .followed = true}, parts);
    const auto heard = [&] { return get("/api/runs/" + id).json.at("run").at("heard"); };
    const auto file = protocol::run_paths(id).root / "heard";
    std::filesystem::create_directories(file.parent_path());
    testing::write_file(file, "");
    QVERIFY(heard().is_null());
    std::filesystem::last_write_time(file,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
    QVERIFY(heard().is_number());
    const Json listed = get("/api/runs").json.at("runs").at(0);
    QVERIFY(listed.at("heard").is_number());
    VERIFY_HOLDS(listed.at("shown").at("state").get<std::string>(), "Last heard ");
  }

  void trialsFoldUnderTheirSweep() {
    make_run("mine", 4);
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::Sweeps sweeps(catalogue);
    storage::Sweep sweep;
    sweep.name = "rates";
    sweep.file =
        "program = \"true\"\nmetric = \"loss\"\ngoal = \"min\"\ntrials = 2\n[parameter.lr]\nmin = 0.1\nmax = "
        "1.0\n";
    sweeps.create(sweep);
    for (std::size_t number = 0; number < 2; ++number) {
      storage::SweepLeg leg;
      leg.trial = number;
      sweeps.begin_leg("rates", number, leg);
      protocol::RunSpec spec;
      spec.name = "rates-" + std::to_string(number);
      spec.program = "/bin/true";
      const std::string id = sweeps.submit("rates", {.trial = number, .leg = number}, spec);
      leg.outcome = storage::SweepLeg::Outcome::value;
      leg.value = 1.0 / static_cast<double>(number + 1);
      sweeps.end_leg("rates", number, leg);
      catalogue.set_state(id, protocol::RunState::paused);
      QVERIFY(catalogue.claim_supervisor(id));  // this process, which lives
    }
    const Json all = get("/api/runs").json, folded = get("/api/runs?fold=1").json;
    QCOMPARE(all.at("runs").size(), std::size_t(3));
    QVERIFY(all.at("runs")[0].at("sweep") == "rates" && all.at("runs")[0].at("fold").is_null());
    QCOMPARE(folded.at("total").get<int>(), 2);
    const Json row = folded.at("runs")[0];
    QVERIFY(row.at("name") == "rates" && row.at("id") == "");
    QCOMPARE(
        text(row.at("fold")),
        std::string(
            R"({"best":{"metric":"loss","trial":1,"value":0.5},"text":"2 trials: 2 wait at rung 0","trials":2})"));
    QCOMPARE(get("/api/runs?fold=1&where=sweep%3Drates").json.at("runs").size(), std::size_t(2));
    const Json queue = get("/api/queue").json;
    QCOMPARE(queue.at("queue").size(), std::size_t(2));
    QCOMPARE(queue.at("rows").size(), std::size_t(1));
    QVERIFY(queue.at("rows")[0].at("text") == "2 wait at rung 0 of rates");
  }

  void withoutAModelTheExplorerSaysWhy() {
    const std::string id = make_run("one", 4);
    const Json answer = get("/api/runs/" + id + "/explorer").json;
    QVERIFY(answer.at("curve").is_null() && !answer.at("why").get<std::string>().empty());
  }

  void theExplorerPredicts() {
    const std::string id = make_run("one", 4);
    protocol::Model model = fitted_model();
    model.accumulation = true;
    model.devices = 4;
    model.residual = 0.05;
    storage::Catalogue catalogue(protocol::catalogue_path());
    catalogue.put_model(id, 1, model);
    storage::Generation restart;
    restart.number = 7;
    restart.replicas = 2;
    restart.predicted_goodput = 12'000;
    restart.predicted_error = 0.2;
    restart.obtained_goodput = 12'600;
    catalogue.put_generation(id, restart);
    const Json answer = get("/api/runs/" + id + "/explorer?efficiency_floor=0.5&replicas=2").json;
    const Json curve = answer.at("curve");
    QCOMPARE(curve.size(), std::size_t(16));
    QCOMPARE(curve[0].at("replicas").get<int>(), 1);
    QCOMPARE(curve[0].at("speedup").get<double>(), 1.0);
    QVERIFY(curve[0].at("reaches_floor").get<bool>());
    for (const Json& point : curve) {
      QVERIFY(point.at("goodput").get<double>() > 0);
      QVERIFY(point.at("goodput").get<double>() <= point.at("throughput").get<double>());
      QVERIFY(point.at("range")[0] < point.at("goodput") && point.at("goodput") < point.at("range")[1]);
      QCOMPARE(point.at("reaches_floor").get<bool>(),
               point.at("speedup").get<double>() >= 0.5 * point.at("replicas").get<double>());
    }
    const Json batches = answer.at("batch_curve");
    QCOMPARE(batches.at("replicas").get<int>(), 2);
    QVERIFY(batches.at("points").size() > 10);
    double most = 0;
    for (const Json& point : batches.at("points")) {
      QVERIFY(point.at("batch_size").get<int>() <= 1024 && point.at("local_batch_size").get<int>() <= 256);
      most = std::max(most, point.at("goodput").get<double>());
    }
    QVERIFY(batches.at("best").at("goodput").get<double>() >= 0.99 * most);
    QCOMPARE(answer.at("bounds").at("max_batch_size").get<int>(), 1024);
    const Json words = answer.at("what_if");
    QCOMPARE(words.size(), curve.size());
    VERIFY_HOLDS(words[7].at("text").get<std::string>(), "Predicted goodput ≈");
    QVERIFY(words[7].at("bounds") == "batch size up to 1,024");
    VERIFY_HOLDS(words[7].at("caution").get<std::string>(), "8 replicas share 4 devices");
    const Json told = answer.at("predictions").at("restarts").back();
    QCOMPARE(told.at("generation").get<int>(), 7);
    QVERIFY(told.at("held").get<bool>());
    QCOMPARE(
        told.at("shown").dump(),
        std::string(
            R"({"change":"+5 %","expected":"10,000 to 14,400","obtained":"12,600","predicted":"12,000"})"));
    QCOMPARE(get("/api/runs/" + id + "/explorer?replicas=0").status, 400);
    QVERIFY(get("/api/runs/" + id).json.at("goodput").at("measured").is_null());
  }

  void theQueueIsToldWithItsDevices() {
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = "waiting";
    spec.program = "/bin/true";
    const std::string id = catalogue.submit_run(spec, {.held = true});
    const Json queue = get("/api/queue").json;
    QCOMPARE(queue.at("queue")[0].at("run").get<std::string>(), id);
    QCOMPARE(queue.at("queue")[0].at("state").get<std::string>(), std::string("held"));
    VERIFY_HOLDS(queue.at("queue")[0].at("shown").at("why").get<std::string>(), "release it");
    QVERIFY(!queue.at("devices").empty() && queue.at("leases").empty());
    QCOMPARE(queue.at("pool").at("policy").get<std::string>(), std::string("fair"));
    QVERIFY(queue.at("pool").at("usual")[0].at("name") == "fair" &&
            queue.at("pool").at("usual")[0].at("title") == "Fair");
    QCOMPARE(get("/api/runs/" + id).json.at("job").at("held").get<bool>(), true);
    const Answer refused = post("/api/runs/" + id + "/control", R"({"command":"pause"})");
    QCOMPARE(refused.status, 409);
    QVERIFY(refused.all.contains("has not begun"));
  }

  void sweepsAreToldWithTheirTrials() {
    storage::Catalogue catalogue(protocol::catalogue_path());
    storage::Sweep sweep;
    sweep.name = "my-sweep";
    sweep.file = R"(name = "my-sweep"
program = "/bin/true"
metric = "loss"
goal = "min"
trials = 4
method = "random"
[stop]
kind = "asha"
min = 400
max = 3600
eta = 3
[parameter.lr]
min = 1e-3
max = 0.3
scale = "log"
[parameter.optimizer]
values = ["sgd", "adam"]
)";
    storage::Sweeps sweeps(catalogue);
    sweeps.create(sweep);
    sweeps.begin_leg("my-sweep", 0, {.trial = 0, .parameters = {{"lr", "0.01"}, {"optimizer", "sgd"}}});
    sweeps.end_leg("my-sweep", 0,
                   {.outcome = storage::SweepLeg::Outcome::value, .value = 0.25, .at_end = true});
    const Json list = get("/api/sweeps").json.at("sweeps");
    QCOMPARE(list[0].at("name").get<std::string>(), std::string("my-sweep"));
    QCOMPARE(list[0].at("best").at("value").get<double>(), 0.25);
    const Json one = get("/api/sweeps/my-sweep").json;
    QCOMPARE(list[0].at("shown").at("best").get<std::string>(), std::string("0.2500"));
    QCOMPARE(one.at("sweep").at("shown").at("state").get<std::string>(), std::string("Interrupted"));
    VERIFY_HOLDS(one.at("trials")[0].at("shown").at("text").get<std::string>(), "Trial 0");
    QCOMPARE(one.at("trials")[0].at("parameters").at("lr").get<std::string>(), std::string("0.01"));
    QCOMPARE(one.at("parameters").size(), std::size_t(2));
    QCOMPARE(one.at("importance").size(), std::size_t(2));
    QCOMPARE(one.at("stop").at("kind").get<std::string>(), std::string("asha"));
    QCOMPARE(text(one.at("stop").at("rungs")), std::string("[400.0,1200.0]"));
    QCOMPARE(
        text(one.at("parameters")[0]),
        std::string(
            R"({"integer":false,"kind":"number","max":0.3,"min":0.001,"name":"lr","scale":"log","values":null})"));
    QCOMPARE(get("/api/sweeps/other").status, 404);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestLists)
#include "test_lists.moc"
