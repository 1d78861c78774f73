// SPDX-License-Identifier: Apache-2.0
//
// The stream of a run that goes on: a page misses nothing and hears nothing twice, however often its
// connection is lost.
#include <QElapsedTimer>
#include <set>

#include "fake_supervisor.h"
#include "samples/cursor.h"
#include "web_fixture.h"

namespace batchscope::web {

// A page's connection, with the events that have come over it.
class EventSource {
 public:
  struct Event {
    std::string name, id;
    Json data;
  };

  EventSource(std::uint16_t port, const QByteArray& request) : socket_(testing::connected(port)) {
    socket_->write(request);
  }

  // The next events until this one has come; false where it does not.
  bool await(const std::function<bool(const Event&)>& wanted) {
    return QTest::qWaitFor(
        [&] {
          read();
          while (next_ < events.size())
            if (wanted(events[next_++])) return true;
          return false;
        },
        testing::kPatience);
  }
  bool await(const std::string& name) {
    return await([&](const Event& event) { return event.name == name; });
  }

  // It stands.
  bool await_head() {
    return QTest::qWaitFor(
        [&] {
          read();
          return !head.isEmpty();
        },
        testing::kPatience);
  }

  const Event& last() const { return events[next_ - 1]; }
  QByteArray head;
  std::vector<Event> events;
  QTcpSocket& socket() { return *socket_; }

 private:
  void read() {
    text_ += socket_->readAll();
    if (head.isEmpty()) {
      const auto end = text_.indexOf("\r\n\r\n");
      if (end < 0) return;
      head = text_.left(end);
      text_.remove(0, end + 4);
    }
    for (qsizetype end = text_.indexOf("\n\n"); end >= 0; end = text_.indexOf("\n\n")) {
      Event event;
      for (const QByteArray& line : text_.left(end).split('\n')) {
        if (line.startsWith("event: ")) event.name = line.mid(7).toStdString();
        if (line.startsWith("id: ")) event.id = line.mid(4).toStdString();
        if (line.startsWith("data: ")) event.data = Json::parse(line.mid(6).toStdString());
      }
      text_.remove(0, end + 2);
      if (!event.name.empty()) events.push_back(event);
    }
  }

  std::unique_ptr<QTcpSocket> socket_;
  QByteArray text_;
  std::size_t next_ = 0;
};

class TestStream : public WebTest {
  Q_OBJECT

  EventSource open(const std::string& target, const QByteArray& fields = {}) const {
    return {server->port(), head("GET", target) + fields + "\r\n"};
  }
  // (generation, step) of the losses that events have told.
  static std::vector<std::pair<int, int>> losses(const EventSource& page) {
    std::vector<std::pair<int, int>> steps;
    for (const EventSource::Event& event : page.events)
      if (event.name == "samples")
        for (const Json& row : event.data.at("rows"))
          if (row.at("values").contains("loss")) steps.emplace_back(row.at("generation"), row.at("step"));
    return steps;
  }
  static bool has_step(const EventSource::Event& event, int step) {
    return event.name == "samples" && event.data.at("rows").back().at("step") == step;
  }

 private Q_SLOTS:
  void init() {
    newStore();
    serve();
  }

  void newStepsAreToldAsTheyCome() {
    const std::string id = make_run("one", 4);
    EventSource page = open("/api/runs/" + id + "/stream");
    QVERIFY(page.await("status"));
    QVERIFY(page.head.contains("text/event-stream") && page.last().data.is_null());
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    for (const int step : {5, 6, 7}) append(writer, 1, step);
    writer.append(1, "accuracy", 6, NAN);
    writer.commit();
    QVERIFY(page.await("samples"));
    const Json rows = page.last().data.at("rows");
    QCOMPARE(
        text(rows[0]),
        std::string(R"({"generation":1,"step":5,"values":{"loss":0.2},"x":{"progress":10.0,"time":5.0}})"));
    QCOMPARE(rows.size(), std::size_t(3));
    QCOMPARE(rows[1].at("values").at("accuracy").get<std::string>(), std::string("nan"));
    QVERIFY(!page.last().data.contains("thinned"));
    append(writer, 1, 8);
    append(writer, 2, 9);  // a restart
    writer.commit();
    QVERIFY(page.await([](const auto& event) { return has_step(event, 9); }));
    QCOMPARE(losses(page), (std::vector<std::pair<int, int>>{{1, 5}, {1, 6}, {1, 7}, {1, 8}, {2, 9}}));
  }

