// SPDX-License-Identifier: Apache-2.0
//
// A scan is a list of parts, one a series and generation of a run, that is fixed when it begins. Equality on
// run, series or generation leaves parts out, and comparisons of the step bound what is read of each;
// everything else SQLite checks row by row, and these once more.
#include "sample_table.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/samples.h"

namespace batchscope::storage {
namespace {

constexpr std::int64_t kPage = 16'384;  // samples

enum Column { kRun, kSeries, kGeneration, kStep, kValue };

struct Table : sqlite3_vtab {
  const SampleFiles* files = nullptr;
};

struct Part {
  std::string run;
  std::string series;
  int generation = 0;
  std::int64_t number = 0;  // among all, wanted or not
};

struct Cursor : sqlite3_vtab_cursor {
  std::map<std::string, std::unique_ptr<SampleReader>> readers;
  std::vector<Part> parts;
  std::size_t part = 0;
  std::vector<Sample> page;
  std::size_t at = 0;         // in the page
  std::int64_t position = 0;  // of the page's first sample, in the part
  std::int64_t end = 0;       // the position behind the last one that is wanted
  std::int64_t first_step = INT64_MIN, last_step = INT64_MAX;  // that are wanted of each part

  SampleReader& reader() { return *readers.at(parts[part].run); }

  // Of the part's steps; bounded however many there are.
  std::int64_t count(std::int64_t from, std::int64_t to) {
    std::int64_t samples = 0;
    for (const Bucket& bucket : reader().summarize(parts[part].series, parts[part].generation, from, to, 1))
      samples += bucket.count;
    return samples;
  }

  void begin_part() {
    page.clear();
    at = 0;
    position = 0;
    end = INT64_MAX;
    if (part == parts.size()) return;
    if (first_step > INT64_MIN) position = count(INT64_MIN, first_step - 1);
    if (last_step < INT64_MAX) end = position + count(first_step, last_step);
  }

