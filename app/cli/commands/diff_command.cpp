// SPDX-License-Identifier: Apache-2.0
//
// diff: shows how two runs differ in their start, their hyperparameters, their generations and their last
// values.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "batchscope/storage/record_json.h"
#include "batchscope/storage/side_by_side.h"
#include "commands/commands.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

using storage::SideBySideValue;
using Kind = storage::SideBySideSection::Kind;

// A property of which each run has a value, or none (null).
struct Row {
  std::string name;
  std::string a, b;  // as a person reads them
  Json jsonA, jsonB;
  std::string change;  // of numbers
};

struct Section {
  Kind kind;
  std::vector<Row> rows;
};

std::string titleOf(Kind kind) {
  switch (kind) {
    case Kind::run: return say("Run");
    case Kind::hyperparameters: return say("Hyperparameters");
    case Kind::generations: return say("Generations");
    case Kind::latest: return say("Last values");
  }
  return "";
}

const char* keyOf(Kind kind) {
  switch (kind) {
    case Kind::run: return "run";
    case Kind::hyperparameters: return "hyperparameters";
    case Kind::generations: return "generations";
    case Kind::latest: return "latest";
  }
  return "";
}

std::string generationText(const storage::Generation& generation) {
  const std::string pause = generation.pause < 0 ? "" : say(", pause {}", formatPause(generation.pause));
  return say("{}, {}, steps {}-{}{}", plural(generation.replicas, "replica"), printable(generation.reason),
             generation.first_step, generation.last_step, pause);
}

std::string textOf(Kind kind, const std::string& name, const SideBySideValue& value) {
  if (const double* number = std::get_if<double>(&value))
    return kind == Kind::run ? formatDuration(*number) : formatSeriesValue(name, *number);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  if (const auto* generation = std::get_if<storage::Generation>(&value)) return generationText(*generation);
  return "";
}

Json jsonOf(const SideBySideValue& value) {
  if (const double* number = std::get_if<double>(&value)) return protocol::encode_number(*number);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* generation = std::get_if<storage::Generation>(&value))
    return storage::fields_json(*generation);
  return nullptr;
}

// NaN where there is no number.
double numberOf(const SideBySideValue& value) {
  if (const double* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  return std::nan("");
}

Row rowOf(Kind kind, const storage::SideBySideRow& row) {
  const SideBySideValue &a = row.values[0], &b = row.values[1];
  Row written{row.name, textOf(kind, row.name, a), textOf(kind, row.name, b), jsonOf(a), jsonOf(b), ""};
  const double from = numberOf(a), to = numberOf(b);
  if (std::isfinite(from) && std::isfinite(to) && from != to && from != 0)
    written.change = fmt::format("{:+.3g} %", (to - from) / std::abs(from) * 100);
  return written;
}

bool isSame(const Row& row) { return row.a == row.b && row.jsonA.is_null() == row.jsonB.is_null(); }

Table tableOf(const Section& section, const storage::Run& a, const storage::Run& b) {
  using Align = Table::Align;
  const bool numbers = std::any_of(section.rows.begin(), section.rows.end(),
                                   [](const Row& row) { return !row.change.empty(); });
  const std::string nameA = a.name == b.name ? a.id : printable(a.name);
  const std::string nameB = a.name == b.name ? b.id : printable(b.name);
  Table table({{"", Align::left, true},
               {nameA, Align::left, true},
               {nameB, Align::left, true},
               {numbers ? say("change") : "", Align::right}});
  for (const Row& row : section.rows)
    table.addRow({printable(row.name), row.jsonA.is_null() ? "-" : row.a, row.jsonB.is_null() ? "-" : row.b,
                  row.change});
  return table;
}

Json sectionJson(const Section& section) {
  Json json = Json::object();
  for (const Row& row : section.rows) json[row.name] = {row.jsonA, row.jsonB};
  return json;
}

}  // namespace

int diffRuns(const DiffOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run a = catalogue.resolve(options.first), b = catalogue.resolve(options.second);
  const std::array runs{a, b};
  const std::array generations{catalogue.generations(a.id), catalogue.generations(b.id)};
  std::vector<Section> sections;
  for (const auto& section : storage::side_by_side(runs, generations, storage::now())) {
    sections.push_back({section.kind, {}});
    for (const auto& row : section.rows) sections.back().rows.push_back(rowOf(section.kind, row));
    if (!options.all) std::erase_if(sections.back().rows, isSame);
  }
  if (options.json) {
    Json json{{"runs", {a.id, b.id}}};
    for (const Section& section : sections) json[keyOf(section.kind)] = sectionJson(section);
    printJson(json);
    return kExitOk;
  }
  const Style style = terminalStyle(STDOUT_FILENO);
  fmt::print("{}\n",
             say("{}  and  {}", style.paint(title(a), Colour::bold), style.paint(title(b), Colour::bold)));
  bool any = false;
  for (const Section& section : sections) {
    if (section.rows.empty()) continue;
    fmt::print("\n{}\n{}", style.paint(titleOf(section.kind), Colour::bold),
               tableOf(section, a, b).text(style, 2));
    any = true;
  }
  if (!any) fmt::print("{}\n", say("They do not differ."));
  return kExitOk;
}

}  // namespace batchscope::cli
