// SPDX-License-Identifier: Apache-2.0
//
// The API's answers about a store.
#include <map>

#include "batchscope/protocol/series.h"
#include "fake_supervisor.h"
#include "rows.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestApi : public WebTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newStore();
    serve();
  }

  void itSaysWhoItIs() {
    const Json about = get("/api/about").json;
    QCOMPARE(about.at("store").get<std::string>(), path("runs.db"));
    QCOMPARE(about.at("read_only").get<bool>(), false);
    QVERIFY(!about.at("devices").empty() && about.at("now").get<double>() > kBegin);
  }

  void thePageIsOneFileForEachOfItsAddresses() {
    for (const char* address : {"/", "/run/3f9a12bc", "/run/3f9a12bc/log", "/compare?runs=a,b", "/queue",
                                "/sweeps", "/sweeps/my", "/trash"})
      QVERIFY(get(address).all.contains("<title>page"));
    const Answer script = get("/page.js");
    QVERIFY(script.all.contains("Content-Type: text/javascript"));
    const QByteArray tag = script.all.mid(script.all.indexOf("ETag: ") + 6).split('\r').front();
    QCOMPARE(send(head("GET", "/page.js") + "If-None-Match: " + tag + "\r\n\r\n").status, 304);
    QCOMPARE(get("/other.js").status, 404);
  }

  void withoutAPageItSaysWhatToDo() {
    std::filesystem::remove_all(path("page"));
    serve();
    const Answer answer = get("/");
    QCOMPARE(answer.status, 404);
    QVERIFY(answer.json.at("error").get<std::string>().find("./dev build") != std::string::npos);
    QCOMPARE(get("/api/runs").status, 200);
  }

  void everyAnswerHasItsHeads() {
    for (const char* target : {"/", "/api/runs", "/api/none", "/page.js"}) {
      const QByteArray all = get(target).all;
      for (const char* field : {"Content-Security-Policy: default-src 'none'; script-src 'self'", "nosniff",
                                "Referrer-Policy: no-referrer", "X-Frame-Options: DENY"})
        QVERIFY2(all.contains(field), all);
    }
    QVERIFY(get("/api/runs").all.contains("Cache-Control: no-store"));
  }

  void runsAreListedInPages() {
    for (int i = 0; i < 7; ++i) make_run("run-" + std::to_string(i));
    const Json first = get("/api/runs?sort=name&limit=3").json,
               second = get("/api/runs?sort=name&limit=3&offset=6").json;
    QCOMPARE(first.at("total").get<int>(), 7);
    QCOMPARE(first.at("runs").size(), std::size_t(3));
    QCOMPARE(first.at("runs")[2].at("name").get<std::string>(), std::string("run-2"));
    QCOMPARE(second.at("runs").size(), std::size_t(1));
    QCOMPARE(second.at("runs")[0].at("name").get<std::string>(), std::string("run-6"));
    QVERIFY(first.at("runs")[0].at("live").is_null());
    QCOMPARE(get("/api/runs?sort=-name&limit=1").json.at("runs")[0].at("name").get<std::string>(),
             std::string("run-6"));
  }

  void runsAreFilteredAsByLs() {
    make_run("one", 2);
    make_run("two", 8);
    QCOMPARE(get("/api/runs?where=step%3E4+and+name%3Dtwo").json.at("total").get<int>(), 1);
    const Answer fault = get("/api/runs?where=stp%3E4");
    QCOMPARE(fault.status, 400);
    QVERIFY(fault.json.at("error").get<std::string>().find("step") != std::string::npos);  // did you mean
    QCOMPARE(get("/api/runs?where=step%3E").status, 400);
    QCOMPARE(get("/api/runs?sort=nothing").status, 400);
    QCOMPARE(get("/api/runs?limit=many").status, 400);
    QCOMPARE(get("/api/runs?limit=1001").status, 400);
  }

  void aRunIsToldWhole() {
    const std::string id = make_run("one", 10);
    const Json run = get("/api/runs/" + id).json;
    QCOMPARE(run.at("run").at("name").get<std::string>(), std::string("one"));
    QCOMPARE(run.at("generations").size(), std::size_t(2));
    QVERIFY(run.at("generations")[0].at("shown").at("parts") == "");
    QCOMPARE(run.at("clock").get<double>(), kBegin);
    QVERIFY(run.at("status").is_null() && run.at("job").is_null() && run.at("goodput").is_null());
    const Json series = run.at("series");
    QCOMPARE(series.size(), std::size_t(3));
    QCOMPARE(text(series[0]),
             std::string(R"({"count":10,"factor":1.0,"kind":"number","name":"loss","unit":""})"));
    QCOMPARE(series[2].at("kind").get<std::string>(), std::string("time"));
    QCOMPARE(run.at("charts")[0].at("name").get<std::string>(), std::string("gain"));
  }

  // A run that trains, with all that a run may have, so that web.types sees it.
  void aRunIsToldWithAllThatItHas() {
    const std::string id = make_run("whole", 100, protocol::RunState::running);
    storage::Catalogue catalogue(protocol::catalogue_path());
    catalogue.put_generation(id, {0, 1, "start", kBegin, kBegin + 50, 1, 50, "", -1, {}, "checkpointed"});
    storage::Generation restart{
        1, 2, "rescale", kBegin + 50, 0, 51, 100, "checkpoint-000001", 0.3, {{"launch", 0.2}}, ""};
    restart.predicted_goodput = 120;
    restart.predicted_error = 0.2;
    restart.obtained_goodput = 126;
    catalogue.put_generation(id, restart);
    catalogue.put_epoch(id, {0, 0, kBegin, kBegin + 50, 1, 50});
    catalogue.put_epoch(id, {1, 1, kBegin + 50, 0, 51, 0});
    catalogue.put_checkpoint(id, {"checkpoint-000001", 0, 50, 1, 100, kBegin + 50, 0.1, 4096, "rescale"});
    catalogue.add_event(id, 1, 60, "warning", "something happened");
    catalogue.put_hyperparameters(id, {{"lr", "0.1"}});
    catalogue.set_tags(id, {"paper"});
    const auto take = [&](const char* device) {
      catalogue.lease_devices(id, [=](const auto&, const auto&) { return std::vector<std::string>{device}; });
    };
    take("cpu:0");
    take("cpu:1");
    protocol::Model model = fitted_model();
    catalogue.put_model(id, 1, model);
    {
      namespace series = protocol::series;
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      for (int step = 1; step <= 100; ++step) {
        const int generation = step <= 50 ? 0 : 1;
        for (const auto& [name, value] : std::map<const char*, double>{{series::kBatchSize, 64},
                                                                       {series::kLocalBatchSize, 32},
                                                                       {series::kAccumulation, 0},
                                                                       {series::kReplicas, generation + 1},
                                                                       {series::kLearningRate, 0.1},
                                                                       {series::kGain, 1.5},
                                                                       {series::kScale, 2},
                                                                       {series::kNoiseScale, 50},
                                                                       {series::kStepTime, 0.5},
                                                                       {series::kSyncTime, 0.1},
                                                                       {series::kThroughput, 128},
                                                                       {series::kEfficiency, 0.8},
                                                                       {series::kGoodput, 100}})
          writer.append(generation, name, step, value);
      }
    }
    FakeSupervisor supervisor(id);
    supervisor.status.state = protocol::RunState::restarting;
    supervisor.status.generation = 1;
    supervisor.status.phase = "launch";
    supervisor.status.latest = {{"loss", 0.5}};
    supervisor.status.devices = {"cpu:1"};
    QTRY_VERIFY(get("/api/runs").json.at("runs")[0].at("live").is_object());
    const Json whole = get("/api/runs/" + id).json;
    for (const char* part : {"epochs", "checkpoints", "events", "hyperparameters", "generations"})
      QVERIFY2(!whole.at(part).empty(), part);
    QVERIFY(!whole.at("goodput").is_null() && !whole.at("last_restart").is_null());
    QCOMPARE(get("/api/runs/" + id + "/explorer?replicas=2").status, 200);
    QCOMPARE(get("/api/runs/" + id + "/scaling").status, 200);
    storage::Job waiting =
        *catalogue.job(catalogue.submit_run(catalogue.run(id)->spec, {.priority = 1, .after = id}));
    waiting.target = {"cpu:1"};
    waiting.expected_end = kBegin + 100;
    catalogue.put_job_decision(waiting);
    QCOMPARE(get("/api/queue").json.at("leases").size(), std::size_t(2));
  }

  void whatIsNotThereIsNotFound_data() {
    testing::rows<QByteArray>(
        "target", {"/api", "/api/", "/api/none", "/api/runs/aaaaaaaa", "/api/runs/aaaaaaaa/samples",
                   "/api/runs/..", "/api/runs/%2e%2e%2fruns.db", "/api/runs/x%00y", "/api/runs/aaaaaaaa/none",
                   "/api/runs/aaaaaaaa/samples/more"});
  }
  void whatIsNotThereIsNotFound() {
    QFETCH(QByteArray, target);
    const Answer answer = get(target.toStdString());
    QCOMPARE(answer.status, 404);
    QVERIFY(answer.json.contains("error"));
  }

  void aRunInTheTrashIsNotThere() {
    const std::string id = make_run("one");
    storage::Catalogue(protocol::catalogue_path()).move_to_trash(id);
    QCOMPARE(get("/api/runs/" + id).status, 404);
  }

  void namesAreDataAndNothingElse() {
    const std::string name = "<script>alert(1)</script>\"'&";
    make_run(name);
    const Answer answer = get("/api/runs");
    QVERIFY(answer.all.contains("Content-Type: application/json"));
    QCOMPARE(answer.json.at("runs")[0].at("name").get<std::string>(), name);
  }

  void samplesComeInBucketsOfEachGeneration() {
    const std::string id = make_run("one", 100);
    const Json answer = get("/api/runs/" + id + "/samples?series=loss&columns=20").json;
    QCOMPARE(text(answer.at("range")), text(Json{1.0, 100.0}));
    const Json lines = answer.at("series").at("loss");
    QCOMPARE(lines.size(), std::size_t(2));
    int samples = 0;
    std::size_t buckets = 0;
    for (const Json& line : lines) {
      for (const Json& count : line.at("count")) samples += count.get<int>();
      buckets += line.at("x0").size();
      for (const char* part : {"x1", "min", "max", "mean", "count"})
        QCOMPARE(line.at(part).size(), line.at("x0").size());
    }
    QCOMPARE(samples, 100);
    QVERIFY2(buckets > 4 && buckets <= 20, QByteArray::number(buckets));
    QCOMPARE(lines[0].at("generation").get<int>(), 0);
    QCOMPARE(lines[0].at("max")[0].get<double>(), 1.0);       // the first step's
    QCOMPARE(lines[1].at("min").back().get<double>(), 0.01);  // the last one's
    QCOMPARE(lines[1].at("x1").back().get<double>(), 100.0);
  }

  void samplesAreCutToWhatIsLookedAt() {
    const std::string id = make_run("one", 100);
    const Json answer = get("/api/runs/" + id + "/samples?series=loss,step&columns=400&from=40&to=60").json;
    QCOMPARE(text(answer.at("range")), text(Json{1.0, 100.0}));
    const Json lines = answer.at("series").at("loss");
    QCOMPARE(text(lines[0].at("x0")),
             text(Json{40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0}));
    QCOMPARE(lines[1].at("x1").back().get<double>(), 60.0);
    QCOMPARE(text(answer.at("series").at("step")[0].at("max")), text(lines[0].at("x0")));
  }

  // A computed series is asked for as a recorded one is: single samples exactly, where all inputs have one.
  void seriesAreComputedAsIfTheyWereRecorded() {
    const std::string id = make_run("one", 6);
    {
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      writer.append(0, "step_time", 1, std::vector<double>{0.5, 0.75, 1});
      writer.append(0, "sync_time", 2, std::vector<double>{0.25, 0.5});
      writer.append(1, "grad_var", 4, std::vector<double>{2, 6, 1});
      writer.append(1, "grad_sqr", 4, std::vector<double>{1, 2, 1});
      writer.append(1, "scale", 4, std::vector<double>{2, 4, 1});
    }
    const Json run = get("/api/runs/" + id).json;
    const Json& rules = *std::find_if(run.at("series").begin(), run.at("series").end(),
                                      [](const Json& each) { return each.at("name") == "factor:adascale"; });
    QCOMPARE(text(rules.at("inputs")), std::string(R"(["grad_var","grad_sqr","scale"])"));
    for (const Json& each : run.at("series")) QVERIFY(each.at("name") != "lr/lr_factor");

    const Json series =
        get("/api/runs/" + id + "/samples?series=step_time-sync_time,factor%3Aadascale,lr%2Flr_factor&x=time")
            .json.at("series");
    const Json compute = series.at("step_time-sync_time")[0];
    QCOMPARE(text(compute.at("x0")), text(Json{2.0, 3.0}));
    QCOMPARE(text(compute.at("mean")), text(Json{0.5, 0.5}));
    const Json factor = series.at("factor:adascale")[0];
    QCOMPARE(factor.at("generation").get<int>(), 1);
    QCOMPARE(text(factor.at("mean")), text(Json{1.5, 16.0 / 7, 1.0}));  // (var + sqr) / (var / S + sqr)
    QVERIFY(series.at("lr/lr_factor").empty());
  }

  // The means of a bucket of many samples are taken, as the window does.
  void seriesAreComputedInColumns() {
    const std::string id = make_run("one", 4000);
    {
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      writer.append(0, "scale", 1, std::vector<double>(2000, 4));
    }
    const Json line = get("/api/runs/" + id + "/samples?series=factor%3Asqrt&columns=20")
                          .json.at("series")
                          .at("factor:sqrt")[0];
    int samples = 0;
    for (const Json& count : line.at("count")) samples += count.get<int>();
    QCOMPARE(samples, 2000);
    QVERIFY(line.at("mean").size() <= 20);
    for (const char* part : {"min", "mean", "max"})
      for (const Json& value : line.at(part)) QCOMPARE(value.get<double>(), 2.0);
  }

  // On a logarithmic axis the first steps lie wide apart: they come one by one, and no others fewer for it.
  void aLogarithmicAxisHasItsFirstStepsOneByOne() {
    const std::string id = make_run("one", 60'000);
    const auto ask = [&](const std::string& more) {
      return get("/api/runs/" + id + "/samples?columns=200&series=loss" + more).json;
    };
    const Json linear = ask("").at("series").at("loss"), both = ask("&log=loss").at("series").at("loss");
    QVERIFY(linear[0].at("count")[0].get<int>() > 100);
    int samples = 0;
    std::size_t buckets = 0;
    for (std::size_t line = 0; line < 2; ++line) {
      for (const Json& count : both[line].at("count")) samples += count.get<int>();
      buckets += both[line].at("x0").size();
    }
    QCOMPARE(samples, 60'000);
    QVERIFY2(buckets <= 500, QByteArray::number(buckets));
    for (std::size_t i = 0; i < 12; ++i)
      QCOMPARE(both[0].at("x0")[i].get<double>(), static_cast<double>(i + 1));
    QVERIFY(both[1].at("count").back().get<int>() <= linear[1].at("count").back().get<int>());
    QCOMPARE(text(ask("&log=loss&from=50&to=60").at("series").at("loss")[0].at("x1").back()),
             std::string("60.0"));
  }

  void aLogarithmicAxisBeginsAboveZero() {
    const std::string id = make_run("one", 10);
    {
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      writer.append(0, "time", 0, kBegin);
      writer.append(0, "loss", 0, 1);
    }
    const Json time = get("/api/runs/" + id + "/samples?series=loss&x=time&log=loss").json;
    QCOMPARE(time.at("range")[0].get<double>(), 0.0);
    QCOMPARE(time.at("above_zero").get<double>(), 1.0);
    QCOMPARE(time.at("series").at("loss")[0].at("x0")[0].get<double>(), 0.0);
    QVERIFY(get("/api/runs/" + make_run("empty") + "/samples?series=loss").json.at("above_zero").is_null());
  }

  void axesAreThoseOfTheRun() {
    const std::string id = make_run("one", 100);
    const Json time = get("/api/runs/" + id + "/samples?series=loss&columns=400&x=time&from=10&to=12").json;
    QCOMPARE(text(time.at("range")), text(Json{1.0, 100.0}));  // s of the run's clock: a step a second
    QCOMPARE(text(time.at("series").at("loss")[0].at("x0")), text(Json{10.0, 11.0, 12.0}));
    const Json progress = get("/api/runs/" + id + "/samples?series=loss&x=progress").json;
    QCOMPARE(text(progress.at("range")), text(Json{2.0, 200.0}));
    QCOMPARE(get("/api/runs/" + id + "/samples?x=hours").status, 400);
  }

  void whatIsNotFiniteHasItsNames() {
    const std::string id = make_run("one", 2);
    {
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      writer.append(1, "strange", 1, NAN);
      writer.append(1, "strange", 2, -INFINITY);
    }
    const Json line = get("/api/runs/" + id + "/samples?series=strange").json.at("series").at("strange")[0];
    QCOMPARE(line.at("min")[0].get<std::string>(), std::string("nan"));
    QVERIFY(get("/api/runs/" + id + "/samples?series=none").json.at("series").at("none").empty());
  }

  void aRunWithoutSamplesHasNone() {
    const std::string id = make_run("one");
    const Json answer = get("/api/runs/" + id + "/samples?series=loss").json;
    QVERIFY(answer.at("range").is_null() && answer.at("series").at("loss").empty());
  }

  void boundsOfAQuestionAreSaid_data() {
    testing::rows<QByteArray>("query",
                              {"columns=0", "columns=4001", "columns=x", "from=nan", "to=inf", "from=1e999"});
  }
  void boundsOfAQuestionAreSaid() {
    QFETCH(QByteArray, query);
    const std::string id = make_run("one", 4);
    QCOMPARE(get("/api/runs/" + id + "/samples?series=loss&" + query.toStdString()).status, 400);
  }

  void theTokenStaysWithTheStore() {
    const std::string token = server->token();
    QCOMPARE(std::filesystem::status(path("serve.token")).permissions(),
             std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    serve();
    QCOMPARE(server->token(), token);
    std::filesystem::permissions(path("serve.token"), std::filesystem::perms::group_read,
                                 std::filesystem::perm_options::add);
    serve();  // others may have read it
    QVERIFY(server->token() != token);
    const std::string second = server->token();
    serve({.new_token = true});
    QVERIFY(server->token() != second);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestApi)
#include "test_api.moc"
