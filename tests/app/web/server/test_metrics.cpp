// SPDX-License-Identifier: Apache-2.0
//
// Metrics for Prometheus: the text itself, what it says of a store, and who may ask for it.
#include <QRegularExpression>
#include <QSet>

#include "metrics/metrics_text.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestMetrics : public WebTest {
  Q_OBJECT

  // One of everything, so that each family has a sample.
  static Metrics full() {
    Metrics metrics;
    metrics.version = "1.2.3";
    metrics.runs = {{"running", 1}, {"finished", 41}};
    metrics.live = {{"k3v90abc",
                     "digits",
                     2,
                     2,
                     801,
                     0.25,
                     3,
                     2,
                     1.5,
                     {{"batch_size", 64},
                      {"throughput", 2000},
                      {"goodput", 1800.5},
                      {"efficiency", 0.9},
                      {"gain", 1.75},
                      {"progress", 930}}}};
    metrics.jobs = {{"pending", 1}};
    metrics.waits = {{"x3v90abc", "later", 12.5}};
    metrics.submitted = 7;
    metrics.completed = {{"succeeded", {2, 90.5}}};
    metrics.devices = {{"cpu", 4}};
    metrics.devices_in_use = {{"cpu", 2}};
    return metrics;
  }

  static QStringList lines(const std::string& text) {
    return QString::fromStdString(text).split('\n', Qt::SkipEmptyParts);
  }
  // The names before the labels.
  static QSet<QString> names(const std::string& text) {
    QSet<QString> found;
    for (const QString& line : lines(text))
      if (!line.startsWith('#')) found << line.section(QRegularExpression("[{ ]"), 0, 0);
    return found;
  }
  static QSet<QString> names_in(const std::string& file) {
    const QString text = QString::fromStdString(testing::contents(file));
    QSet<QString> found;
    static const QRegularExpression name("\\bbatchscope_[a-z_]+");
    for (auto match = name.globalMatch(text); match.hasNext();) found << match.next().captured();
    return found;
  }
  static QByteArray listed(const QSet<QString>& names) {
    return QStringList(names.values()).join(", ").toUtf8();
  }

  std::string scraped() const { return testing::body(get("/metrics").all).toStdString(); }

  // A run that this process supervises, as a supervisor would write it.
  std::string make_live_run(const std::string& name, protocol::RunState state) const {
    const std::string id = make_run(name, 4, protocol::RunState::starting);
    storage::Catalogue catalogue(protocol::catalogue_path());
    if (!catalogue.claim_supervisor(id)) qFatal("the run has a supervisor");
    catalogue.lease_devices(id, [](const auto&, const auto&) {
      return std::vector<std::string>{"cpu:0", "cuda:1"};
    });
    catalogue.set_progress(id, 4, 1, 2, 0.5, {{"goodput", 1800.5}, {"gain", 1.75}, {"batch_size", 64}});
    catalogue.set_state(id, state);
    return id;
  }
  static std::string submit(const std::string& name) {
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/bin/true";
    return storage::Catalogue(protocol::catalogue_path()).submit_run(spec, {.held = true});
  }

 private Q_SLOTS:
  void init() { newStore(); }

  void aRunIsTold() {
    VERIFY_HOLDS(
        metrics_text(full(), MetricsFormat::openmetrics),
        "# HELP batchscope_run_goodput_samples_per_second Throughput times statistical efficiency; only "
        "while the run trains.\n"
        "# TYPE batchscope_run_goodput_samples_per_second gauge\n"
        "# UNIT batchscope_run_goodput_samples_per_second samples_per_second\n"
        "batchscope_run_goodput_samples_per_second{run=\"k3v90abc\",name=\"digits\"} 1800.5\n",
        "# TYPE batchscope_run_restarts counter\n"
        "batchscope_run_restarts_total{run=\"k3v90abc\",name=\"digits\"} 3\n",
        "# TYPE batchscope_run_restart_pause_seconds summary\n"
        "# UNIT batchscope_run_restart_pause_seconds seconds\n"
        "batchscope_run_restart_pause_seconds_count{run=\"k3v90abc\",name=\"digits\"} 2\n"
        "batchscope_run_restart_pause_seconds_sum{run=\"k3v90abc\",name=\"digits\"} 1.5\n",
        "batchscope_runs{state=\"finished\"} 41\n", "batchscope_jobs_submitted_total 7\n",
        "batchscope_build_info{version=\"1.2.3\"} 1\n");
  }

  void aFamilyIsDescribedBeforeItsSamples_data() {
    QTest::addColumn<bool>("isOpen");
    QTest::newRow("OpenMetrics") << true;
    QTest::newRow("0.0.4") << false;
  }
  void aFamilyIsDescribedBeforeItsSamples() {
    QFETCH(bool, isOpen);
    const std::string text =
        metrics_text(full(), isOpen ? MetricsFormat::openmetrics : MetricsFormat::prometheus);
    QSet<QString> families;
    QString family, type;
    bool isHelped = false;
    for (const QString& line : lines(text)) {
      const QStringList words = line.split(' ');
      if (line == "# EOF") {
        QVERIFY(isOpen && text.ends_with("# EOF\n"));
      } else if (line.startsWith("# HELP ")) {
        family = words[2];
        QVERIFY2(!families.contains(family), qPrintable(family));
        families << family;
        isHelped = words.size() > 3 && line.endsWith('.');
      } else if (line.startsWith("# TYPE ")) {
        QCOMPARE(words[2], family);
        type = words[3];
      } else if (line.startsWith("# UNIT ")) {
        QVERIFY(isOpen && words[2] == family && family.endsWith("_" + words[3]));
      } else {
        const QString end = line.section(QRegularExpression("[{ ]"), 0, 0).mid(family.size());
        QVERIFY2(line.startsWith(family) && isHelped, qPrintable(line));
        if (type == "counter") QCOMPARE(end, isOpen ? "_total" : "");
        if (type == "gauge") QCOMPARE(end, "");
        if (type == "summary") QVERIFY(end == "_count" || end == "_sum");
        if (type == "info") QCOMPARE(end, "_info");
      }
    }
    QCOMPARE(text.find("# EOF") != std::string::npos, isOpen);
    QVERIFY(families.size() > 15);
    QCOMPARE(names(text), names(metrics_text(full(), MetricsFormat::openmetrics)));
  }

  void labelsAreEscaped() {
    Metrics metrics;
    metrics.waits = {{"x3v90abc", "a \"b\" \\ c\nd\xff", 1}};
    for (const MetricsFormat format : {MetricsFormat::openmetrics, MetricsFormat::prometheus})
      VERIFY_HOLDS(metrics_text(metrics, format), R"(name="a \"b\" \\ c\nd)"
                                                  "\xEF\xBF\xBD\"} 1\n");
  }

  void numbersAreWrittenAsPrometheusReadsThem() {
    Metrics metrics = full();
    const auto gain = [&](double value) {
      metrics.live[0].latest["gain"] = value;
      const QString text = QString::fromStdString(metrics_text(metrics, MetricsFormat::openmetrics));
      return text.section("batchscope_run_gain{run=\"k3v90abc\",name=\"digits\"} ", 1, 1).section('\n', 0, 0);
    };
    QCOMPARE(gain(0.1), "0.1");
    QCOMPARE(gain(1e300), "1e+300");
    QCOMPARE(gain(std::numeric_limits<double>::quiet_NaN()), "NaN");
    QCOMPARE(gain(std::numeric_limits<double>::infinity()), "+Inf");
    QCOMPARE(gain(-std::numeric_limits<double>::infinity()), "-Inf");
  }

  void whatARunHasNotRecordedIsNotTold() {
    Metrics metrics = full();
    metrics.live[0].latest = {};
    const QSet<QString> told = names(metrics_text(metrics, MetricsFormat::openmetrics));
    QVERIFY(!told.contains("batchscope_run_gain") && told.contains("batchscope_run_steps"));
  }

  void theDashboardNamesMetricsThatExist() {
    const QSet<QString> named = names_in(DASHBOARD);
    const QSet<QString> strange = named - names(metrics_text(full(), MetricsFormat::prometheus));
    QVERIFY2(strange.isEmpty(), listed(strange));
    QVERIFY(named.size() > 10);
  }

  void theDocumentNamesEveryMetric() {
    const QSet<QString> told = names(metrics_text(full(), MetricsFormat::prometheus)),
                        named = names_in(METRICS_DOCUMENT);
    QVERIFY2(told == named, "undocumented: " + listed(told - named) + "; unknown: " + listed(named - told));
  }

  void theStoreIsTold() {
    make_run("old", 4);
    const std::string id = make_live_run("new", protocol::RunState::running);
    serve();
    const Answer answer = get("/metrics");
    QCOMPARE(answer.status, 200);
    QVERIFY2(
        answer.all.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
        answer.all);
    const std::string labels = "{run=\"" + id + "\",name=\"new\"} ";
    VERIFY_HOLDS(
        scraped(), "batchscope_runs{state=\"running\"} 1\n", "batchscope_runs{state=\"finished\"} 1\n",
        "batchscope_runs{state=\"failed\"} 0\n", "batchscope_run_replicas" + labels + "2\n",
        "batchscope_run_devices" + labels + "2\n", "batchscope_run_gain" + labels + "1.75\n",
        "batchscope_run_goodput_samples_per_second" + labels + "1800.5\n",
        "batchscope_run_batch_size_samples" + labels + "64\n", "batchscope_run_steps" + labels + "4\n",
        "batchscope_run_completed_ratio" + labels + "0.5\n", "batchscope_run_restarts_total" + labels + "1\n",
        "batchscope_run_restart_pause_seconds_count" + labels + "1\n",
        "batchscope_run_restart_pause_seconds_sum" + labels + "0.1\n",
        "batchscope_devices_in_use{kind=\"cpu\"} 1\n", "batchscope_devices_in_use{kind=\"gpu\"} 1\n");
    QVERIFY(
        !testing::holds(scraped(), "name=\"old\""));  // its number is all that is told of a run that is over
  }

  void aPausedRunHasNoSpeed() {
    const std::string labels =
        "{run=\"" + make_live_run("new", protocol::RunState::paused) + "\",name=\"new\"} ";
    serve();
    VERIFY_HOLDS(scraped(), "batchscope_run_replicas" + labels + "0\n",
                 "batchscope_run_gain" + labels + "1.75\n");
    QVERIFY(!names(scraped()).contains("batchscope_run_goodput_samples_per_second"));
  }

  void aRunWhoseSupervisorWasKilledIsInterrupted() {
    const std::string id = make_live_run("new", protocol::RunState::running);
    serve();
    VERIFY_HOLDS(scraped(), "batchscope_runs{state=\"running\"} 1\n");
    storage::Catalogue(protocol::catalogue_path()).release_supervisor(id);
    VERIFY_HOLDS(scraped(), "batchscope_runs{state=\"running\"} 0\n",
                 "batchscope_runs{state=\"interrupted\"} 1\n");
  }

  void jobsAreCountedFromTheServersBeginningOn() {
    submit("before");
    serve();
    VERIFY_HOLDS(scraped(), "batchscope_jobs_submitted_total 0\n",
                 "batchscope_queue_jobs{state=\"held\"} 1\n", "name=\"before\"} ");
    const std::string gone = submit("one");
    submit("two");
    storage::Catalogue catalogue(protocol::catalogue_path());
    catalogue.set_state(gone, protocol::RunState::stopped);
    VERIFY_HOLDS(scraped(), "batchscope_jobs_submitted_total 2\n",
                 "batchscope_queue_jobs{state=\"held\"} 2\n",
                 "batchscope_job_completion_seconds_count{status=\"cancelled\"} 1\n",
                 "batchscope_job_completion_seconds_count{status=\"succeeded\"} 0\n");
    catalogue.remove_run(gone);  // and a counter takes nothing back
    VERIFY_HOLDS(scraped(), "batchscope_jobs_submitted_total 2\n",
                 "batchscope_job_completion_seconds_count{status=\"cancelled\"} 1\n");
  }

  void theClientSaysWhichFormat_data() {
    QTest::addColumn<QByteArray>("accept");
    QTest::addColumn<bool>("isOpen");
    QTest::newRow("curl") << QByteArray("*/*") << true;
    QTest::newRow("nothing") << QByteArray() << true;
    QTest::newRow("Prometheus") << QByteArray(
                                       "application/openmetrics-text;version=1.0.0,"
                                       "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
                                << true;
    QTest::newRow("an older one") << QByteArray("text/plain;version=0.0.4;q=1,*/*;q=0.1") << false;
  }
  void theClientSaysWhichFormat() {
    QFETCH(QByteArray, accept);
    QFETCH(bool, isOpen);
    serve();
    const QByteArray all = send(head("GET", "/metrics") + "Accept: " + accept + "\r\n\r\n").all;
    QVERIFY2(
        all.contains(isOpen ? "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"
                            : "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
        all);
    QCOMPARE(all.endsWith("# EOF\n"), isOpen);
  }

  void theTokenIsWanted() {
    serve();
    const QByteArray host = "Host: localhost:" + QByteArray::number(server->port()) + "\r\n";
    QCOMPARE(send("GET /metrics HTTP/1.1\r\n" + host + "\r\n").status, 401);
    QCOMPARE(send(head("GET", "/metrics") + "Sec-Fetch-Site: cross-site\r\n\r\n").status, 403);
    QCOMPARE(post("/metrics", "{}").status, 405);
    QCOMPARE(get("/metrics/more").status, 404);
    QCOMPARE(server->metrics_port(), std::uint16_t(0));
  }

  void aPortWithoutTheTokenAnswersNothingElse() {
    make_run("one", 4);
    ServerOptions options;
    options.metrics_port = 0;
    serve(options);
    const auto ask = [&](const char* request, const QByteArray& fields = "Host: localhost\r\n") {
      return testing::exchange(server->metrics_port(), request + (" HTTP/1.1\r\n" + fields) + "\r\n");
    };
    QVERIFY(ask("GET /metrics").contains("batchscope_runs{state=\"finished\"} 1\n"));
    QCOMPARE(testing::status(ask("HEAD /metrics")), 200);
    for (const char* target : {"GET /", "GET /api/runs", "GET /page.js", "GET /metrics/more"})
      QCOMPARE(testing::status(ask(target, "Host: localhost\r\n" + key() + "\r\n")), 404);
    QCOMPARE(testing::status(ask("POST /metrics")), 405);
    QCOMPARE(testing::status(ask("GET /metrics", "Host: evil.example\r\n")), 421);
    QCOMPARE(testing::status(ask("GET /metrics", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n")), 403);
    QCOMPARE(send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").status,
             401);  // the other port stays shut
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestMetrics)
#include "test_metrics.moc"
