// SPDX-License-Identifier: Apache-2.0
//
// A sweep without training, for tests in other languages: the first line of the input is
//   {"method":"tpe","seed":1,"parameters":[{"name":"lr","kind":"real","min":1e-4,"max":1,"log":true}, ..]}
// Then each line of the output is a point, {"lr":"0.01"}, and each further line of the input its cost.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "batchscope/sweep/method.h"

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

}  // namespace

int main() {
  std::string line;
  std::getline(std::cin, line);
  const Json asked = Json::parse(line);
  std::vector<Parameter> parameters;
  for (const Json& each : asked.at("parameters")) parameters.push_back(read_parameter(each));
  const Space space(parameters);
  const Method method = asked.at("method") == "tpe" ? Method::tpe : Method::random;
  std::vector<Trial> trials;
  do {
    if (!trials.empty()) trials.back().cost = std::stod(line);
    trials.push_back({*suggest(method, space, trials, asked.at("seed").get<std::uint64_t>()),
                      Trial::State::ended,
                      {},
                      {}});
    std::cout << Json(space.texts(trials.back().point)).dump() << std::endl;
  } while (std::getline(std::cin, line));
}
