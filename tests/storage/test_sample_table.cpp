// SPDX-License-Identifier: Apache-2.0
//
// The table `sample` of SQL answers any question as an ordinary table with the same rows does, and looks at
// few samples while it does.
#include <QElapsedTimer>
#include <algorithm>
#include <cmath>

#include "random_question.h"
#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

using Rows = std::vector<std::string>;  // each a row's cells, joined

std::string text_of(const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::holds_alternative<std::monostate>(value) ? "NULL" : "bytes";
}

Rows ask(SqlSession& session, const std::string& sql) {
  Rows rows;
  session.ask(
      sql, [](const auto&) {},
      [&](const std::vector<SqlValue>& row) {
        std::string& line = rows.emplace_back();
        for (const SqlValue& value : row) line += text_of(value) + "|";
        return true;
      });
  return rows;
}

// The same rows in a table like any other.
class PlainTable {
 public:
  PlainTable() {
    sqlite3_open(":memory:", &connection_);
    execute("CREATE TABLE sample (run TEXT, series TEXT, generation INTEGER, step INTEGER, value REAL)");
    for (const char* columns : {"(step)", "(run, series, step)", "(run, series, generation, step)"})
      execute("CREATE INDEX \"by " + std::string(columns) + "\" ON sample " + columns);
    execute("BEGIN");
  }
  ~PlainTable() { sqlite3_close(connection_); }
  PlainTable(const PlainTable&) = delete;
  PlainTable& operator=(const PlainTable&) = delete;

  void add(const std::string& run, const std::string& series, int generation, std::int64_t step,
           double value) {
    execute("INSERT INTO sample VALUES ('" + run + "', '" + series + "', " + std::to_string(generation) +
            ", " + std::to_string(step) + ", " + (std::isnan(value) ? "NULL" : std::to_string(value)) + ")");
  }

  Rows ask(const std::string& sql) {
    Rows rows;
    const auto add_row = [](void* rows, int count, char** cells, char**) {
      std::string& line = static_cast<Rows*>(rows)->emplace_back();
      for (int i = 0; i < count; ++i) line += std::string(cells[i] ? cells[i] : "NULL") + "|";
      return 0;
    };
    execute(sql, add_row, &rows);
    return rows;
  }

 private:
  void execute(const std::string& sql, int (*row)(void*, int, char**, char**) = nullptr, void* to = nullptr) {
    if (sqlite3_exec(connection_, sql.c_str(), row, to, nullptr) != SQLITE_OK)
      qFatal("%s: %s", sql.c_str(), sqlite3_errmsg(connection_));
  }

  sqlite3* connection_ = nullptr;
};

// 1.0 and 1.000000 are one number.
Rows comparable(Rows rows, bool is_ordered) {
  for (std::string& row : rows) {
    std::string clean;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == '.' && row.find_first_not_of('0', i + 1) != std::string::npos &&
          row[row.find_first_not_of('0', i + 1)] == '|')
        i = row.find_first_not_of('0', i + 1);
      clean += row[i];
    }
    row = clean;
  }
  if (!is_ordered) std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

class TestSampleTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  // Irregular steps, steps that come twice, generations that overlap, chunks and tails, in several runs.
  void answersAsAnOrdinaryTableDoes() {
    Catalogue(folder_ / "runs.db");
    const std::vector<std::string> runs{"a", "b", "c"}, series{"gain", "loss", "5"};
    std::map<std::string, std::filesystem::path> files;
    PlainTable plain;
    std::vector<std::unique_ptr<SampleWriter>> writers;
    std::mt19937_64 random(7);
    for (const std::string& run : runs) {
      files[run] = folder_.path() / run / "samples.db";
      SampleWriter& writer = *writers.emplace_back(std::make_unique<SampleWriter>(files[run]));
      for (const std::string& name : series)
        for (int generation = 0; generation < 3; ++generation) {
          if (random() % 4 == 0) continue;
          const std::size_t count = run == "b" ? 30 : 1024 * (random() % 3) + random() % 40;
          std::int64_t step = generation * 400;
          for (std::size_t i = 0; i < count; ++i) {
            step += random() % 16 == 0 ? static_cast<std::int64_t>(random() % 4) : 1;
            const double value = random() % 64 == 0 ? NAN : static_cast<double>(random() % 9);
            writer.append(generation, name, step, value);
            plain.add(run, name, generation, step, value);
          }
        }
      if (run == "c") continue;  // its samples stay in batches
      writers.back().reset();
    }
    writers.back()->commit();

    SqlSession session(folder_ / "runs.db", files);
    const auto seconds = qEnvironmentVariableIntValue("BATCHSCOPE_PROPERTY_SECONDS");
    QElapsedTimer timer;
    timer.start();
    int asked = 0;
    for (std::uint64_t seed = 1; asked < 160 || timer.elapsed() < 1000 * seconds; ++seed) {
      RandomQuestions questions(seed, runs, series);
      for (int i = 0; i < 40; ++i, ++asked) {
        const Question question = questions.next();
        const Rows expected = comparable(plain.ask(question.sql), question.is_ordered);
        const Rows got = comparable(ask(session, question.sql), question.is_ordered);
        if (got == expected) continue;
        const auto [mine, theirs] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
        QFAIL(qPrintable(QString("seed %1, question %2: %3\n%4 rows for %5, first another one: %6 for %7")
                             .arg(seed)
                             .arg(i)
                             .arg(question.sql.c_str())
                             .arg(got.size())
                             .arg(expected.size())
                             .arg(mine == got.end() ? "none" : mine->c_str())
                             .arg(theirs == expected.end() ? "none" : theirs->c_str())));
      }
    }
  }

  // Whatever a step is compared with, known before the question is asked or not.
  void comparesAsAnOrdinaryTableDoes() {
    Catalogue(folder_ / "runs.db");
    const auto file = folder_.path() / "b" / "samples.db";
    PlainTable plain;
    {
      SampleWriter writer(file);
      const auto add = [&](const char* series, std::int64_t step) {
        const auto value = static_cast<double>(step % 7);
        writer.append(0, series, step, value);
        plain.add("b", series, 0, step, value);
      };
      for (std::int64_t step = -3; step <= 3; ++step) add("few", step);
      for (std::int64_t step = 1; step <= 2048; ++step) add("whole chunks", step);
    }
    SqlSession session(folder_ / "runs.db", {{"b", file}});
    const auto compare = [&](const std::string& sql, bool is_ordered = false) {
      const std::string told = sql + ": " + ask(session, sql).at(0);
      QVERIFY2(comparable(ask(session, sql), is_ordered) == comparable(plain.ask(sql), is_ordered),
               told.c_str());
    };
    for (const std::string value :
         {"2", "2.0", "2.5", "-2.5", "2048", "'2'", "'x'", "x'00'", "NULL", "1e300", "-1e300",
          "9223372036854775807", "-9223372036854775808", "9223372036854775808.0", "-9223372036854775808.0"})
      for (const std::string op : {"<", "<=", ">", ">=", "=", "IS", "<>"})
        for (const std::string& other : {value, "(SELECT " + value + ")"}) {
          compare("SELECT count(*), sum(step) FROM sample WHERE step " + op + " " + other);
          compare("SELECT count(*), sum(step) FROM sample WHERE step > 0 AND step " + op + " " + other);
          compare("SELECT count(*) FROM sample WHERE generation " + op + " " + other);
        }
    for (const std::string run : {"'a'", "'b'", "'c'", "7", "NULL", "x'62'"})
      compare("SELECT count(*) FROM sample WHERE run = " + run);
    compare("SELECT step FROM sample WHERE series = 'few' ORDER BY rowid DESC", true);
    for (const std::string order : {"value DESC, step", "value, series, step", "series DESC, step DESC"})
      compare("SELECT series, step FROM sample ORDER BY " + order + " LIMIT 9", true);
  }

  // A question, the most samples that its answer may look at, and the most rows that it may read of the
  // files.
  void looksAtFewSamples_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<qint64>("samples");
    QTest::addColumn<qint64>("rows");
    const auto add = [](const char* name, const char* sql, qint64 samples, qint64 rows) {
      QTest::newRow(name) << sql << samples << rows;
    };
    constexpr qint64 kAll = kSteps * kSeries, kChunksOfSeries = kSteps / 1024 + 8;
    add("three series joined by step",
        "SELECT a.generation, avg(a.value), avg(c.value) FROM sample a JOIN sample b ON a.step = b.step AND "
        "b.series = 's1' JOIN sample c ON a.step = c.step AND c.series = 's2' WHERE a.series = 's0' AND "
        "a.run = "
        "'x' AND b.run = 'x' AND c.run = 'x' GROUP BY 1",
        3 * kSteps + 11 * kOverlap, 3 * kChunksOfSeries + 40);
    add("in the order in which they are not written",
        "SELECT sum(a.value - b.value) FROM sample b, sample a WHERE a.step = b.step AND a.run = b.run AND "
        "a.generation = b.generation AND b.series = 's3' AND a.series = 's0'",
        4 * kSteps + 8 * kOverlap, 4 * kChunksOfSeries + 40);
    add("two runs compared",
        "SELECT count(*), max(abs(a.value - b.value)) FROM sample a JOIN sample b USING (series, step) WHERE "
        "a.run "
        "= 'x' AND b.run = 'y' AND series = 's1'",
        2 * kSteps + 8 * kOverlap, 2 * kChunksOfSeries + 40);
    add("a step", "SELECT value FROM sample WHERE series = 's1' AND step = 7000 AND run = 'y'", 2, 25);
    add("some steps",
        "SELECT value FROM sample WHERE series = 's1' AND step IN (9, 7000, 11000) AND run = 'y'", 4, 30);
    add("the last",
        "SELECT value FROM sample WHERE run = 'x' AND series = 's1' AND generation = 1 ORDER BY step DESC "
        "LIMIT 1",
        2, 25);
    add("the last step, of any generation", "SELECT max(step) FROM sample WHERE run = 'x' AND series = 's1'",
        2, 25);
    add("the last of each series of each run",
        "SELECT DISTINCT t.run, t.series, (SELECT value FROM sample s WHERE s.run = t.run AND s.series = "
        "t.series "
        "ORDER BY generation DESC, step DESC LIMIT 1) FROM (SELECT DISTINCT run, series FROM sample) t",
        4 * kSeries * 2, 150);
    add("what there is", "SELECT DISTINCT run, series, generation FROM sample", 4 * kSeries, 60);
    add("a window of one series",
        "SELECT step, avg(value) OVER (ORDER BY step ROWS 99 PRECEDING) FROM sample WHERE run = 'x' AND "
        "series = "
        "'s0' LIMIT 50",
        300, 40);
    add("the first steps", "SELECT * FROM sample WHERE run = 'x' AND series = 's2' ORDER BY step LIMIT 5", 7,
        40);
    add("the first of all", "SELECT * FROM sample LIMIT 5", 6, 40);
    add("a range", "SELECT sum(value) FROM sample WHERE step BETWEEN 5000 AND 5099", 100 * 2 * kSeries, 60);
    add("everything", "SELECT count(value) FROM sample", 2 * (kAll + kSeries * kOverlap),
        2 * kSeries * kChunksOfSeries);
    add("nothing", "SELECT * FROM sample WHERE series = 'none' OR step < 0", 0, 60);
  }

  void looksAtFewSamples() {
    if (!store_) makeStore();
    QFETCH(QString, sql);
    QFETCH(qint64, samples);
    QFETCH(qint64, rows);
    SqlSession session(*store_ / "runs.db", files_);
    ask(session, sql.toStdString());
    QCOMPARE(session.samples_visited() > 0, samples > 0);
    QVERIFY2(session.samples_visited() <= samples, qPrintable(QString::number(session.samples_visited())));
    QVERIFY2(session.rows_read() <= rows, qPrintable(QString::number(session.rows_read())));
  }

  void endsWhenItsWatchSaysSo() {
    if (!store_) makeStore();
    SqlSession session(*store_ / "runs.db", files_);
    int looks = 0;
    session.set_watch([&] {
      if (++looks == 3) throw Error(ErrorKind::timeout, "enough");
    });
    const std::string endless = "SELECT count(*) FROM sample a, sample b, sample c";
    QCOMPARE(kind_of([&] { ask(session, endless); }), "timeout");
    QCOMPARE(looks, 3);
    session.set_watch({});
    QCOMPARE(ask(session, "SELECT 1").size(), 1u);
  }

  // A sample that is recorded while a statement runs belongs to the next one.
  void seesTheSamplesThatWereThereWhenItBegan() {
    Catalogue(folder_ / "runs.db");
    const auto file = folder_.path() / "live" / "samples.db";
    SampleWriter writer(file);
    const std::vector<double> some(3000, 1.0);
    writer.append(0, "loss", 1, some);
    writer.commit();
    SqlSession session(folder_ / "runs.db", {{"live", file}});
    qint64 rows = 0;
    session.ask(
        "SELECT step FROM sample ORDER BY step", [](const auto&) {},
        [&](const auto&) {
          if (rows++ % 1000 == 0) {
            writer.append(0, "loss", 3001 + rows / 1000 * 3000, some);
            writer.commit();
          }
          return true;
        });
    QCOMPARE(rows, 3000);
    QCOMPARE(ask(session, "SELECT count(*) FROM sample"), Rows{"12000|"});
  }

  // The chunk's first steps are then found where they were, in no full chunk.
  void aChunkThatIsFilledMeanwhileIsOfTheNextStatement() {
    Catalogue(folder_ / "runs.db");
    const auto file = folder_.path() / "live" / "samples.db";
    { SampleWriter(file).append(0, "y", 1, std::vector<double>(1500, 1.0)); }
    std::optional<SampleWriter> writer(file);
    writer->append(0, "x", 1, 1.0);
    writer->append(0, "y", 1501, std::vector<double>(1000, 1.0));
    writer->commit();
    SqlSession session(folder_ / "runs.db", {{"live", file}});
    int rows = 0;
    session.ask(
        "SELECT step FROM sample WHERE series = 'x' UNION ALL"
        " SELECT step FROM sample WHERE series = 'y' AND step > 1200",
        [](const auto&) {},
        [&](const auto&) {
          writer.reset();  // its end makes chunks of what is there
          return ++rows > 0;
        });
    QCOMPARE(rows, 1 + 1300);
  }

  // A process may open only so many.
  void holdsFewFilesOpenHoweverManyThereAre() {
    Catalogue(folder_ / "runs.db");
    std::map<std::string, std::filesystem::path> files;
    for (int i = 0; i < 70; ++i) {
      const std::string run = "run" + std::to_string(i);
      files[run] = folder_.path() / run / "samples.db";
      SampleWriter writer(files[run]);
      for (int series = 0; series < 8; ++series) writer.append(0, "s" + std::to_string(series), i, 0.5);
    }
    SqlSession session(folder_ / "runs.db", files);
    const auto open_files = [] {
      int count = 0;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        count += std::filesystem::read_symlink(entry, gone).filename() == "samples.db";
      }
      return count;
    };
    for (int round = 0; round < 2; ++round)
      QCOMPARE(ask(session, "SELECT count(*), sum(step) FROM sample"), Rows{"560|19320|"});
    QCOMPARE(open_files(), 64);
    QCOMPARE(ask(session, "SELECT step FROM sample WHERE run = 'run0' AND series = 's0'"), Rows{"0|"});
    // More series than are merged; of those of one run SQLite need not hold all samples.
    const auto is_sorted_afterwards = [&](const std::string& where) {
      const Rows plan = ask(session, "EXPLAIN QUERY PLAN SELECT step FROM sample" + where + " ORDER BY step");
      return plan.back().find("USE TEMP B-TREE") != std::string::npos;
    };
    QVERIFY(is_sorted_afterwards("") && !is_sorted_afterwards(" WHERE run = 'run0'"));
    QCOMPARE(ask(session, "SELECT step FROM sample ORDER BY step LIMIT 9 OFFSET 7"),
             (Rows{"0|", "1|", "1|", "1|", "1|", "1|", "1|", "1|", "1|"}));
  }

  // A run that is removed and taken in again while a question is being answered.
  void whatIsReplacedMeanwhileIsToBeAskedAgain() {
    Catalogue(folder_ / "runs.db");
    const auto file = folder_.path() / "run" / "samples.db";
    { SampleWriter(file).append(0, "loss", 1, std::vector<double>(3000, 1.0)); }
    SqlSession session(folder_ / "runs.db", {{"run", file}});
    bool is_replaced = false;
    VERIFY_THROWS("conflict", "was replaced meanwhile; ask again", {
      session.ask(
          "SELECT step FROM sample", [](const auto&) {},
          [&](const auto&) {
            is_replaced = is_replaced || meddle(file, "DELETE FROM chunk; DELETE FROM track");
            return true;
          });
    });
    QVERIFY(is_replaced);
    QCOMPARE(ask(session, "SELECT count(*) FROM sample"), Rows{"0|"});
  }

  void keepsTheKindOfAnError() {
    Catalogue(folder_ / "runs.db");
    const auto file = folder_.path() / "run" / "samples.db";
    {
      SampleWriter writer(file);
      writer.append(0, "loss", 1, std::vector<double>(2048, 1.0));
    }
    QVERIFY(meddle(file, "UPDATE chunk SET data = zeroblob(length(data)) WHERE number = 1"));
    SqlSession session(folder_ / "runs.db", {{"run", file}});
    QCOMPARE(ask(session, "SELECT count(*) FROM sample WHERE step <= 1024"), Rows{"1024|"});
    QCOMPARE(kind_of([&] { ask(session, "SELECT sum(value) FROM sample"); }), "corrupt");
    SqlSession none(folder_ / "runs.db", {{"run", folder_ / "none.db"}});
    QCOMPARE(ask(none, "SELECT 1"), Rows{"1|"});
    QCOMPARE(kind_of([&] { ask(none, "SELECT * FROM sample"); }), "not_found");
  }

  // Fewer samples than there were are no answer. Each leaves what is before the damage to be asked for.
  void whatIsMissingIsNotPassedOver_data() {
    const auto row = testing::columns<QString, QString>({"damage", "lost"});
    row("a chunk", "DELETE FROM chunk WHERE number = 1", "step > 1500");
    row("a chunk, by step", "DELETE FROM chunk WHERE number = 1", "step = 1500");
    row("the last full chunk", "DELETE FROM chunk WHERE number > 1", "step = 2500");
    row("samples that nobody counts", "UPDATE track SET count = 1024", "step > 5");
    row("the last sample, which nobody counts", "UPDATE track SET count = 3072; DELETE FROM batch",
        "step > 3072");
    row("samples that are not there", "UPDATE track SET count = 3100", "step > 1024");
    row("a batch of nobody knows which steps", "UPDATE batch SET checksum = 0", "step > 3074");
  }
  void whatIsMissingIsNotPassedOver() {
    QFETCH(QString, damage);
    QFETCH(QString, lost);
    Catalogue(folder_ / "runs.db");
    const auto file = folder_.path() / "run" / "samples.db";
    { SampleWriter(file).append(0, "loss", 1, std::vector<double>(3073, 1.0)); }
    SampleWriter writer(file);
    writer.append(0, "loss", 3074, std::vector<double>(5, 1.0));
    writer.commit();
    QVERIFY(meddle(file, damage.toStdString()));
    SqlSession session(folder_ / "runs.db", {{"run", file}});
    for (const char* order : {"step", "step DESC"}) {
      const std::string question = "SELECT value FROM sample WHERE " + lost.toStdString() + " ORDER BY ";
      QCOMPARE(kind_of([&] { ask(session, question + order); }), "corrupt");
    }
    QCOMPARE(ask(session, "SELECT count(*) FROM sample WHERE step <= 1000"), Rows{"1000|"});
  }

 private:
  static constexpr int kSeries = 4;
  static constexpr qint64 kSteps = 12'000, kOverlap = 500;

  // Two runs, each restarted from a checkpoint kOverlap steps back.
  void makeStore() {
    store_.emplace();
    Catalogue(*store_ / "runs.db");
    for (const char* run : {"x", "y"}) {
      files_[run] = store_->path() / run / "samples.db";
      SampleWriter writer(files_[run]);
      for (int series = 0; series < kSeries; ++series) {
        const std::string name = "s" + std::to_string(series);
        writer.append(0, name, 1, std::vector<double>(kSteps / 2, series));
        writer.append(1, name, kSteps / 2 - kOverlap + 1, std::vector<double>(kSteps / 2 + kOverlap, series));
      }
    }
  }

  std::optional<Folder> store_;
  std::map<std::string, std::filesystem::path> files_;

  Folder folder_;
};

BATCHSCOPE_TEST(TestSampleTable)
#include "test_sample_table.moc"
