// SPDX-License-Identifier: Apache-2.0
//
// Runs that are carried away and come back: the record, the file, and passes over samples by position.
#include <cmath>
#include <fstream>

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

class TestRunFile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  void samplesComeBackBitForBit() {
    const std::vector<Sample> strange{{1, NAN}, {2, INFINITY}, {3, -INFINITY},  {4, -0.0},
                                      {4, 0.1}, {9, 5e-324},   {INT64_MAX, 1.0}};
    std::vector<Sample> many;
    for (int i = 0; i < 10'000; ++i) many.push_back({i, 1.0 / i});
    {
      RunFileWriter writer(folder_ / "a.sqlite", "{\"text\":\"\xE2\x82\xAC\"}");
      writer.append("strange, 'name'", 3, strange);
      writer.append("many", 0, many);
      writer.finish();
      QVERIFY(!fs::exists(folder_ / "a.sqlite-wal"));
    }
    RunFileReader reader(folder_ / "a.sqlite");
    QCOMPARE(reader.description(), std::string("{\"text\":\"\xE2\x82\xAC\"}"));
    QCOMPARE(reader.count(), 10'007);
    const auto first = reader.next();
    QCOMPARE(first.series, std::string("strange, 'name'"));
    QCOMPARE(first.generation, 3);
    QVERIFY(same(first.samples, strange));
    std::vector<Sample> read;
    for (auto block = reader.next(); !block.samples.empty(); block = reader.next()) {
      QVERIFY(block.samples.size() <= 4096);
      read.insert(read.end(), block.samples.begin(), block.samples.end());
    }
    QVERIFY(same(read, many));
    QCOMPARE(kind_of([&] { RunFileWriter(folder_ / "a.sqlite", ""); }), "conflict");
  }

  void whatIsNoneOfOursIsRefused_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("view") << "CREATE VIEW v AS SELECT 1";
    QTest::newRow("trigger") << "CREATE TRIGGER t AFTER INSERT ON sample BEGIN SELECT 1; END";
    QTest::newRow("table") << "CREATE TABLE more (x)";
    QTest::newRow("endless view")
        << "DROP TABLE sample; CREATE VIEW sample AS WITH RECURSIVE r(x) AS (SELECT 1 "
           "UNION ALL SELECT x FROM r) SELECT '' AS series, 0 AS generation, x AS step, 0.5 "
           "AS value FROM r";
    QTest::newRow("no description") << "DELETE FROM description";
    QTest::newRow("application") << "PRAGMA application_id = 7";
  }

  void whatIsNoneOfOursIsRefused() {
    QFETCH(QString, sql);
    make(folder_ / "a.sqlite");
    QVERIFY(meddle(folder_ / "a.sqlite", sql.toStdString()));
    QCOMPARE(kind_of([&] { RunFileReader reader(folder_ / "a.sqlite"); }), "corrupt");
  }

