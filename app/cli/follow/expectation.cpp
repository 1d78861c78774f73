// SPDX-License-Identifier: Apache-2.0
#include "follow/expectation.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_state.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr char kState[] = "state";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage, say("--expect '{}': {}; write NAME OP VALUE with OP one of >= <= > < == !=, "
                                    "as in --expect 'accuracy>=0.97'",
                                    text, why));
}

double parseNumber(const std::string& text, const std::string& value) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, fault] = std::from_chars(value.data(), end, number);
  if (fault != std::errc() || rest != end) refuse(text, say("\"{}\" is not a number", value));
  if (std::isnan(number)) refuse(text, say("a NaN cannot be compared"));
  return number;
}

void checkState(const std::string& text, const Expectation& expectation) {
  if (expectation.op != Comparator::equal && expectation.op != Comparator::notEqual)
    refuse(text, say("a state can only be compared with == and !="));
  try {
    protocol::parse_run_state(expectation.value);
  } catch (const Error&) {
    refuse(text, say("\"{}\" is not a state; a run ends finished, stopped, paused, failed or interrupted",
                     expectation.value));
  }
}

Verdict judgeOne(const Expectation& expectation, const Facts& facts) {
  if (expectation.name == kState)
    return {expectation, facts.state, holds<std::string>(facts.state, expectation.op, expectation.value)};
  const auto found = facts.numbers.find(expectation.name);
  if (found == facts.numbers.end()) return {expectation, word("nothing"), false};
  const double value = found->second;
  // Nothing can be claimed of a NaN, not even that it differs.
  return {expectation, fmt::format("{:.6g}", value),
          !std::isnan(value) && holds(value, expectation.op, expectation.number)};
}

}  // namespace

Expectation Expectation::parse(const std::string& text) {
  Comparison comparison;
  try {
    comparison = Comparison::parse(text);
  } catch (const std::invalid_argument& fault) {
    refuse(text, fault.what());
  }
  Expectation expectation{comparison.left, comparison.op, comparison.right, 0};
  if (expectation.name == kState)
    checkState(text, expectation);
  else
    expectation.number = parseNumber(text, expectation.value);
  return expectation;
}

std::string Expectation::text() const { return Comparison{name, op, value}.text(); }

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
