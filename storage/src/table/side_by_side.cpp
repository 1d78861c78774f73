// SPDX-License-Identifier: Apache-2.0
#include "batchscope/storage/side_by_side.h"

#include <algorithm>
#include <set>

namespace batchscope::storage {
namespace {

using Kind = SideBySideSection::Kind;

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

SideBySideValue text_or_nothing(std::string text) {
  return text.empty() ? SideBySideValue() : SideBySideValue(std::move(text));
}

template <class Value>
SideBySideRow row(std::string name, std::span<const Run> runs, Value value) {
  SideBySideRow row{std::move(name), {}};
  for (const Run& run : runs) row.values.emplace_back(value(run));
  return row;
}

SideBySideSection run_section(std::span<const Run> runs, double now) {
  return {Kind::run,
          {row("state", runs, [](const Run& r) { return text_or_nothing(run_state_name(r.state)); }),
           row("command", runs,
               [](const Run& r) {
                 const std::string arguments = joined(r.spec.arguments, " ");
                 return text_or_nothing(r.spec.program + (arguments.empty() ? "" : " " + arguments));
               }),
           row("device", runs, [](const Run& r) { return text_or_nothing(r.spec.device); }),
           row("group", runs, [](const Run& r) { return text_or_nothing(r.spec.group); }),
           row("tags", runs, [](const Run& r) { return text_or_nothing(joined(r.tags, ", ")); }),
           row("steps", runs, [](const Run& r) { return r.step; }),
           row("epochs", runs, [](const Run& r) { return std::int64_t{r.epoch}; }),
           row("duration", runs, [now](const Run& r) { return (r.ended > 0 ? r.ended : now) - r.created; })}};
}

// A row for every name in the map that `member` is of some run.
template <class Map>
SideBySideSection map_section(Kind kind, std::span<const Run> runs, Map Run::*member) {
  std::set<std::string> names;
  for (const Run& run : runs)
    for (const auto& [name, value] : run.*member) names.insert(name);
  SideBySideSection section{kind, {}};
  for (const std::string& name : names)
    section.rows.push_back(row(name, runs, [&](const Run& run) {
      const auto found = (run.*member).find(name);
      return found == (run.*member).end() ? SideBySideValue() : SideBySideValue(found->second);
    }));
  return section;
}

SideBySideSection generation_section(std::span<const std::vector<Generation>> generations) {
  std::size_t most = 0;
  for (const auto& list : generations) most = std::max(most, list.size());
  SideBySideSection section{Kind::generations, {}};
  for (std::size_t i = 0; i < most; ++i) {
    SideBySideRow row{"#" + std::to_string(i), {}};
    for (const auto& list : generations)
      row.values.push_back(i < list.size() ? SideBySideValue(list[i]) : SideBySideValue());
    section.rows.push_back(std::move(row));
  }
  return section;
}

}  // namespace

std::vector<SideBySideSection> side_by_side(std::span<const Run> runs,
                                            std::span<const std::vector<Generation>> generations,
                                            double now) {
  return {run_section(runs, now), map_section(Kind::hyperparameters, runs, &Run::hyperparameters),
          generation_section(generations), map_section(Kind::latest, runs, &Run::latest)};
}

}  // namespace batchscope::storage
