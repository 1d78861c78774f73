// SPDX-License-Identifier: Apache-2.0
//
// A plan's number holds what a Plan has as flags, its text a letter for each argument of the scan:
// r(un), s(eries), g(eneration), and for the step = > < and, with equality, ] [ (at least, at most).
//
// Costs are in samples handed out; opening a track, or finding a step in one, is about ten of them.
#include "table/sample_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace batchscope::storage {
namespace {

enum Flag { kByStep = 1, kBackwards = 2, kOnePerTrack = 4 };

constexpr double kTrackCost = 10;
constexpr double kPartOfOneBound = 0.25, kPartOfTwoBounds = 0.05;  // of a track's samples; nobody knows
constexpr std::size_t kMostMerged = 512;                           // tracks, of each of which a chunk is held

// None where the condition does not help.
char letter_of(int column, int op) {
  const bool is_equality = op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_IS;
  switch (column) {
    case kRunColumn: return is_equality ? 'r' : 0;
    case kSeriesColumn: return is_equality ? 's' : 0;
    case kGenerationColumn: return is_equality ? 'g' : 0;
    case kStepColumn: break;
    default: return 0;
  }
  if (is_equality) return '=';
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_GT: return '>';
    case SQLITE_INDEX_CONSTRAINT_GE: return ']';
    case SQLITE_INDEX_CONSTRAINT_LT: return '<';
    case SQLITE_INDEX_CONSTRAINT_LE: return '[';
    default: return 0;
  }
}

// Returns that of a value whose type is SQLITE_TEXT.
std::string text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// The conditions on the samples that are known while the statement is planned.
struct Conditions {
  std::optional<std::string> run, series;  // where these are constants
  std::optional<std::int64_t> generation;
  std::array<bool, kValueColumn> is_fixed{};  // by equality, known or not
  bool has_first_step = false, has_last_step = false;
};

// The tracks that the constants leave.
struct Extent {
  double tracks = 0, samples = 0;
  std::set<std::string_view> runs, series;
  std::set<int> generations;
};

Extent extent_of(SampleSet& set, const Conditions& known) {
  Extent extent;
  for (const auto& track : set.tracks()) {
    if (known.run && *known.run != *track.run) continue;
    if (known.series && *known.series != track.series) continue;
    if (known.generation && *known.generation != track.generation) continue;
    ++extent.tracks;
    extent.samples += static_cast<double>(track.count);
    extent.runs.insert(*track.run);
    extent.series.insert(track.series);
    extent.generations.insert(track.generation);
  }
  return extent;
}

void estimate(const Conditions& conditions, const Extent& extent, bool one_per_track,
              sqlite3_index_info* info) {
  const auto share = [&](SampleColumn column, bool is_known, std::size_t values) {
    return conditions.is_fixed[column] && !is_known ? 1 / std::max(1.0, static_cast<double>(values)) : 1.0;
  };
  const double part = share(kRunColumn, conditions.run.has_value(), extent.runs.size()) *
                      share(kSeriesColumn, conditions.series.has_value(), extent.series.size()) *
                      share(kGenerationColumn, conditions.generation.has_value(), extent.generations.size());
  const double tracks = extent.tracks * part;
  double samples = extent.samples * part;
  if (conditions.is_fixed[kStepColumn] || one_per_track)
    samples = std::min(samples, tracks);
  else if (conditions.has_first_step && conditions.has_last_step)
    samples *= kPartOfTwoBounds;
  else if (conditions.has_first_step || conditions.has_last_step)
    samples *= kPartOfOneBound;
  info->estimatedCost = kTrackCost * std::max(tracks, 1.0) + samples;
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(samples, 1.0));
}

// The flags of a scan in the order that is asked for; none where no scan has it.
std::optional<int> order_of(const Conditions& conditions, const Extent& extent,
                            const sqlite3_index_info* info) {
  std::vector<sqlite3_index_info::sqlite3_index_orderby> terms;
  const std::array is_single{extent.runs.size() <= 1, extent.series.size() <= 1,
                             extent.generations.size() <= 1, false};
  const auto is_constant = [&](int column) {
    return conditions.is_fixed[static_cast<std::size_t>(column)] ||
           is_single[static_cast<std::size_t>(column)];
  };
  for (int i = 0; i < info->nOrderBy; ++i) {
    const auto& term = info->aOrderBy[i];
    if (term.iColumn < kRunColumn || term.iColumn >= kValueColumn) return std::nullopt;
    if (!is_constant(term.iColumn)) terms.push_back(term);
  }
  if (terms.empty()) return 0;
  const bool backwards = terms.front().desc != 0;
  const int flags = backwards ? kBackwards : 0;
  int column = kRunColumn;
  bool is_by_track = true;
  for (const auto& term : terms) {
    while (column < term.iColumn && is_constant(column)) ++column;
    is_by_track = is_by_track && column == term.iColumn && (term.desc != 0) == backwards;
    ++column;
  }
  if (is_by_track) return flags;
  if (terms.size() == 1 && terms.front().iColumn == kStepColumn &&
      extent.tracks <= static_cast<double>(kMostMerged))
    return flags | kByStep;
  return std::nullopt;
}

// No two samples of a track can be told apart by what the statement looks at.
bool needs_one_per_track(sqlite3_index_info* info) {
  constexpr sqlite3_uint64 kOfTrack = 1U << kRunColumn | 1U << kSeriesColumn | 1U << kGenerationColumn;
  return sqlite3_vtab_distinct(info) >= 2 && (info->colUsed & ~kOfTrack) == 0;
}

