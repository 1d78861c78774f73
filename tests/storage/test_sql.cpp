// SPDX-License-Identifier: Apache-2.0
//
// Questions in SQL are answered; nothing else is done.
#include <cmath>
#include <fstream>

#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestSql : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    Catalogue catalogue(*folder_ / "runs.db");
    id_ = catalogue.create_run(named("digits"));
    SampleWriter writer(samples());
    for (int step = 1; step <= 20'000; ++step) writer.append(step <= 10'000 ? 0 : 1, "loss", step, step);
    writer.append(0, "strange", 1, NAN);
    writer.append(0, "strange", 2, INFINITY);
  }

  void answersAboutTheCatalogue() {
    const auto rows = ask("SELECT name, 1, 0.5, NULL, x'0102' FROM run");
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(std::get<std::string>(rows[0][0]), std::string("digits"));
    QCOMPARE(std::get<std::int64_t>(rows[0][1]), 1);
    QCOMPARE(std::get<double>(rows[0][2]), 0.5);
    QCOMPARE(rows[0][3].index(), 0u);
    QCOMPARE(std::get<std::vector<std::uint8_t>>(rows[0][4]), (std::vector<std::uint8_t>{1, 2}));
    QVERIFY(ask("SELECT name FROM run WHERE 0").empty());
    QVERIFY(!ask("PRAGMA table_info(run)").empty());
    QVERIFY(integer("PRAGMA user_version") > 0);
    QCOMPARE(ask("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5) SELECT x FROM n;  ")
                 .size(),
             5u);
  }

  void answersAboutSamples() {
    QCOMPARE(integer("SELECT count(*) FROM sample"), 20'002);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE series = 'loss' AND generation = 1"), 10'000);
    QCOMPARE(integer("SELECT sum(value) FROM sample WHERE series = 'loss' AND step BETWEEN 10 AND 12"), 33);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE value IS NULL"), 1);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE value > 1e300"), 1);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE series = 'none' OR run = 'none'"), 0);
    QCOMPARE(integer("SELECT count(*) FROM sample s JOIN run r ON r.id = s.run WHERE s.series = 'strange'"),
             2);
    QCOMPARE(integer("SELECT max(step) FROM sample WHERE series IN ('loss', 'strange') AND generation = 0"),
             10'000);
    SqlSession without(catalogue(), {});
    VERIFY_THROWS("usage", "sample", without.ask("SELECT * FROM sample", {}, {}));
    QCOMPARE(without.rows_read() + without.samples_visited(), 0);
  }

  // Chunks whose steps are not asked for may be as damaged as they like.
  void readsOnlyTheStepsThatAreAskedFor() {
    QVERIFY(meddle(samples(),
                   "UPDATE chunk SET data = zeroblob(length(data)) WHERE number <> 5 AND count = 1024"));
    QVERIFY(error_of([&] { ask("SELECT sum(value) FROM sample"); }));
    const std::string sum = "SELECT sum(value) FROM sample WHERE generation = 0 AND ";
    QCOMPARE(integer(sum + "step BETWEEN 5121 AND 5123"), 3 * 5122);
    QCOMPARE(integer(sum + "step > 6000 AND step < 6003"), 6001 + 6002);
    QCOMPARE(integer(sum + "6100 = step"), 6100);
    QCOMPARE(integer(sum + "step >= 10000"), 10'000);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE step = 6100 AND step = 6101"), 0);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE step > 9223372036854775806"), 0);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE step < -9223372036854775807"), 0);
    QCOMPARE(
        integer("SELECT sum(s.value) FROM sample s JOIN (SELECT 6000 AS a UNION SELECT 6001) ON s.step = a "
                "WHERE generation = 0"),
        12'001);
  }

  void answersInTheSameWayWhateverTheStepIsComparedWith() {
    const std::string count = "SELECT count(*) FROM sample WHERE series = 'loss' AND ";
    QCOMPARE(integer(count + "step <= 10.5"), 10);
    QCOMPARE(integer(count + "step > '19999'"), 1);
    QCOMPARE(integer(count + "step = NULL"), 0);
    QCOMPARE(integer(count + "step < 3 OR step > 19998"), 4);
    QCOMPARE(integer("SELECT count(*) FROM sample WHERE series = 'strange' OR generation = 1"), 10'002);
    QCOMPARE(integer(count + "step <> 7"), 19'999);
    QCOMPARE(integer(count + "step IN (1, 2, 30000)"), 2);
  }

  void handsOutRowsAsTheyCome() {
    int seen = 0;
    session().ask(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n", [](const auto&) {},
        [&](const auto&) { return ++seen < 1000; });
    QCOMPARE(seen, 1000);
  }

  void changesNothing_data() {
    testing::rows("sql", {"DELETE FROM run",
                          "UPDATE run SET name = 'x'",
                          "INSERT INTO tag VALUES (1, 'x')",
                          "DROP TABLE run",
                          "CREATE TABLE x (y)",
                          "CREATE TEMP TABLE x (y)",
                          "CREATE VIEW x AS SELECT 1",
                          "ATTACH 'other.db' AS o",
                          "DETACH main",
                          "VACUUM",
                          "VACUUM INTO 'copy.db'",
                          "REINDEX",
                          "ANALYZE",
                          "BEGIN IMMEDIATE",
                          "COMMIT",
                          "PRAGMA user_version = 9",
                          "PRAGMA query_only = OFF",
                          "PRAGMA writable_schema = ON",
                          "PRAGMA journal_mode = DELETE",
                          "SELECT load_extension('x')",
                          "DELETE FROM sample",
                          "SELECT 1; DELETE FROM run",
                          "WITH a AS (SELECT 1) DELETE FROM run",
                          "",
                          "  ;",
                          "SELEKT 1",
                          "SELECT nosuch",
                          "EXPLAIN DELETE FROM run"});
  }

  void changesNothing() {
    QFETCH(QString, sql);
    SqlSession open = session();
    const auto any = [](const auto&) { return true; };
    QCOMPARE(kind_of([&] { open.ask(sql.toStdString(), any, any); }), "usage");
    QVERIFY(!std::filesystem::exists("copy.db") && !std::filesystem::exists("other.db"));
    QCOMPARE(Catalogue(catalogue()).runs().size(), 1u);
    QCOMPARE(ask("SELECT 1").size(), 1u);
  }

  void aDamagedPageIsTheFilesFault() {
    damage_table(catalogue(), "run");
    VERIFY_THROWS("corrupt", catalogue().string() + " is damaged", ask("SELECT note FROM run"));
    QCOMPARE(integer("SELECT count(*) FROM sweep"), 0);
  }

  void needsAStore() {
    QCOMPARE(kind_of([&] { SqlSession(*folder_ / "none.db", {}); }), "not_found");
    QVERIFY(!std::filesystem::exists(*folder_ / "none.db"));
  }

 private:
  std::filesystem::path catalogue() const { return *folder_ / "runs.db"; }
  std::filesystem::path samples() const { return folder_->path() / "runs" / id_ / "samples.db"; }
  SqlSession session() const { return {catalogue(), {{id_, samples()}}}; }

  std::vector<std::vector<SqlValue>> ask(const std::string& sql) const {
    std::vector<std::vector<SqlValue>> rows;
    session().ask(
        sql, [](const auto&) {},
        [&](const auto& row) {
          rows.push_back(row);
          return true;
        });
    return rows;
  }

  std::int64_t integer(const std::string& sql) const {
    const auto rows = ask(sql);
    const SqlValue& value = rows.at(0).at(0);
    if (const auto* number = std::get_if<double>(&value)) return static_cast<std::int64_t>(*number);
    return std::get<std::int64_t>(value);
  }

  std::optional<Folder> folder_;
  std::string id_;
};

BATCHSCOPE_TEST(TestSql)
#include "test_sql.moc"