  // To the next page or the next part where this page is done.
  void settle() {
    while (part < parts.size() && at == page.size()) {
      position += static_cast<std::int64_t>(page.size());
      page = reader().read_positions(parts[part].series, parts[part].generation, position,
                                     std::min(kPage, end - position));
      at = 0;
      if (page.empty()) {
        ++part;
        begin_part();
      }
    }
  }
};

// An Error of ours becomes one of SQLite's, with its text.
template <class Body>
int guarded(sqlite3_vtab* table, Body&& body) {
  try {
    body();
    return SQLITE_OK;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* connection, void* files, int, const char* const*, sqlite3_vtab** made, char**) {
  const int code = sqlite3_declare_vtab(
      connection,
      "CREATE TABLE sample (run TEXT, series TEXT, generation INTEGER, step INTEGER, value REAL)");
  if (code != SQLITE_OK) return code;
  auto table = std::make_unique<Table>();
  table->files = static_cast<const SampleFiles*>(files);
  *made = table.release();
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// idxStr holds a letter for each argument of filter: r(un), s(eries), g(eneration), or < > = of the step.
char argument_of(int column, int op) {
  if (column == kStep) switch (op) {
      case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
      case SQLITE_INDEX_CONSTRAINT_GT:
      case SQLITE_INDEX_CONSTRAINT_GE: return '>';
      case SQLITE_INDEX_CONSTRAINT_LT:
      case SQLITE_INDEX_CONSTRAINT_LE: return '<';
      default: return 0;
    }
  return op == SQLITE_INDEX_CONSTRAINT_EQ && column >= kRun && column <= kGeneration ? "rsg"[column] : 0;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  std::string arguments;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const char argument = constraint.usable ? argument_of(constraint.iColumn, constraint.op) : 0;
    if (argument == 0) continue;
    arguments += argument;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(arguments.size());
  }
  info->idxStr = sqlite3_mprintf("%s", arguments.c_str());
  info->needToFreeIdxStr = 1;
  info->estimatedCost = 1e7 / static_cast<double>(1 + 30 * arguments.size());
  return SQLITE_OK;
}

int open(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = new Cursor();
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

bool is_wanted(const Part& part, const char* arguments, sqlite3_value** values) {
  for (int i = 0; arguments[i] != '\0'; ++i) {
    if (arguments[i] == 'g') {
      if (sqlite3_value_type(values[i]) == SQLITE_INTEGER &&
          sqlite3_value_int64(values[i]) != part.generation)
        return false;
    } else if ((arguments[i] == 'r' || arguments[i] == 's') && sqlite3_value_type(values[i]) == SQLITE_TEXT) {
      const std::string text(reinterpret_cast<const char*>(sqlite3_value_text(values[i])));
      if (text != (arguments[i] == 'r' ? part.run : part.series)) return false;
    }
  }
  return true;
}

// What a step is compared with narrows the range where it is an integer.
void narrow(Cursor& cursor, char comparison, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return;
  const std::int64_t step = sqlite3_value_int64(value);
  if (comparison == '>' || comparison == '=') cursor.first_step = std::max(cursor.first_step, step);
  if (comparison == '<' || comparison == '=') cursor.last_step = std::min(cursor.last_step, step);
}

int filter(sqlite3_vtab_cursor* base, int, const char* arguments, int, sqlite3_value** values) {
  auto& cursor = static_cast<Cursor&>(*base);
  return guarded(base->pVtab, [&] {
    cursor.parts.clear();
    cursor.part = 0;
    std::int64_t number = 0;
    cursor.first_step = INT64_MIN;
    cursor.last_step = INT64_MAX;
    for (int i = 0; arguments[i] != '\0'; ++i) narrow(cursor, arguments[i], values[i]);
    for (const auto& [run, file] : *static_cast<Table*>(base->pVtab)->files) {
      auto& reader = cursor.readers[run];
      if (!reader) reader = std::make_unique<SampleReader>(file);
      for (const SeriesInfo& info : reader->series())
        for (const int generation : reader->generations(info.name))
          if (const Part part{run, info.name, generation, number++}; is_wanted(part, arguments, values))
            cursor.parts.push_back(part);
    }
    cursor.begin_part();
    cursor.settle();
  });
}

int next(sqlite3_vtab_cursor* base) {
  auto& cursor = static_cast<Cursor&>(*base);
  return guarded(base->pVtab, [&] {
    ++cursor.at;
    cursor.settle();
  });
}

int at_end(sqlite3_vtab_cursor* base) {
  const auto& cursor = static_cast<const Cursor&>(*base);
  return cursor.part >= cursor.parts.size();
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  const auto& cursor = static_cast<const Cursor&>(*base);
  const Part& part = cursor.parts[cursor.part];
  const auto text = [&](const std::string& value) {
    sqlite3_result_text(context, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  };
  switch (number) {
    case kRun: text(part.run); break;
    case kSeries: text(part.series); break;
    case kGeneration: sqlite3_result_int(context, part.generation); break;
    case kStep: sqlite3_result_int64(context, cursor.page[cursor.at].step); break;
    case kValue: sqlite3_result_double(context, cursor.page[cursor.at].value); break;  // NaN becomes NULL
    default: sqlite3_result_null(context);
  }
  return SQLITE_OK;
}

// The same for a sample in every scan of a statement: by it SQLite unites what the sides of an OR find.
int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  const auto& cursor = static_cast<const Cursor&>(*base);
  *id = cursor.parts[cursor.part].number << 40 | (cursor.position + static_cast<std::int64_t>(cursor.at));
  return SQLITE_OK;
}

// Without xCreate the table is eponymous: it is there by its name alone.
sqlite3_module make_module() {
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

}  // namespace

void add_sample_table(sqlite3* connection, const SampleFiles& files) {
  static const sqlite3_module module = make_module();
  sqlite3_create_module_v2(connection, "sample", &module, const_cast<SampleFiles*>(&files), nullptr);
}

}  // namespace batchscope::storage
