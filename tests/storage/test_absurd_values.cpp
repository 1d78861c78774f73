// SPDX-License-Identifier: Apache-2.0
//
// Two questions to every column of every record: what if its value is absurd when it is written, and what if
// it is when it is read? What is written can be read again. What is read bars no other run; a number that is
// absurd bars nothing at all.
#include <cmath>
#include <limits>

#include "batchscope/storage/origins.h"
#include "batchscope/storage/record_fields.h"
#include "batchscope/storage/sweeps.h"
#include "catalogue/catalogue_schema.h"
#include "database/database.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
namespace fs = std::filesystem;

namespace {

constexpr char kBad[] = "badbadba", kGood[] = "goodgood";

RunRecord record_of(const std::string& id) {
  RunRecord record;
  record.run.id = id;
  record.run.name = id;
  record.run.spec = named(id);
  record.run.state = RunState::stopped;
  record.run.created = 1e9;
  record.run.tags = {"tag"};
  record.run.latest = {{"loss", 1}};
  record.run.hyperparameters = {{"lr", "0.1"}};
  Generation generation;
  generation.started = 1e9;
  generation.pause_parts = {{"launch", 1}};
  record.generations = {generation};
  record.epochs = {{0, 0, 1e9, 1e9, 1, 2}};
  record.events = {{0, 1e9, 0, 1, "info", "text"}};
  record.ledger = {{0, {}}};
  record.model.emplace();
  return record;
}

// A store with something in every table, of two runs.
void fill(const fs::path& file) {
  Catalogue catalogue(file);
  Sweeps sweeps(catalogue);
  Origins origins(file);
  for (const std::string id : {kBad, kGood}) {
    origins.take(id, {.host = "login", .folder = "/scratch/" + id, .followed = true},
                 std::vector<RecordPart>{{.record = record_of(id)}});
    catalogue.put_checkpoint(id, {"checkpoint-000001", 0, 1, 0, 1, 1e9, 1, 1, "manual"});
    catalogue.enlist(id);
    catalogue.lease_devices(id, always({"cpu:" + id}));
    Sweep sweep;
    sweep.name = id;
    sweeps.create(sweep);
    sweeps.begin_leg(id, 0, {.parameters = {{"lr", "0.1"}}});
    sweeps.submit(id, {}, named("trial"));
  }
  catalogue.change_pool_settings([](auto&) {});
  catalogue.add_decision({});
}

// All that can be asked of one run, and of its sweep.
std::vector<std::function<void()>> questions(Catalogue& catalogue, Sweeps& sweeps, Origins& origins,
                                             const std::string& id) {
  return {[&, id] { catalogue.generations(id); },
          [&, id] { catalogue.epochs(id); },
          [&, id] { catalogue.events(id); },
          [&, id] { catalogue.checkpoints(id); },
          [&, id] { catalogue.ledger(id); },
          [&, id] { catalogue.hyperparameters(id); },
          [&, id] { catalogue.model(id); },
          [&, id] { catalogue.record(id); },
          [&, id] { catalogue.job(id); },
          [&, id] { origins.find(id); },
          [&, id] { sweeps.find(id); },
          [&, id] { sweeps.legs(id); },
          [&, id] { sweeps.runs(id); }};
}

// The lists of several runs.
std::vector<std::function<void()>> lists(Catalogue& catalogue, Sweeps& sweeps, Origins& origins) {
  return {[&] { catalogue.runs(); },        [&] { catalogue.trash(); },
          [&] { catalogue.jobs(); },        [&] { catalogue.leases(); },
          [&] { catalogue.decisions(); },   [&] { catalogue.last_decision(); },
          [&] { catalogue.pool_needed(); }, [&] { sweeps.all(); },
          [&] { origins.followed(); },      [&] { catalogue.lease_events(0); }};
}

// Expressions of SQL for a column of this type.
std::vector<std::string> absurd_values(const std::string& type) {
  if (type == "REAL") return {"1e18", "-1e18", "1e308", "9e999", "NULL"};
  if (type == "INTEGER") return {"-9223372036854775807 - 1", "9223372036854775807", "1 << 40", "-1"};
  return {"''", "'{'", "char(0)", "CAST(x'fffe' AS TEXT)", "printf('%20000d', 0)"};
}

struct Column {
  std::string table, name, type;
};

std::vector<Column> columns_of(const fs::path& file) {
  std::vector<Column> columns;
  Database database(file, catalogue_schema(), Access::read);
  Query row = database.query(
      "SELECT tables.name, info.name, info.type FROM sqlite_schema AS tables, pragma_table_info(tables.name) "
      "AS info"
      " WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'");
  while (row.next()) columns.push_back({row.text(0), row.text(1), row.text(2)});
  return columns;
}

// The rows of a table that are the bad run's, or its sweep's.
std::string rows_of_bad(const std::string& table) {
  const std::string id = std::string("'") + kBad + "'";
  if (table == "run") return "id = " + id;
  if (table == "sweep") return "name = " + id;
  if (table == "trial" || table == "sweep_leg")
    return "sweep = (SELECT key FROM sweep WHERE name = " + id + ")";
  if (table == "pool" || table == "decision") return "1";
  return "run = (SELECT key FROM run WHERE id = " + id + ")";
}

std::string told(const std::string& what, const std::optional<Error>& error) {
  return what + ": " + (error ? error->what() : "well");
}

void make_absurd(double& member, int turn) {
  constexpr double kValues[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                1e18,
                                1e308,
                                -1e308};
  member = kValues[turn % std::size(kValues)];
}
void make_absurd(std::int64_t& member, int turn) { member = turn % 2 ? INT64_MIN : INT64_MAX; }
void make_absurd(int& member, int turn) { member = turn % 2 ? INT_MIN : INT_MAX; }
void make_absurd(std::string& member, int turn) {
  const std::string values[] = {"", std::string("a\0b", 3), "\xff\xfe", "../../x", std::string(20000, ' ')};
  member = values[turn % std::size(values)];
}
void make_absurd(std::map<std::string, double>& member, int turn) {
  member.emplace("", 0);
  for (auto& [name, value] : member) make_absurd(value, turn);
}

}  // namespace

class TestAbsurdValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  void whatIsWrittenCanBeRead() {
    Catalogue catalogue(folder_ / "runs.db");
    catalogue.add_record(record_of(kBad));
    constexpr int kTurns = 6;
    // Writes the record with each of its fields absurd in turn; who refuses it does no harm.
    const auto try_fields = [&](const auto& sound, auto&& write) {
      auto count = 0;
      visit_fields(sound, [&](const char*, const auto&, Meaning) { ++count; });
      for (int field = 0; field < count; ++field)
        for (int turn = 0; turn < kTurns; ++turn) {
          auto record = sound;
          int at = 0;
          std::string name;
          visit_fields(record, [&](const char* one, auto& member, Meaning) {
            if (at++ != field) return;
            name = one;
            make_absurd(member, turn);
          });
          const auto refused = error_of([&] { write(record); });
          QVERIFY2(!refused || refused->kind() == ErrorKind::usage, told(name, refused).c_str());
          const auto unread = error_of([&] {
            catalogue.record(kBad);
            catalogue.checkpoints(kBad);
            for (const Run& run : catalogue.runs()) require_sound(run);
          });
          QVERIFY2(!unread, told(name, unread).c_str());
        }
    };
    const RunRecord sound = record_of(kBad);
    try_fields(sound.generations[0], [&](const auto& record) { catalogue.put_generation(kBad, record); });
    try_fields(sound.epochs[0], [&](const auto& record) { catalogue.put_epoch(kBad, record); });
    try_fields(Checkpoint{}, [&](const auto& record) { catalogue.put_checkpoint(kBad, record); });
    try_fields(sound.ledger[0],
               [&](const auto& record) { catalogue.add_ledger(kBad, record.generation, record.entry); });
    try_fields(record_of(kGood).run, [&](const auto& run) {
      RunRecord record = record_of(kGood);
      record.run = run;
      if (catalogue.run(kGood)) catalogue.remove_run(kGood);
      catalogue.add_record(record);
    });
    try_fields(sound.events[0], [&](const auto& event) {
      RunRecord record = record_of(kGood);
      record.events = {event};
      if (catalogue.run(kGood)) catalogue.remove_run(kGood);
      catalogue.add_record(record);
    });
  }

  void whatIsReadBarsNoOtherRun() {
    const fs::path whole = folder_ / "whole.db", file = folder_ / "runs.db";
    fill(whole);
    for (const Column& column : columns_of(whole))
      for (const std::string& value : absurd_values(column.type)) {
        const std::string what = column.table + "." + column.name + " = " + value;
        for (const char* end : {"-wal", "-shm"}) fs::remove(file.string() + end);
        fs::copy_file(whole, file, fs::copy_options::overwrite_existing);
        // A value that the table does not take, such as a NULL, cannot be in it.
        if (!meddle(file, "UPDATE OR ROLLBACK " + column.table + " SET " + column.name + " = " + value +
                              " WHERE " + rows_of_bad(column.table)))
          continue;
        Catalogue catalogue(file);
        Sweeps sweeps(catalogue);
        Origins origins(file);
        const auto check = [&](const auto& asked, bool may_fail) {
          for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto error = error_of(asked[i]);
            const bool is_told =
                error && (error->kind() == ErrorKind::corrupt || error->kind() == ErrorKind::not_found);
            const bool is_good = !error || (may_fail && is_told);
            QVERIFY2(is_good, told(what + ", question " + std::to_string(i), error).c_str());
          }
        };
        check(lists(catalogue, sweeps, origins), false);
        check(questions(catalogue, sweeps, origins, kGood), false);
        check(questions(catalogue, sweeps, origins, kBad), column.type != "REAL");
      }
  }

 private:
  Folder folder_;
};

BATCHSCOPE_TEST(TestAbsurdValues)
#include "test_absurd_values.moc"