// A whole number that the value equals; none where there is none.
std::optional<std::int64_t> whole(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  if (type != SQLITE_FLOAT) return std::nullopt;
  const double number = sqlite3_value_double(value);
  if (number != std::floor(number) || number < -0x1p63 || number >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// Steps behind the value, or from it on where `with`. As SQLite compares: a number is less than any text.
void begin_behind(Wanted& wanted, sqlite3_value* value, bool with) {
  const int type = sqlite3_value_numeric_type(value);
  const double number = sqlite3_value_double(value);
  if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || (type == SQLITE_FLOAT && number >= 0x1p63)) {
    wanted.nothing = true;
    return;
  }
  if (type == SQLITE_FLOAT && number < -0x1p63) return;
  const std::int64_t step =
      type == SQLITE_INTEGER ? sqlite3_value_int64(value) : static_cast<std::int64_t>(std::floor(number));
  const bool itself = with && (type == SQLITE_INTEGER || number == std::floor(number));
  if (!itself && step == INT64_MAX)
    wanted.nothing = true;
  else
    wanted.first_step = std::max(wanted.first_step, itself ? step : step + 1);
}

// Steps before the value, or up to it where `with`.
void end_before(Wanted& wanted, sqlite3_value* value, bool with) {
  const int type = sqlite3_value_numeric_type(value);
  const double number = sqlite3_value_double(value);
  if (type == SQLITE_NULL || (type == SQLITE_FLOAT && number < -0x1p63)) {
    wanted.nothing = true;
    return;
  }
  if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || (type == SQLITE_FLOAT && number >= 0x1p63)) return;
  const std::int64_t step =
      type == SQLITE_INTEGER ? sqlite3_value_int64(value) : static_cast<std::int64_t>(std::ceil(number));
  const bool itself = with && (type == SQLITE_INTEGER || number == std::ceil(number));
  if (!itself && step == INT64_MIN)
    wanted.nothing = true;
  else
    wanted.last_step = std::min(wanted.last_step, itself ? step : step - 1);
}

template <class Value>
void require(Wanted& wanted, std::optional<Value>& place, std::optional<Value> value) {
  if (!value || (place && *place != *value))
    wanted.nothing = true;
  else
    place = std::move(value);
}

void require_text(Wanted& wanted, std::optional<std::string>& place, sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_TEXT: return require(wanted, place, std::optional(text_of(value)));
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return;  // how they compare depends on what they come from: SQLite looks
    default: wanted.nothing = true;
  }
}

void require_step(Wanted& wanted, sqlite3_value* value) {
  const std::optional<std::int64_t> step = whole(value);
  if (!step) {
    wanted.nothing = true;
    return;
  }
  wanted.first_step = std::max(wanted.first_step, *step);
  wanted.last_step = std::min(wanted.last_step, *step);
}

}  // namespace

int plan_samples(SampleSet& set, sqlite3_index_info* info) {
  Conditions conditions;
  std::string text;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const char letter = constraint.usable ? letter_of(constraint.iColumn, constraint.op) : 0;
    if (letter == 0) continue;
    sqlite3_value* constant = nullptr;
    const bool is_known = sqlite3_vtab_rhs_value(info, i, &constant) == SQLITE_OK;
    bool is_checked_here = true;
    if (letter == 'r' || letter == 's') {
      if (std::string_view(sqlite3_vtab_collation(info, i)) != "BINARY") continue;
      is_checked_here = is_known && sqlite3_value_type(constant) == SQLITE_TEXT;
      if (is_checked_here) (letter == 'r' ? conditions.run : conditions.series) = text_of(constant);
    } else if (letter == 'g' && is_known) {
      conditions.generation = whole(constant);
    }
    conditions.has_first_step = conditions.has_first_step || letter == '>' || letter == ']';
    conditions.has_last_step = conditions.has_last_step || letter == '<' || letter == '[';
    if (std::string_view("rsg=").find(letter) != std::string_view::npos)
      conditions.is_fixed[static_cast<std::size_t>(constraint.iColumn)] = true;
    text += letter;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(text.size());
    info->aConstraintUsage[i].omit = is_checked_here;
  }
  const Extent extent = extent_of(set, conditions);
  const std::optional<int> order = order_of(conditions, extent, info);
  const bool one_per_track = needs_one_per_track(info);
  info->orderByConsumed = order.has_value();
  info->idxNum = order.value_or(0) | (one_per_track ? kOnePerTrack : 0);
  info->idxStr = sqlite3_mprintf("%s", text.c_str());
  info->needToFreeIdxStr = 1;
  estimate(conditions, extent, one_per_track, info);
  return SQLITE_OK;
}

Wanted wanted_samples(int number, const char* text, sqlite3_value** values) {
  Wanted wanted;
  wanted.by_step = (number & kByStep) != 0;
  wanted.backwards = (number & kBackwards) != 0;
  wanted.one_per_track = (number & kOnePerTrack) != 0;
  for (int i = 0; text[i] != '\0'; ++i) switch (text[i]) {
      case 'r': require_text(wanted, wanted.run, values[i]); break;
      case 's': require_text(wanted, wanted.series, values[i]); break;
      case 'g': require(wanted, wanted.generation, whole(values[i])); break;
      case '=': require_step(wanted, values[i]); break;
      case '>': begin_behind(wanted, values[i], false); break;
      case ']': begin_behind(wanted, values[i], true); break;
      case '<': end_before(wanted, values[i], false); break;
      default: end_before(wanted, values[i], true); break;
    }
  return wanted;
}

}  // namespace batchscope::storage
