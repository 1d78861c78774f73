// SPDX-License-Identifier: Apache-2.0
//
// A sweep without training, for tests in other languages. The first line of the input is
//   {"method":"tpe","seed":1,"parameters":[{"name":"lr","kind":"real","min":1e-4,"max":1,"log":true}, ..]}
// and then each line of the output is a point, {"lr":"0.01"}, and each further line of the input its cost; or
// it is
//   {"stop":"asha","min":1,"eta":3}
// and then each further line of the input is the number of a trial, its rung and its cost there, and each
// line of the output "go on", "pause" or "stop".
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "batchscope/sweep/method.h"
#include "batchscope/sweep/stopping.h"

using namespace batchscope::sweep;
using Json = nlohmann::json;

namespace {

Parameter read_parameter(const Json& json) {
  Parameter parameter;
  parameter.name = json.at("name");
  const std::string kind = json.at("kind");
  parameter.kind = kind == "real"      ? Parameter::Kind::real
                   : kind == "integer" ? Parameter::Kind::integer
                                       : Parameter::Kind::choice;
  parameter.min = json.value("min", 0.0);
  parameter.max = json.value("max", 0.0);
  parameter.log = json.value("log", false);
  if (json.contains("step")) parameter.step = json["step"].get<double>();
  parameter.choices = json.value("choices", std::vector<std::string>{});
  if (json.contains("when")) parameter.when = Condition{json["when"]["parameter"], json["when"]["values"]};
  return parameter;
}

void suggest_points(const Json& asked) {
  std::vector<Parameter> parameters;
  for (const Json& each : asked.at("parameters")) parameters.push_back(read_parameter(each));
  const Space space(parameters);
  const Method method = asked.at("method") == "tpe" ? Method::tpe : Method::random;
  std::vector<Trial> trials;
  std::string line;
  do {
    if (!trials.empty()) trials.back().cost = std::stod(line);
    const Point point = *suggest(method, space, trials, asked.at("seed").get<std::uint64_t>());
    trials.push_back({point, Trial::State::ended, {}, {}});
    std::cout << Json(space.texts(point)).dump() << std::endl;
  } while (std::getline(std::cin, line));
}

void judge(const Json& asked) {
  const StopRule rule{asked.at("stop") == "asha" ? StopRule::Kind::asha : StopRule::Kind::median,
                      asked.at("min"),
                      {},
                      asked.at("eta")};
  std::vector<Leg> legs;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Leg leg;
    double cost = 0;
    words >> leg.trial >> leg.rung >> cost;
    leg.cost = cost;
    legs.push_back(leg);
    const Verdict found = verdict(rule, legs, leg.trial, leg.rung);
    std::cout << (found == Verdict::go_on   ? "go on"
                  : found == Verdict::pause ? "pause"
                                            : "stop")
              << std::endl;
  }
}

}  // namespace

int main() {
  std::string line;
  std::getline(std::cin, line);
  const Json asked = Json::parse(line);
  asked.contains("stop") ? judge(asked) : suggest_points(asked);
}
