// SPDX-License-Identifier: Apache-2.0
#include "follow/expectation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_state.h"

namespace batchscope::cli {
namespace {

using Operator = Expectation::Operator;

constexpr char kState[] = "state";

// Two characters before one, so that ">=" is not read as ">".
constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators{{
    {">=", Operator::greaterEqual},
    {"<=", Operator::lessEqual},
    {"==", Operator::equal},
    {"!=", Operator::notEqual},
    {">", Operator::greater},
    {"<", Operator::less},
}};

std::string_view operatorText(Operator op) {
  return std::find_if(kOperators.begin(), kOperators.end(),
                      [op](const auto& row) { return row.second == op; })
      ->first;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage,
              fmt::format("--expect '{}': {}; write NAME OP VALUE with OP one of >= <= > < == !=, "
                          "as in --expect 'accuracy>=0.97'",
                          text, why));
}

double parseNumber(const std::string& text, const std::string& value) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, fault] = std::from_chars(value.data(), end, number);
  if (fault != std::errc() || rest != end) refuse(text, fmt::format("\"{}\" is not a number", value));
  if (std::isnan(number)) refuse(text, "nothing compares with a NaN");
  return number;
}

void checkState(const std::string& text, const Expectation& expectation) {
  if (expectation.op != Operator::equal && expectation.op != Operator::notEqual)
    refuse(text, "a state can only be compared with == and !=");
  try {
    protocol::parse_run_state(expectation.value);
  } catch (const Error&) {
    refuse(text,
           fmt::format("\"{}\" is not a state; a run ends finished, stopped, paused, failed or interrupted",
                       expectation.value));
  }
}

template <typename Value>
bool holds(const Value& seen, Operator op, const Value& wanted) {
  switch (op) {
    case Operator::greaterEqual: return seen >= wanted;
    case Operator::lessEqual: return seen <= wanted;
    case Operator::greater: return seen > wanted;
    case Operator::less: return seen < wanted;
    case Operator::equal: return seen == wanted;
    case Operator::notEqual: return seen != wanted;
  }
  return false;
}

Verdict judgeOne(const Expectation& expectation, const Facts& facts) {
  if (expectation.name == kState)
    return {expectation, facts.state, holds<std::string>(facts.state, expectation.op, expectation.value)};
  const auto found = facts.numbers.find(expectation.name);
  if (found == facts.numbers.end()) return {expectation, "nothing", false};
  const double seen = found->second;
  // Nothing can be claimed of a NaN, not even that it differs.
  return {expectation, fmt::format("{:.6g}", seen),
          !std::isnan(seen) && holds(seen, expectation.op, expectation.number)};
}

}  // namespace

Expectation Expectation::parse(const std::string& text) {
  const auto at = text.find_first_of("<>=!");
  if (at == std::string::npos) refuse(text, "there is no comparison in it");
  const std::string_view rest = std::string_view(text).substr(at);
  const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                  [rest](const auto& row) { return rest.starts_with(row.first); });
  if (found == kOperators.end()) refuse(text, "the comparison is none that is known");

  Expectation expectation{trimmed(std::string_view(text).substr(0, at)), found->second,
                          trimmed(rest.substr(found->first.size())), 0};
  if (expectation.name.empty()) refuse(text, "the name is missing");
  if (expectation.value.empty()) refuse(text, "the value is missing");
  if (expectation.name == kState)
    checkState(text, expectation);
  else
    expectation.number = parseNumber(text, expectation.value);
  return expectation;
}

std::string Expectation::text() const { return fmt::format("{} {} {}", name, operatorText(op), value); }

std::vector<Verdict> judge(const std::vector<Expectation>& expectations, const Facts& facts) {
  std::vector<Verdict> verdicts;
  for (const Expectation& expectation : expectations) verdicts.push_back(judgeOne(expectation, facts));
  return verdicts;
}

bool allPassed(const std::vector<Verdict>& verdicts) {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return verdict.passed; });
}

bool stateWasExpected(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.passed && verdict.expectation.name == kState;
  });
}

}  // namespace batchscope::cli
