// SPDX-License-Identifier: Apache-2.0
//
// The callbacks of SQLite, and whom they go on to: sample_plan decides, sample_scan reads.
#include "table/sample_table.h"

#include <memory>

#include "table/sample_plan.h"
#include "table/sample_scan.h"

namespace batchscope::storage {

struct SampleModule {
  struct Table : sqlite3_vtab {
    SampleTable* owner = nullptr;
  };

  struct Cursor : sqlite3_vtab_cursor {
    explicit Cursor(SampleTable& table) : owner(table), scan(table.set_) {}

    SampleTable& owner;
    SampleScan scan;
  };

  // An Error of ours becomes one of SQLite's, with its text.
  template <class Body>
  static int guarded(sqlite3_vtab* table, Body&& body) {
    try {
      body();
      return SQLITE_OK;
    } catch (const std::exception& error) {
      static_cast<Table*>(table)->owner->failure_ = std::current_exception();
      sqlite3_free(table->zErrMsg);
      table->zErrMsg = sqlite3_mprintf("%s", error.what());
      return SQLITE_ERROR;
    }
  }

  static int connect(sqlite3* connection, void* owner, int, const char* const*, sqlite3_vtab** made, char**) {
    const int code = sqlite3_declare_vtab(
        connection,
        "CREATE TABLE sample (run TEXT, series TEXT, generation INTEGER, step INTEGER, value REAL)");
    if (code != SQLITE_OK) return code;
    auto table = std::make_unique<Table>();
    table->owner = static_cast<SampleTable*>(owner);
    *made = table.release();
    return SQLITE_OK;
  }

  static int disconnect(sqlite3_vtab* table) {
    delete static_cast<Table*>(table);
    return SQLITE_OK;
  }

  static int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
    return guarded(table, [&] { plan_samples(static_cast<Table*>(table)->owner->set_, info); });
  }

  static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** made) {
    *made = new Cursor(*static_cast<Table*>(table)->owner);
    return SQLITE_OK;
  }

  static int close(sqlite3_vtab_cursor* cursor) {
    delete static_cast<Cursor*>(cursor);
    return SQLITE_OK;
  }

  static int filter(sqlite3_vtab_cursor* base, int number, const char* text, int, sqlite3_value** values) {
    auto& cursor = static_cast<Cursor&>(*base);
    return guarded(base->pVtab, [&] {
      cursor.scan.begin(wanted_samples(number, text, values));
      count(cursor);
    });
  }

  static int next(sqlite3_vtab_cursor* base) {
    auto& cursor = static_cast<Cursor&>(*base);
    return guarded(base->pVtab, [&] {
      cursor.scan.next();
      count(cursor);
    });
  }

  static void count(Cursor& cursor) { cursor.owner.visited_ += cursor.scan.at_end() ? 0 : 1; }

  static int at_end(sqlite3_vtab_cursor* base) { return static_cast<const Cursor&>(*base).scan.at_end(); }

  static int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
    const SampleScan& scan = static_cast<const Cursor&>(*base).scan;
    // They live as long as the statement.
    const auto text = [&](const std::string& value) {
      sqlite3_result_text(context, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    };
    switch (number) {
      case kRunColumn: text(*scan.track().run); break;
      case kSeriesColumn: text(scan.track().series); break;
      case kGenerationColumn: sqlite3_result_int(context, scan.track().generation); break;
      case kStepColumn: sqlite3_result_int64(context, scan.sample().step); break;
      default: sqlite3_result_double(context, scan.sample().value);  // NaN becomes NULL
    }
    return SQLITE_OK;
  }

  static int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
    *id = static_cast<const Cursor&>(*base).scan.id();
    return SQLITE_OK;
  }

  // Without xCreate the table is eponymous: it is there by its name alone.
  static sqlite3_module make() {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xBestIndex = best_index;
    module.xDisconnect = disconnect;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = at_end;
    module.xColumn = column;
    module.xRowid = row_id;
    return module;
  }
};

SampleTable::SampleTable(sqlite3* connection, const SampleFiles& files) : set_(files) {
  static const sqlite3_module module = SampleModule::make();
  sqlite3_create_module_v2(connection, "sample", &module, this, nullptr);
}

void SampleTable::begin_statement() {
  set_.forget();
  failure_ = nullptr;
}

void SampleTable::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace batchscope::storage
