// SPDX-License-Identifier: Apache-2.0
//
// diff: in what two runs differ: how they were made, their hyperparameters, their generations, and what came
// of it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "commands.h"
#include "run_json.h"
#include "store.h"
#include "table.h"

namespace batchscope::cli {
namespace {

using protocol::Json;

// One thing of which each run has a value, or none ("", null).
struct Row {
  std::string name;
  std::string a, b;  // as a person reads them
  Json jsonA, jsonB;
  std::string change;  // of numbers
};

struct Section {
  const char* title;
  const char* key;  // in JSON
  std::vector<Row> rows;
};

Row textRow(const std::string& name, const std::string& a, const std::string& b) {
  const auto json = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {name, printable(a), printable(b), json(a), json(b), ""};
}

Row numberRow(const std::string& name, double a, double b, const std::string& textA,
              const std::string& textB) {
  Row row{name, textA, textB, protocol::encode_number(a), protocol::encode_number(b), ""};
  if (std::isfinite(a) && std::isfinite(b) && a != b && a != 0)
    row.change = fmt::format("{:+.3g} %", (b - a) / std::abs(a) * 100);
  return row;
}

Row countRow(const std::string& name, std::int64_t a, std::int64_t b) {
  Row row =
      numberRow(name, static_cast<double>(a), static_cast<double>(b), std::to_string(a), std::to_string(b));
  row.jsonA = a;
  row.jsonB = b;
  return row;
}

template <class Map>
std::set<std::string> namesOf(const Map& a, const Map& b) {
  std::set<std::string> names;
  for (const auto& [name, value] : a) names.insert(name);
  for (const auto& [name, value] : b) names.insert(name);
  return names;
}

std::string commandOf(const storage::Run& run) {
  std::string text = run.spec.program;
  for (const std::string& argument : run.spec.arguments) text += " " + argument;
  return text;
}

std::string tagsOf(const storage::Run& run) {
  std::string text;
  for (const std::string& tag : run.tags) text += (text.empty() ? "" : ", ") + tag;
  return text;
}

double secondsOf(const storage::Run& run) {
  return (run.ended > 0 ? run.ended : storage::now()) - run.created;
}

Section runSection(const storage::Run& a, const storage::Run& b) {
  return {"Run",
          "run",
          {textRow("state", protocol::run_state_name(a.state), protocol::run_state_name(b.state)),
           textRow("command", commandOf(a), commandOf(b)), textRow("device", a.spec.device, b.spec.device),
           textRow("group", a.spec.group, b.spec.group), textRow("tags", tagsOf(a), tagsOf(b)),
           countRow("steps", a.step, b.step), countRow("epochs", a.epoch, b.epoch),
           numberRow("duration", secondsOf(a), secondsOf(b), formatDuration(secondsOf(a)),
                     formatDuration(secondsOf(b)))}};
}

Section hyperparameterSection(const storage::Run& a, const storage::Run& b) {
  Section section{"Hyperparameters", "hyperparameters", {}};
  for (const std::string& name : namesOf(a.hyperparameters, b.hyperparameters)) {
    const auto foundA = a.hyperparameters.find(name), foundB = b.hyperparameters.find(name);
    Row row{name, "", "", nullptr, nullptr, ""};
    if (foundA != a.hyperparameters.end()) row.jsonA = foundA->second, row.a = printable(foundA->second);
    if (foundB != b.hyperparameters.end()) row.jsonB = foundB->second, row.b = printable(foundB->second);
    section.rows.push_back(std::move(row));
  }
  return section;
}

std::string generationText(const storage::Generation& generation) {
  const std::string pause =
      generation.pause < 0 ? "" : fmt::format(", pause {}", formatDuration(generation.pause));
  return fmt::format("{}, {}, steps {}-{}{}", plural(generation.replicas, "replica"),
                     printable(generation.reason), generation.first_step, generation.last_step, pause);
}

Section generationSection(const std::vector<storage::Generation>& a,
                          const std::vector<storage::Generation>& b) {
  Section section{"Generations", "generations", {}};
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    Row row{fmt::format("#{}", i), "", "", nullptr, nullptr, ""};
    if (i < a.size()) row.a = generationText(a[i]), row.jsonA = generationJson(a[i]);
    if (i < b.size()) row.b = generationText(b[i]), row.jsonB = generationJson(b[i]);
    section.rows.push_back(std::move(row));
  }
  return section;
}

Section endSection(const storage::Run& a, const storage::Run& b) {
  Section section{"Last values", "latest", {}};
  for (const std::string& name : namesOf(a.latest, b.latest)) {
    const auto foundA = a.latest.find(name), foundB = b.latest.find(name);
    const bool inA = foundA != a.latest.end(), inB = foundB != b.latest.end();
    Row row = inA && inB ? numberRow(printable(name), foundA->second, foundB->second, "", "")
                         : Row{printable(name), "", "", nullptr, nullptr, ""};
    if (inA)
      row.a = formatSeriesValue(name, foundA->second), row.jsonA = protocol::encode_number(foundA->second);
    if (inB)
      row.b = formatSeriesValue(name, foundB->second), row.jsonB = protocol::encode_number(foundB->second);
    section.rows.push_back(std::move(row));
  }
  return section;
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
               {numbers ? "change" : "", Align::right}});
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
  std::vector<Section> sections{runSection(a, b), hyperparameterSection(a, b),
                                generationSection(catalogue.generations(a.id), catalogue.generations(b.id)),
                                endSection(a, b)};
  if (!options.all)
    for (Section& section : sections) std::erase_if(section.rows, isSame);
  if (options.json) {
    Json json{{"runs", {a.id, b.id}}};
    for (const Section& section : sections) json[section.key] = sectionJson(section);
    printJson(json);
    return kExitOk;
  }
  const Style style = terminalStyle(STDOUT_FILENO);
  fmt::print("{}  and  {}\n", style.paint(title(a), Colour::bold), style.paint(title(b), Colour::bold));
  bool any = false;
  for (const Section& section : sections) {
    if (section.rows.empty()) continue;
    fmt::print("\n{}\n{}", style.paint(section.title, Colour::bold), tableOf(section, a, b).text(style, 2));
    any = true;
  }
  if (!any) fmt::print("They do not differ.\n");
  return kExitOk;
}

}  // namespace batchscope::cli
