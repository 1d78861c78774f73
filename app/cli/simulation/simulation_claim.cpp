// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulation_claim.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using policy::Outcome;

constexpr std::array<std::pair<std::string_view, double (*)(const Outcome&)>, 4> kMeasures{{
    {"mean_jct", [](const Outcome& outcome) { return outcome.mean_completion_time(); }},
    {"makespan", [](const Outcome& outcome) { return outcome.makespan(); }},
    {"worst_fairness", [](const Outcome& outcome) { return outcome.worst_fairness(); }},
    {"restarts", [](const Outcome& outcome) { return static_cast<double>(outcome.restarts()); }},
}};

auto measure(std::string_view name) {
  return std::find_if(kMeasures.begin(), kMeasures.end(),
                      [name](const auto& row) { return row.first == name; });
}

std::optional<double> number(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

SimulationClaim SimulationClaim::parse(const std::string& text, const std::vector<std::string>& policies) {
  try {
    SimulationClaim claim;
    claim.comparison_ = Comparison::parse(text);
    claim.left_ = parseSide(claim.comparison_.left, policies);
    claim.right_ = parseSide(claim.comparison_.right, policies);
    return claim;
  } catch (const std::invalid_argument& fault) {
    throw Error(ErrorKind::usage,
                say("expectation '{}': {}; write as in 'fast.mean_jct < 0.9 * fifo.mean_jct'",
                    printable(text), printable(fault.what())));
  }
}

SimulationClaim::Side SimulationClaim::parseSide(const std::string& text,
                                                 const std::vector<std::string>& policies) {
  if (const auto value = number(text)) return {*value, {}, {}};
  Side side;
  std::string_view rest = text;
  if (const auto star = rest.find('*'); star != std::string_view::npos) {
    const auto factor = number(rest.substr(0, star));
    if (!factor) throw std::invalid_argument(say("\"{}\" is not a number", rest.substr(0, star)));
    side.factor = *factor;
    rest.remove_prefix(star + 1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  const auto dot = rest.find('.');
  if (dot == std::string_view::npos)
    throw std::invalid_argument(say("\"{}\" is neither a number nor POLICY.MEASURE", rest));
  side.policy = rest.substr(0, dot);
  side.measure = rest.substr(dot + 1);
  if (std::find(policies.begin(), policies.end(), side.policy) == policies.end())
    throw std::invalid_argument(say("the policy \"{}\" is not among those simulated{}", side.policy,
                                    protocol::did_you_mean(side.policy, policies)));
  if (measure(side.measure) == kMeasures.end())
    throw std::invalid_argument(
        say("\"{}\" is not one of mean_jct, makespan, worst_fairness, restarts", side.measure));
  return side;
}

double SimulationClaim::Side::value(const std::vector<Outcome>& outcomes) const {
  if (policy.empty()) return factor;
  const auto outcome = std::find_if(outcomes.begin(), outcomes.end(),
                                    [this](const Outcome& each) { return each.policy == policy; });
  return factor * cli::measure(measure)->second(*outcome);
}

bool SimulationClaim::holds(const std::vector<Outcome>& outcomes) const {
  return cli::holds(left_.value(outcomes), comparison_.op, right_.value(outcomes));
}

}  // namespace batchscope::cli