  void badValuesAreRefused() {
    for (const char* sql : {"UPDATE sample SET value = 'text'", "UPDATE sample SET value = x'00'",
                            "UPDATE sample SET generation = -1", "UPDATE sample SET generation = 1 << 40"}) {
      folder_ = {};
      make(folder_ / "a.sqlite");
      QVERIFY(meddle(folder_ / "a.sqlite", sql));
      RunFileReader reader(folder_ / "a.sqlite");
      QCOMPARE(kind_of([&] { reader.next(); }), "corrupt");
    }
    for (const int generation : {1'000'000'000, 1'000'000'001}) {
      folder_ = {};
      make(folder_ / "a.sqlite");
      QVERIFY(meddle(folder_ / "a.sqlite", "UPDATE sample SET generation = " + std::to_string(generation)));
      RunFileReader reader(folder_ / "a.sqlite");
      QCOMPARE(kind_of([&] { reader.next(); }),
               generation > 1'000'000'000 ? "corrupt" : "nothing was thrown");
    }
  }

  void damageIsFound() {
    make(folder_ / "a.sqlite");
    fs::resize_file(folder_ / "a.sqlite", fs::file_size(folder_ / "a.sqlite") - 4096);
    QCOMPARE(kind_of([&] { RunFileReader reader(folder_ / "a.sqlite"); }), "corrupt");
    std::ofstream(folder_ / "b.sqlite") << "SQLite format 3" << '\0' << std::string(5000, 'x');
    QCOMPARE(kind_of([&] { RunFileReader reader(folder_ / "b.sqlite"); }), "corrupt");
    QVERIFY(meddle(folder_ / "c.sqlite", "PRAGMA application_id = 1112765030; PRAGMA user_version = 2"));
    QCOMPARE(kind_of([&] { RunFileReader reader(folder_ / "c.sqlite"); }), "version");
    QCOMPARE(kind_of([&] { RunFileReader reader(folder_ / "none.sqlite"); }), "not_found");
  }

  void aRecordMovesToAnotherCatalogue() {
    Catalogue here(folder_ / "runs.db"), there(folder_ / "other.db");
    protocol::RunSpec spec = named("digits");
    spec.program = "/bin/true";
    spec.group = "g";
    const std::string id = here.create_run(spec);
    here.put_generation(id, {0, 2, "start", 1, 2, 1, 40, "", -1, {}, "checkpointed"});
    here.put_generation(id,
                        {1, 3, "rescale", 3, 0, 41, 90, "checkpoint-000040", 0.25, {{"launch", 0.02}}, ""});
    here.put_epoch(id, {0, 0, 1, 2, 1, 40});
    here.add_event(id, 1, 41, "warning", "text");
    here.add_ledger(id, 1, {"train-0", 2, 1, 64, 128, 3, 12000, 44});
    here.put_hyperparameters(id, {{"lr", "0.1"}});
    here.set_tags(id, {"a", "b"});
    here.set_note(id, "note");
    here.set_progress(id, 90, 2, 4, 0.5, {{"loss", NAN}, {"gain", 1.5}});
    protocol::Model model;
    model.perf = {1, 2, 3, 4, 5, 6, 7};
    here.put_model(id, 1, model);
    QCOMPARE(kind_of([&] { there.add_record(here.record(id)); }), "usage");  // it waits for its supervisor
    here.set_state(id, RunState::stopped, "why");

    const RunRecord record = here.record(id);
    there.add_record(record);
    QCOMPARE(kind_of([&] { there.add_record(record); }), "conflict");
    RunRecord bare;
    bare.run.id = "abcd1234";
    for (const RunState state : {RunState::running, RunState::pending, RunState::damaged}) {
      bare.run.state = state;
      VERIFY_THROWS("usage", "abcd1234 cannot be added: it is ", there.add_record(bare));
    }
    bare.run.state = RunState::finished;
    there.add_record(bare);
    QVERIFY(!there.model("abcd1234"));
    there.remove_run("abcd1234");
    bare.model = model;  // of a run whose generations are lost
    there.add_record(bare);
    QVERIFY(there.model("abcd1234").has_value());
    there.remove_run("abcd1234");
    QCOMPARE(there.runs().size(), 1u);
    const RunRecord copy = there.record(id);
    QCOMPARE(copy.run.name, record.run.name);
    QCOMPARE(copy.run.spec.group, std::string("g"));
    QCOMPARE(copy.run.state, RunState::stopped);
    QCOMPARE(copy.run.message, std::string("why"));
    QCOMPARE(copy.run.created, record.run.created);
    QCOMPARE(copy.run.ended, record.run.ended);
    QCOMPARE(copy.run.step, 90);
    QCOMPARE(copy.run.fraction, 0.5);
    QCOMPARE(copy.run.tags, record.run.tags);
    QCOMPARE(copy.run.note, record.run.note);
    QCOMPARE(copy.run.removed, 0.0);
    QCOMPARE(copy.run.hyperparameters, record.run.hyperparameters);
    QVERIFY(std::isnan(copy.run.latest.at("loss")));
    QCOMPARE(copy.generations.size(), 2u);
    QCOMPARE(copy.generations[1].pause_parts, record.generations[1].pause_parts);
    QCOMPARE(copy.epochs.at(0).last_step, 40);
    QCOMPARE(copy.events.at(0).time, record.events.at(0).time);
    QVERIFY(copy.ledger == record.ledger);
    QCOMPARE(copy.model->perf, model.perf);
    QCOMPARE(kind_of([&] { there.record("zzzzzzzz"); }), "not_found");
  }

  void positionsCoverWhatReadReturns() {
    auto writer = std::make_unique<SampleWriter>(folder_ / "runs/a/samples.db");
    for (int step = 1; step <= 2500; ++step) {
      writer->append(0, "loss", step, 1.0 / step);
      if (step % 700 == 0) writer->append(0, "loss", step, -1);
      if (step % 100 == 0) writer->commit();
    }
    writer->commit();
    for (const bool isClosed : {false, true}) {
      SampleReader reader(folder_ / "runs/a/samples.db");
      const std::vector<Sample> whole = reader.read("loss", 0);
      for (const std::int64_t width : {1000, 1024, 4096, 1}) {
        std::vector<Sample> pieces;
        for (;;) {
          const auto part = reader.read_positions("loss", 0, static_cast<std::int64_t>(pieces.size()), width);
          if (part.empty()) break;
          QVERIFY(static_cast<std::int64_t>(part.size()) <= width);
          pieces.insert(pieces.end(), part.begin(), part.end());
          if (width == 1 && pieces.size() > 50) break;
        }
        if (width > 1) QVERIFY(same(pieces, whole));
      }
      QVERIFY(reader.read_positions("loss", 0, 1 << 20, 5).empty());
      QVERIFY(reader.read_positions("nosuch", 0, 0, 5).empty());
      if (!isClosed) writer.reset();  // which rewrites all of it into chunks
    }
  }

 private:
  static void make(const fs::path& file) {
    RunFileWriter writer(file, "{}");
    std::vector<Sample> samples;
    for (int i = 0; i < 3000; ++i) samples.push_back({i, 0.5});
    writer.append("loss", 0, samples);
    writer.finish();
  }

  Folder folder_;
};

BATCHSCOPE_TEST(TestRunFile)
#include "test_run_file.moc"