  // A computed value comes with its last input, whichever commit brings that.
  void computedSeriesAreToldWithTheirInputs() {
    const std::string id = make_run("one", 4);
    EventSource page = open("/api/runs/" + id + "/stream");
    QVERIFY(page.await("status"));
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    for (const int step : {5, 6}) append(writer, 1, step);
    writer.append(1, "scale", 5, std::vector<double>{4, 9});
    writer.append(1, "step_time", 5, std::vector<double>{0.5, 0.75});
    writer.append(1, "sync_time", 5, 0.25);
    writer.commit();
    QVERIFY(page.await("samples"));
    Json rows = page.last().data.at("rows");
    QCOMPARE(rows[0].at("values").at("step_time-sync_time").get<double>(), 0.25);
    QVERIFY(!rows[1].at("values").contains("step_time-sync_time"));
    QCOMPARE(rows[1].at("values").at("factor:sqrt").get<double>(), 3.0);
    writer.append(1, "sync_time", 6, 0.5);
    writer.commit();
    QVERIFY(page.await("samples"));
    rows = page.last().data.at("rows");
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].at("values").at("step_time-sync_time").get<double>(), 0.25);
    QVERIFY(!rows[0].at("values").contains("factor:sqrt"));
  }

  void aRunThatBeginsIsToldFromItsBeginning() {
    const std::string id = make_run("one");
    EventSource page = open("/api/runs/" + id + "/stream");
    QVERIFY(page.await("status"));
    std::filesystem::create_directories(protocol::run_paths(id).root);
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    append(writer, 0, 1);
    writer.commit();
    QVERIFY(page.await("samples"));
    QCOMPARE(losses(page), (std::vector<std::pair<int, int>>{{0, 1}}));
  }

  // The page comes and goes while a run trains; with the samples of its first look and the events of all its
  // streams it knows each step once.
  void nothingIsMissedAndNothingComesTwice() {
    const std::string id = make_run("one", 4);
    std::string cursor = get("/api/runs/" + id).json.at("cursor");
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    std::multiset<int> heard;
    std::multiset<int> accuracies;
    int step = 4;
    for (int visit = 0; visit < 6; ++visit) {
      for (int i = 0; i < 7; ++i) append(writer, 1 + visit / 3, ++step);
      writer.append(1 + visit / 3, "accuracy", step, step);  // a series of few, of the last step
      writer.commit();
      if (visit == 3)
        serve({.address = {"127.0.0.1", server->port()}});  // it was killed, and is started anew
      EventSource page = visit % 2 == 0
                             ? open("/api/runs/" + id + "/stream?after=" + escaped(cursor))
                             : open("/api/runs/" + id + "/stream",
                                    "Last-Event-ID: " + QByteArray::fromStdString(cursor) + "\r\n");
      QVERIFY(page.await([&](const auto& event) { return has_step(event, step); }));
      for (int i = 0; i < 5; ++i) append(writer, 1 + visit / 3, ++step);
      writer.commit();
      if (visit == 2 || visit == 4) {  // what is committed while nobody listens comes at the next visit
        QVERIFY(page.await([&](const auto& event) { return has_step(event, step); }));
      }
      for (const auto& event : page.events) {
        if (!event.id.empty()) cursor = event.id;
        if (event.name != "samples") continue;
        for (const Json& row : event.data.at("rows")) {
          if (row.at("values").contains("loss")) heard.insert(row.at("step").get<int>());
          if (row.at("values").contains("accuracy")) accuracies.insert(row.at("step").get<int>());
        }
      }
    }
    EventSource page = open("/api/runs/" + id + "/stream?after=" + escaped(cursor));
    QVERIFY(page.await("status"));
    if (heard.empty() || *heard.rbegin() != step) QVERIFY(page.await("samples"));
    for (const auto& event : page.events)
      if (event.name == "samples")
        for (const Json& row : event.data.at("rows"))
          if (row.at("values").contains("loss")) heard.insert(row.at("step").get<int>());
    for (int each = 5; each <= step; ++each) QCOMPARE(heard.count(each), std::size_t(1));
    QCOMPARE(accuracies.size(), std::size_t(6));
    QCOMPARE(std::set<int>(accuracies.begin(), accuracies.end()).size(), std::size_t(6));
  }

  static std::string escaped(const std::string& text) {
    return QByteArray::fromStdString(text).toPercentEncoding().toStdString();
  }

  void manyStepsAreThinnedToTheirExtremes() {
    const std::string id = make_run("one", 4);
    EventSource page = open("/api/runs/" + id + "/stream");
    QVERIFY(page.await("status"));
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    for (int step = 5; step <= 1000; ++step) {
      append(writer, 1, step);
      writer.append(1, "peak", step, step == 500 ? 100 : step == 700 ? -100 : 1);
    }
    writer.commit();
    QVERIFY(page.await("samples"));
    const Json data = page.last().data;
    QCOMPARE(data.at("thinned").get<bool>(), true);
    QVERIFY2(data.at("rows").size() < 100, QByteArray::number(data.at("rows").size()));
    std::map<int, double> peaks;
    for (const Json& row : data.at("rows"))
      if (row.at("values").contains("peak"))
        peaks[row.at("step").get<int>()] = row.at("values").at("peak").get<double>();
    QCOMPARE(peaks[500], 100.0);
    QCOMPARE(peaks[700], -100.0);
    QVERIFY(data.at("rows").back().at("values").contains("loss") &&
            data.at("rows").back().at("step") == 1000);
  }

  void whoWasAwayForTooLongAsksAgain() {
    const std::string id = make_run("one", 4);
    const std::string cursor = get("/api/runs/" + id).json.at("cursor");
    {
      storage::SampleWriter writer(protocol::run_paths(id).samples);
      for (int step = 5; step <= 25'000; ++step) writer.append(1, "loss", step, 1);
    }
    for (const std::string& after :
         {cursor, std::string("nonsense"), std::string("99;1;1"), std::string(";;;")}) {
      EventSource page = open("/api/runs/" + id + "/stream?after=" + escaped(after));
      QVERIFY(page.await("changed"));
      QCOMPARE(text(page.last().data.at("what")), std::string(R"(["samples"])"));
      QVERIFY(!page.last().id.empty());
    }
  }

  void changesOfTheRecordAreTold() {
    const std::string id = make_run("one", 4);
    EventSource page = open("/api/runs/" + id + "/stream");
    QVERIFY(page.await("status"));
    storage::Catalogue catalogue(protocol::catalogue_path());
    catalogue.set_progress(id, 5, 1, 2, 0.6, {{"loss", 0.4}});  // no news: status and samples say it
    catalogue.add_event(id, 1, 4, "info", "something happened");
    QVERIFY(page.await("changed"));
    QCOMPARE(text(page.last().data), R"({"run":")" + id + R"(","what":["events"]})");
    catalogue.set_note(id, "a note");
    QVERIFY(page.await("changed"));
    QCOMPARE(text(page.last().data.at("what")), std::string(R"(["run"])"));
  }

  void theSupervisorIsHeard() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    EventSource page = open("/api/runs/" + id + "/stream");
    QVERIFY(page.await([](const auto& event) { return event.name == "status" && !event.data.is_null(); }));
    QCOMPARE(page.last().data.at("replicas").get<int>(), 2);
    supervisor.status.replicas = supervisor.status.target_replicas = 3;  // they are being launched
    supervisor.status.state = protocol::RunState::restarting;
    supervisor.status.phase = "launch";
    supervisor.status.generation = 2;
    supervisor.tell();
    QVERIFY(page.await(
        [](const auto& event) { return event.name == "status" && event.data.at("replicas") == 3; }));
    const Json& shown = page.last().data.at("shown");
    QCOMPARE(text(shown.at("tone")), std::string("\"warning\""));
    QCOMPARE(text(shown.at("restart").at("title")), std::string("\"Restarting, 2 → 3\""));
    supervisor.leave();
    QVERIFY(page.await([](const auto& event) { return event.name == "status" && event.data.is_null(); }));
  }

  // However many look: one connection to the supervisor.
  void aHundredPagesAreOneClient() {
    const std::string id = make_run("one", 4, protocol::RunState::running);
    FakeSupervisor supervisor(id);
    std::vector<EventSource> pages;
    for (int i = 0; i < 100; ++i) pages.push_back(open("/api/runs/" + id + "/stream"));
    for (EventSource& page : pages) QVERIFY(page.await("status"));
    QCOMPARE(supervisor.connections, 1);
    storage::SampleWriter writer(protocol::run_paths(id).samples);
    append(writer, 1, 5);
    writer.commit();
    for (EventSource& page : pages) QVERIFY(page.await("samples"));
    QCOMPARE(get("/api/runs").json.at("runs")[0].at("live").at("replicas").get<int>(), 2);
    QCOMPARE(get("/api/runs/" + id).json.at("status").at("replicas").get<int>(), 2);
    QCOMPARE(supervisor.connections, 1);
  }

  void severalRunsComeOverOneStream() {
    const std::string first = make_run("one", 4), second = make_run("two", 4);
    EventSource page = open("/api/stream?runs=" + first + "," + second + "," + first);
    QVERIFY(page.await("status") && page.await("status"));
    QVERIFY(page.last().data.at("gone").get<bool>());
    const std::string before = page.last().id;
    QVERIFY(before.find(first + ':') != std::string::npos && before.find(second + ':') != std::string::npos);
    storage::SampleWriter writer(protocol::run_paths(second).samples);
    append(writer, 1, 5);
    writer.commit();
    QVERIFY(page.await("samples"));
    QCOMPARE(page.last().data.at("run").get<std::string>(), second);
    EventSource again = open("/api/stream?runs=" + first + "," + second + "&after=" + escaped(before));
    QVERIFY(again.await("samples"));
    QCOMPARE(losses(again), (std::vector<std::pair<int, int>>{{1, 5}}));
    QCOMPARE(get("/api/stream").status, 400);
    QCOMPARE(get("/api/stream?runs=aaaaaaaa").status, 404);
  }

  void aRunThatIsNotThereHasNoStream() {
    for (const char* id : {"aaaaaaaa", "x", "..%2f..", "aaaaaaaa%00"})
      QCOMPARE(get(std::string("/api/runs/") + id + "/stream").status, 404);
    QCOMPARE(send(head("HEAD", "/api/changes") + "\r\n").status, 200);
  }

  void listsHearThatSomethingChanged() {
    EventSource page = open("/api/changes");
    QVERIFY(page.await_head());
    make_run("one");  // the moment that it stands
    QVERIFY(page.await("changed"));
    QVERIFY(text(page.last().data.at("what")).find("runs") != std::string::npos);
  }

  // Beats tell a connection that hangs from a run that is quiet.
  void everyStreamBeats() {
    const std::string id = make_run("one", 4);
    for (const std::string& target : {"/api/runs/" + id + "/stream", std::string("/api/changes")}) {
      EventSource page = open(target);
      QVERIFY2(page.await("beat"), target.c_str());
      QVERIFY(page.last().id.empty());
    }
  }

  void aCursorIsWhatItSays() {
    Cursor cursor;
    cursor.generation = 3;
    cursor.places = {{"loss", {1200, 801}}, {"time", {1200, 801}}, {"a;b=c", {2, 900}}, {"gain", {7, 801}}};
    const auto known = KnownPlaces::parse(cursor.text());
    QVERIFY(known);
    QCOMPARE(known->generation(), 3);
    for (const auto& [name, place] : cursor.places) QCOMPARE(known->of(name, place.first_step), place.count);
    QCOMPARE(known->of("new", 1900), std::int64_t(0));
    QVERIFY(cursor.text().find('\n') == std::string::npos);
    for (const char* text : {"", "1", "1;2", "x;1;1", "1;2;3;4", "1;2;3;a=", "1;2;3;=x", "-;1;1"})
      QVERIFY2(!KnownPlaces::parse(text), text);
    QVERIFY(!KnownPlaces::parse(std::string(10'000, '1')));
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestStream)
#include "test_stream.moc"
