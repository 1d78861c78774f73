// SPDX-License-Identifier: Apache-2.0
//
// Parameters and trials as the tests of this room write them.
#pragma once

#include <string>
#include <vector>

#include "batchscope/sweep/trial.h"

namespace batchscope::testing {

inline sweep::Parameter real(const std::string& name, double min, double max, bool log = false) {
  return {name, sweep::Parameter::Kind::real, min, max, log, {}, {}, {}};
}
inline sweep::Parameter integer(const std::string& name, double min, double max, bool log = false) {
  return {name, sweep::Parameter::Kind::integer, min, max, log, {}, {}, {}};
}
inline sweep::Parameter choice(const std::string& name, const std::vector<std::string>& choices) {
  return {name, sweep::Parameter::Kind::choice, 0, 0, false, {}, choices, {}};
}
inline sweep::Parameter with_step(sweep::Parameter parameter, double step) {
  parameter.step = step;
  return parameter;
}
inline sweep::Parameter when(sweep::Parameter parameter, const std::string& other,
                             const std::vector<std::string>& values) {
  parameter.when = sweep::Condition{other, values};
  return parameter;
}

// One of each kind, and conditions of conditions.
inline sweep::Space mixed_space() {
  return sweep::Space({when(real("momentum", 0.5, 0.99), "optimizer", {"sgd"}), real("lr", 1e-5, 1, true),
                       choice("optimizer", {"sgd", "adam", "none"}), integer("layers", 1, 4),
                       when(integer("width", 8, 512, true), "layers", {"2", "3", "4"}),
                       when(choice("nesterov", {"true", "false"}), "optimizer", {"sgd"}),
                       with_step(real("dropout", 0, 0.5), 0.1), choice("epochs", {"5"})});
}

inline sweep::Trial ended(const sweep::Point& point, double cost) {
  return {point, sweep::Trial::State::ended, cost, {}};
}

}  // namespace batchscope::testing
