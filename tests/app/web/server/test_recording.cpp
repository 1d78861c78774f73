// SPDX-License-Identifier: Apache-2.0
//
// The page with a run's data as one file: that it holds the server's own answers, bounded and inert, and
// nothing of the machine.
#include <QCryptographicHash>
#include <random>

#include "batchscope/web/recording.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestRecording : public WebTest {
  Q_OBJECT

  std::string id;

  std::string html() const { return recording_of(id, path("page")); }

  static std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    if (from == std::string::npos) return {};
    const std::size_t at = from + begin.size();
    return text.substr(at, text.find(end, at) - at);
  }
  // Returns the answers that the page reads of the file.
  static Json answers(const std::string& html) {
    const std::string block =
        between(html, "<script id=\"recording\" type=\"application/zlib\">", "</script>");
    const QByteArray size(4, '\0');  // qUncompress takes it for a hint
    const QByteArray packed = QByteArray::fromBase64(QByteArray::fromStdString(block));
    return Json::parse(qUncompress(size + packed).toStdString(), nullptr, false);
  }
  static int times(const std::string& part, const std::string& text) {
    return static_cast<int>(QByteArray::fromStdString(text).count(QByteArray::fromStdString(part)));
  }
  static std::string hashOf(const std::string& text) {
    return QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256)
        .toBase64()
        .toStdString();
  }
  // The samples of a series, as the page puts them together.
  static Json samples(const Json& all, const std::string& axis, const std::string& series) {
    Json lines = all.at("samples").at(axis).at("series").at(series);
    for (Json& line : lines)
      for (const char* part : {"x0", "x1", "min", "max", "mean", "count"})
        line[part] = all.at("columns").at(line.at(part).get<std::size_t>());
    return lines;
  }

 private Q_SLOTS:
  void init() {
    newStore();
    std::filesystem::copy_file(PAGE_INDEX, path("page/index.html"),
                               std::filesystem::copy_options::overwrite_existing);
    testing::write_file(path("page/page.css"), "body { color: red }");
    testing::write_file(path("page/icon.svg"), "<svg></svg>");
    id = make_run("mine", 40);
  }

  void theAnswersAreTheServers() {
    serve();
    const Json all = answers(html());
    const Json run = get("/api/runs/" + id).json;
    for (const char* part :
         {"generations", "epochs", "events", "charts", "series", "clock", "hyperparameters"})
      QCOMPARE(text(all.at("run").at(part)), text(run.at(part)));
    for (const char* field : {"name", "state", "shown", "latest", "step"})
      QCOMPARE(text(all.at("run").at("run").at(field)), text(run.at("run").at(field)));
    QCOMPARE(text(all.at("explorer")), text(get("/api/runs/" + id + "/explorer").json));
    QVERIFY(all.at("about").at("read_only") == true && all.at("about").at("run") == id);
    QVERIFY(all.at("about").at("recording").at("whole") == true);
    keep("GET /api/about HTTP/1.1\r\n\r\n", all.at("about"));
    keep("GET /api/runs/" + QByteArray::fromStdString(id) + " HTTP/1.1\r\n\r\n", all.at("run"));

    const Json asked =
        get("/api/runs/" + id + "/samples?x=time&series=loss,progress&columns=4000").json.at("series");
    for (const std::string series : {"loss", "progress"}) {
      const Json recorded = samples(all, "time", series);
      QCOMPARE(recorded.size(), asked.at(series).size());
      for (std::size_t i = 0; i < recorded.size(); ++i)
        for (const char* part : {"x0", "x1", "min", "max", "mean", "count"}) {
          const Json& numbers = asked.at(series).at(i).at(part);
          QCOMPARE(recorded.at(i).at(part).size(), numbers.size());
          for (std::size_t at = 0; at < numbers.size(); ++at)
            QVERIFY(qFuzzyCompare(1 + recorded.at(i).at(part).at(at).get<float>(),
                                  1 + numbers.at(at).get<float>()));
        }
    }
  }

  void computedSeriesAreInIt() {
    storage::SampleWriter(protocol::run_paths(id).samples)
        .append(0, "scale", 1, std::vector<double>{1, 4, 9});
    const Json all = answers(html());
    for (const char* axis : {"step", "time", "progress"})
      QCOMPARE(text(samples(all, axis, "factor:sqrt").at(0).at("mean")), std::string("[1,2,3]"));
  }

  void eachNumberOfReplicasHasItsCurve() {
    protocol::Model model;
    model.perf = {0.01, 0.001, 0, 0, 0, 0, 1};
    model.grad_sqr = 1;
    model.grad_var = 2;
    model.init_batch_size = 64;
    model.max_batch_size = 1024;
    model.accumulation = true;
    model.step = 40;
    storage::Catalogue(protocol::catalogue_path()).put_model(id, 1, model);
    serve();
    const Json all = answers(html());
    for (const Json& point : all.at("explorer").at("curve")) {
      const std::string replicas = std::to_string(point.at("replicas").get<int>());
      QCOMPARE(text(all.at("batch_curves").at(replicas)),
               text(get("/api/runs/" + id + "/explorer?replicas=" + replicas).json.at("batch_curve")));
    }
    QVERIFY(all.at("explorer").at("curve").size() >= 16);
  }

  void noTextOfARunIsHtml() {
    const std::string attack = "</script><script>attacked=1</script><!--<img src=x onerror=attacked>]]>";
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = spec.group = attack;
    id = catalogue.create_run(spec);
    catalogue.set_note(id, attack + "\xff");
    catalogue.add_event(id, 0, 1, "info", attack);
    catalogue.put_hyperparameters(id, {{attack, attack}});
    catalogue.set_state(id, protocol::RunState::failed, attack);
    storage::SampleWriter(protocol::run_paths(id).samples).append(0, attack, 1, 1);

    const std::string file = html();
    QVERIFY2(!QByteArray::fromStdString(file).contains("attacked"), file.c_str());
    QCOMPARE(times("<script", file), 2);
    QCOMPARE(times("</script", file), 2);
    QCOMPARE(times("<!--", file), 0);
    const Json run = answers(file).at("run");
    QCOMPARE(run.at("run").at("name").get<std::string>(), attack);
    QCOMPARE(run.at("events").at(0).at("text").get<std::string>(), attack);
    QCOMPARE(run.at("hyperparameters").at(attack).get<std::string>(), attack);
    QCOMPARE(run.at("series").at(0).at("name").get<std::string>(), attack);
  }

  void noScriptButItsOwnAndNoNetwork() {
    const std::string file = html();
    const std::string policy =
        between(file, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\">");
    QCOMPARE(policy, "default-src 'none'; script-src 'sha256-" + hashOf("'use strict'") +
                         "'; style-src 'sha256-" + hashOf("body { color: red }") +
                         "'; img-src data:; base-uri 'none'; form-action 'none'");
    QVERIFY(file.find(policy) < file.find("<style") && file.find(policy) < file.find("<script"));
    QCOMPARE(between(file, "<script type=\"module\">", "</script>"), std::string("'use strict'"));
    QCOMPARE(between(file, "<style>", "</style>"), std::string("body { color: red }"));
    for (const char* other : {"src=\"", "href=\"/", "http:", "https:"}) QCOMPARE(times(other, file), 0);
  }

  void nothingOfTheMachineIsInIt() {
    storage::Catalogue catalogue(protocol::catalogue_path());
    protocol::RunSpec spec;
    spec.name = "plain";
    spec.program = path("bin/trainer");
    spec.arguments = {"--data", path("private")};
    spec.environment = {{"API_KEY", "tell-nobody"}};
    spec.working_directory = path("work");
    id = catalogue.create_run(spec);
    catalogue.put_generation(id, {0, 1, "start", kBegin, 0, 1, 4, "", -1, {}, ""});
    protocol::make_run_directories(protocol::run_paths(id));
    testing::write_file(protocol::run_paths(id).environment, R"({"HOSTNAME":"tell-nobody"})");
    testing::write_file(protocol::run_paths(id).log_file(0, 0), "tell-nobody");
    serve();
    VERIFY_HOLDS(text(get("/api/runs/" + id).json), "tell-nobody", home->path().toStdString());

    const std::string all = text(answers(html()));
    for (const std::string& secret :
         {std::string("tell-nobody"), std::string("API_KEY"), home->path().toStdString(), server->token(),
          std::string("trainer"), std::string("\"/")})
      QVERIFY2(all.find(secret) == std::string::npos, secret.c_str());
    const Json about = answers(html()).at("about");
    QVERIFY(about.at("host") == "" && about.at("store") == "" && about.at("token").is_null());
  }

  // Each series has values of its own, so that none shares its columns with another.
  void aRunOfManySamplesIsThinned() {
    constexpr int kSeries = 120, kSteps = 8000;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> between0and1;
    {
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      for (int series = 0; series < kSeries; ++series) {
        std::vector<double> values(kSteps);
        for (double& value : values) value = between0and1(random);
        writer.append(1, "own" + std::to_string(series), 41, values);
      }
    }
    const std::string file = html();
    QVERIFY2(file.size() < 5'000'000, std::to_string(file.size()).c_str());
    const Json all = answers(file), recording = all.at("about").at("recording");
    QVERIFY(recording.at("whole") == false);
    const auto columns = recording.at("columns").get<std::size_t>();
    QVERIFY(columns < 4000);
    std::size_t count = 0;
    for (const Json& line : samples(all, "step", "own7")) {
      QVERIFY(line.at("count").size() <= columns);
      for (const Json& each : line.at("count")) count += each.get<std::size_t>();
    }
    QCOMPARE(count, std::size_t(kSteps));
  }

  void whatCannotBeRecordedIsSaid() {
    VERIFY_THROWS("not_found", "there is no run", recording_of("aaaaaaaa", path("page")));
    VERIFY_THROWS("not_found", "the page was not built", recording_of(id, path("nowhere")));
    testing::write_file(path("page/index.html"), "<!doctype html><title>page</title>");
    VERIFY_THROWS("version", "another version", recording_of(id, path("page")));
  }

  void aRunWithoutSamplesIsRecorded() {
    id = make_run("empty");
    const Json all = answers(html());
    QVERIFY(all.at("samples").at("step").at("range").is_null());
    QCOMPARE(all.at("run").at("series").size(), std::size_t(0));
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestRecording)
#include "test_recording.moc"
