// SPDX-License-Identifier: Apache-2.0
//
// Opening files: new, older, newer, foreign, damaged, on a read-only medium.
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "database/database.h"
#include "hindered.h"
#include "rows.h"
#include "sleeper.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

namespace {

const Schema kFirst{0x1234, "a test file", {"CREATE TABLE a (x INTEGER NOT NULL) STRICT"}};
const Schema kSecond{0x1234,
                     "a test file",
                     {kFirst.migrations[0], "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'was ' || x"}};

std::int64_t number(Database& database, std::string_view sql) {
  return database.read([&] {
    Query row = database.query(sql);
    row.next();
    return row.integer(0);
  });
}

}  // namespace

class TestDatabase : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  void anOlderFileIsMigratedAfterABackup() {
    const fs::path file = folder_ / "test.db";
    {
      Database database(file, kFirst, Access::write);
      database.write([&] { database.execute("INSERT INTO a (x) VALUES (?)", 5); });
    }
    Database database(file, kSecond, Access::write);
    QCOMPARE(number(database, "SELECT count(*) FROM a WHERE y = 'was 5'"), 1);
    QCOMPARE(number(database, "PRAGMA user_version"), 2);
    Database backup(backup_path(file, 1), kFirst, Access::read);
    QCOMPARE(number(backup, "SELECT x FROM a"), 5);
  }

  // A table is made anew under its old name, as SQLite's ALTER TABLE cannot change a column: who refers to
  // its rows keeps his own.
  void aTableMadeAnewKeepsWhatRefersToIt() {
    const Schema before{0x1234,
                        "a test file",
                        {"CREATE TABLE run (key INTEGER PRIMARY KEY) STRICT;"
                         "CREATE TABLE note (run INTEGER REFERENCES run (key) ON DELETE CASCADE) STRICT"}};
    Schema after = before;
    after.migrations.push_back(
        "CREATE TABLE new_run (key INTEGER PRIMARY KEY, name TEXT) STRICT;"
        "INSERT INTO new_run SELECT key, 'a' FROM run; DROP TABLE run; ALTER TABLE new_run RENAME TO run");
    {
      Database database(folder_ / "test.db", before, Access::write);
      database.write([&] {
        database.execute("INSERT INTO run VALUES (1)");
        database.execute("INSERT INTO note VALUES (1)");
      });
    }
    Database database(folder_ / "test.db", after, Access::write);
    QCOMPARE(number(database, "SELECT count(*) FROM note"), 1);
    database.write([&] { database.execute("DELETE FROM run"); });
    QCOMPARE(number(database, "SELECT count(*) FROM note"), 0);
  }

  // storage/FORMAT.md, "Common to both": of a new file, one that is migrated, and one that is up to date.
  void aFileIsOpenedByItsRules() {
    { Database database(folder_ / "old.db", kFirst, Access::write); }
    { Database database(folder_ / "present.db", kSecond, Access::write); }
    for (const char* name : {"new.db", "old.db", "present.db"}) {
      Database database(folder_ / name, kSecond, Access::write);
      QCOMPARE(number(database, "PRAGMA application_id"), 0x1234);
      QCOMPARE(number(database, "PRAGMA user_version"), 2);
      QCOMPARE(number(database, "PRAGMA foreign_keys"), 1);
      QCOMPARE(number(database, "PRAGMA synchronous"), 1);  // NORMAL
      QCOMPARE(number(database, "PRAGMA journal_size_limit"), 16 << 20);
      QCOMPARE(number(database, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
    }
  }

  // SQLite does not wait there for somebody who writes.
  void whoChangesTheJournalWaitsForAWriter() {
    const fs::path file = folder_ / "test.db";
    { Database database(file, kFirst, Access::write); }
    QVERIFY(meddle(file, "PRAGMA journal_mode = DELETE"));
    SQLite::Database writer(file.string(), SQLite::OPEN_READWRITE);
    writer.exec("BEGIN IMMEDIATE; INSERT INTO a (x) VALUES (5)");
    std::string thrown;
    std::thread opening(
        [&] { thrown = testing::thrown_by([&] { Database database(file, kFirst, Access::write); }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    writer.exec("COMMIT");
    opening.join();
    QCOMPARE(thrown, "nothing was thrown");
    Database database(file, kFirst, Access::read);
    QCOMPARE(number(database, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
    QCOMPARE(number(database, "SELECT x FROM a"), 5);
  }

  void whatMustSurviveAPowerCutWaitsForTheDisk() {
    Database database(folder_ / "test.db", kFirst, Access::write);
    const auto synchronous = [&] {
      Query row = database.query("PRAGMA synchronous");
      row.next();
      return row.integer(0);
    };
    QCOMPARE(database.write(synchronous), 1);
    QCOMPARE(database.write_durably(synchronous), 2);  // FULL
    QCOMPARE(database.write(synchronous), 1);
  }

  // A process with the same id was killed while it made the copy.
  void anUnfinishedBackupIsNotInTheWay() {
    const fs::path file = folder_ / "test.db";
    { Database database(file, kFirst, Access::write); }
    write_file(backup_path(file, 1).string() + "." + std::to_string(getpid()), std::string(5000, 'x'));
    { Database database(file, kSecond, Access::write); }
    Database backup(backup_path(file, 1), kFirst, Access::read);
    QCOMPARE(number(backup, "PRAGMA user_version"), 1);
  }

  void whatIsMadeIsTheOwnersAlone() {
    const mode_t mask = umask(022);
    const fs::path file = folder_ / "deep/down/test.db";
    constexpr fs::perms kFile = fs::perms::owner_read | fs::perms::owner_write;
    Database first(file, kFirst, Access::write);
    first.write([&] { first.execute("INSERT INTO a (x) VALUES (?)", 5); });
    for (const char* ending : {"", "-wal", "-shm"})
      QCOMPARE(fs::status(file.string() + ending).permissions(), kFile);
    Database second(file, kSecond, Access::write);
    QCOMPARE(fs::status(backup_path(file, 1)).permissions(), kFile);
    back_up(file, folder_ / "copy.db");
    QCOMPARE(fs::status(folder_ / "copy.db").permissions(), kFile);
    { SampleWriter writer(folder_ / "runs/abcd1234/samples.db"); }
    QCOMPARE(fs::status(folder_ / "runs/abcd1234/samples.db").permissions(), kFile);
    for (const char* made : {"deep", "deep/down", "runs", "runs/abcd1234"})
      QCOMPARE(fs::status(folder_ / made).permissions(), fs::perms::owner_all);
    umask(mask);
  }

  void aNewFileNeedsNoBackup() {
    Database database(folder_ / "test.db", kSecond, Access::write);
    QCOMPARE(number(database, "PRAGMA user_version"), 2);
    QVERIFY(!fs::exists(backup_path(folder_ / "test.db", 0)));
  }

  void aMigrationThatFailsLeavesTheFileAsItWas() {
    { Database database(folder_ / "test.db", kFirst, Access::write); }
    Schema broken = kSecond;
    broken.migrations.push_back("CREATE TABLE b (x INTEGER) STRICT; nonsense");
    QVERIFY(error_of([&] { Database database(folder_ / "test.db", broken, Access::write); }));
    broken.migrations.back() =
        "CREATE TABLE b (x INTEGER REFERENCES a (rowid_)) STRICT; INSERT INTO b VALUES (1)";
    QVERIFY(error_of([&] { Database database(folder_ / "test.db", broken, Access::write); }));
    broken.migrations.back() =
        "CREATE TABLE b (x INTEGER PRIMARY KEY) STRICT;"
        "CREATE TABLE c (x INTEGER REFERENCES b (x)) STRICT; INSERT INTO c VALUES (1)";
    VERIFY_THROWS("corrupt", "the table c refers to rows that do not exist",
                  Database database(folder_ / "test.db", broken, Access::write));
    Database database(folder_ / "test.db", kFirst, Access::write);
    QCOMPARE(number(database, "SELECT count(*) FROM sqlite_schema"), 1);
  }

  void aMigrationWaitsForWhoeverUsesTheFile() {
    { Database database(folder_ / "test.db", kFirst, Access::write); }
    Schema held = kSecond;
    held.holder = [](SQLite::Database&) -> std::string { return "run abcd0123"; };
    VERIFY_THROWS("conflict", "run abcd0123", Database database(folder_ / "test.db", held, Access::write));
    held.migrations.pop_back();
    Database database(folder_ / "test.db", held, Access::write);
  }

  void aNewerFileIsRefused() {
    { Catalogue catalogue(folder_ / "runs.db"); }
    { SampleWriter writer(folder_ / "samples.db"); }
    for (const char* name : {"runs.db", "samples.db"})
      QVERIFY(meddle(folder_ / name, "PRAGMA user_version = 99"));
    for (const auto& open :
         std::vector<std::function<void()>>{[&] { Catalogue catalogue(folder_ / "runs.db"); },
                                            [&] { SampleWriter w(folder_ / "samples.db"); },
                                            [&] { SampleReader r(folder_ / "samples.db"); }}) {
      const auto error = error_of(open);
      QCOMPARE(error->kind(), ErrorKind::version);
      VERIFY_HOLDS(error->what(), "version 99");
    }
  }

  void filesOfOthersAreLeftAlone() {
    QVERIFY(meddle(folder_ / "other.db", "CREATE TABLE bookmarks (url TEXT)"));
    QCOMPARE(kind_of([&] { Catalogue catalogue(folder_ / "other.db"); }), "corrupt");
    { SampleWriter writer(folder_ / "samples.db"); }
    QCOMPARE(kind_of([&] { Catalogue catalogue(folder_ / "samples.db"); }), "corrupt");
    QVERIFY(meddle(folder_ / "begun.db", "PRAGMA application_id = 5"));  // it has no tables yet
    QCOMPARE(kind_of([&] { Catalogue catalogue(folder_ / "begun.db"); }), "corrupt");
    std::ofstream(folder_ / "text.db") << std::string(5000, 'x');
    QCOMPARE(kind_of([&] { Catalogue catalogue(folder_ / "text.db"); }), "corrupt");
    QCOMPARE(kind_of([&] { SampleReader reader(folder_ / "text.db"); }), "corrupt");
    QCOMPARE(kind_of([&] { Catalogue catalogue(folder_ / "text.db/below/runs.db"); }), "io");
  }

  void anEmptyFileHoldsNothingYet() {
    write_file(folder_ / "test.db", "");
    VERIFY_THROWS("not_found", "test.db", Database database(folder_ / "test.db", kFirst, Access::read));
    Database database(folder_ / "test.db", kFirst, Access::write);
    QCOMPARE(number(database, "SELECT count(*) FROM a"), 0);
  }

  void whatSqliteRefusesHasItsKind_data() {
    const auto row = testing::columns<int, QString, bool>({"code", "kind", "is_read_only_medium"});
    row("busy", SQLITE_BUSY, "timeout", false);
    row("busy, extended", SQLITE_BUSY_SNAPSHOT, "timeout", false);
    row("locked", SQLITE_LOCKED, "timeout", false);
    row("corrupt", SQLITE_CORRUPT, "corrupt", false);
    row("corrupt, extended", SQLITE_CORRUPT_VTAB, "corrupt", false);
    row("no database", SQLITE_NOTADB, "corrupt", false);
    row("full", SQLITE_FULL, "io", false);
    row("read only", SQLITE_READONLY, "io", true);
    row("read only, extended", SQLITE_READONLY_CANTINIT, "io", true);
    row("not permitted", SQLITE_PERM, "io", true);
    row("not authorised", SQLITE_AUTH, "io", false);
    row("cannot be opened", SQLITE_CANTOPEN, "io", true);
    row("input or output", SQLITE_IOERR_WRITE, "io", false);
    row("anything else", SQLITE_MISUSE, "failure", false);
  }
  void whatSqliteRefusesHasItsKind() {
    QFETCH(int, code);
    QFETCH(QString, kind);
    QFETCH(bool, is_read_only_medium);
    const SQLite::Exception cause("no", code);
    const auto error = error_of([&] { throw_error("runs.db", cause); });
    QCOMPARE(QString(error_kind_name(error->kind())), kind);
    VERIFY_HOLDS(error->what(), "runs.db", "no");
    if (kind == "timeout") VERIFY_HOLDS(error->what(), "for 10 s");
    QCOMPARE(storage::is_read_only_medium(cause), is_read_only_medium);
  }

  void anExceptionRollsBack() {
    Database database(folder_ / "test.db", kFirst, Access::write);
    QVERIFY(error_of([&] {
      database.write([&] {
        database.execute("INSERT INTO a (x) VALUES (?)", 5);
        throw Error(ErrorKind::usage, "no");
      });
    }));
    QCOMPARE(number(database, "SELECT count(*) FROM a"), 0);
  }

  // Whatever its folder is called: the file is opened by a URI.
  void aReadOnlyMediumServesForLooking() {
    const fs::path folder = folder_ / "100% #1?";
    fs::create_directory(folder);
    {
      Catalogue catalogue(folder / "runs.db");
      const std::string id = catalogue.create_run(named("old"));
      const Sleeper killed([&] {
        Catalogue(folder / "runs.db").lease_devices(id, always({"cpu:0"}));
        return true;
      });
      SampleWriter writer(folder / "samples.db");
      writer.append(0, "loss", 1, 0.5);
    }
    fs::permissions(folder_.path(), fs::perms(0755));
    fs::permissions(folder, fs::perms(0555));
    for (const char* name : {"runs.db", "samples.db"}) fs::permissions(folder / name, fs::perms(0444));
    std::optional<testing::Unprivileged> hindered(std::in_place);
    std::size_t leases = 0;
    std::optional<Error> error = error_of([&] {
      Catalogue catalogue(folder / "runs.db");
      leases = catalogue.lease_events(0).size();  // whose holder is dead, which nobody can write down
      QCOMPARE(catalogue.runs().at(0).name, std::string("old"));
      QVERIFY(!catalogue.changed());
      SampleReader reader(folder / "samples.db");
      QCOMPARE(reader.read("loss", 0).size(), 1u);
      catalogue.set_note(catalogue.runs().at(0).id, "new");
    });
    hindered.reset();
    fs::permissions(folder, fs::perms(0755));
    QVERIFY(error);
    QCOMPARE(error->kind(), ErrorKind::io);
    QCOMPARE(leases, 1u);
  }

  void aFileThatMayOnlyBeReadServesForLooking() {
    const fs::path file = folder_ / "old.db", empty = folder_ / "empty.db";
    {
      Database database(file, kFirst, Access::write);
      database.write([&] { database.execute("INSERT INTO a (x) VALUES (?)", 5); });
    }
    write_file(empty, "");
    for (const fs::path& path : {file, empty}) fs::permissions(path, fs::perms(0444));
    fs::permissions(folder_.path(), fs::perms::all);
    std::optional<testing::Unprivileged> hindered(std::in_place);
    std::optional<Error> error = error_of([&] {
      Database nothing(empty, kSecond, Access::write);
      QCOMPARE(number(nothing, "SELECT count(*) FROM a"), 0);
      Database database(file, kSecond, Access::write);
      QCOMPARE(number(database, "SELECT count(*) FROM a WHERE y = 'was 5'"), 1);
      database.write([&] { database.execute("INSERT INTO a (x) VALUES (?)", 6); });
    });
    hindered.reset();
    QVERIFY(error);
    QCOMPARE(error->kind(), ErrorKind::io);
  }

  void anOlderFileOnAReadOnlyMediumServesForLookingToo() {
    const fs::path file = folder_ / "50%4A #1?.db";  // SQLite is told by a URI
    {
      Database database(file, kFirst, Access::write);
      database.write([&] { database.execute("INSERT INTO a (x) VALUES (?)", 5); });
      database.checkpoint();
    }
    fs::permissions(file, fs::perms(0444));
    fs::permissions(folder_.path(), fs::perms(0555));
    std::optional<testing::Unprivileged> hindered(std::in_place);
    std::optional<Error> error = error_of([&] {
      for (const Access access : {Access::read, Access::write}) {
        Database database(file, kSecond, access);
        QCOMPARE(number(database, "SELECT count(*) FROM a WHERE y = 'was 5'"), 1);
        QVERIFY(!database.changed());
        database.write([&] { database.execute("INSERT INTO a (x) VALUES (?)", 6); });
      }
    });
    hindered.reset();
    fs::permissions(folder_.path(), fs::perms(0755));
    QVERIFY(error);
    QCOMPARE(error->kind(), ErrorKind::io);
    Database database(file, kFirst, Access::read);
    QCOMPARE(number(database, "PRAGMA user_version"), 1);
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestDatabase)
#include "test_database.moc"
