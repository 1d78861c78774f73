// SPDX-License-Identifier: Apache-2.0
//
// The trainings of `train-replica parallel`, and how two of them are compared.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "replicas.h"
#include "test_case.h"

namespace batchscope::testing {

using protocol::Json;

// Returns what the replicas said of each optimizer's training, by rank.
inline std::vector<Json> train_replicas(const Json& settings) {
  const Replica program =
      run({.program = "parallel", .arguments = {QString::fromStdString(settings.dump())}})[0];
  std::vector<Json> said;
  if (program.said.contains("replicas"))
    for (const Json& replica : program.said["replicas"]) {
      if (replica["code"] != 0 || replica["lines"].empty()) qWarning() << program.errors;
      said.push_back(replica["lines"].empty() ? Json() : replica["lines"].back());
    }
  return said;
}

// Trains on one process, without AdaptiveDataParallel.
inline const Json& plain() {
  static const Json said =
      train_replicas({{"replicas", 1}, {"steps", Json::array({50})}, {"mode", "plain"}}).at(0);
  return said;
}

inline double difference(const Json& left, const Json& right) {
  double largest = 0;
  for (std::size_t p = 0; p < left.size(); ++p)
    for (std::size_t i = 0; i < left[p].size(); ++i)
      largest = std::max(largest, std::abs(left[p][i].get<double>() - right[p][i].get<double>()));
  return largest;
}

}  // namespace batchscope::testing

#define VERIFY_WEIGHTS(all, reference)                                                                \
  for (const auto& [optimizer, expected] : (reference).items())                                       \
    for (const Json& replica : all) {                                                                 \
      QVERIFY2(replica.contains(optimizer), replica.dump().c_str());                                  \
      const Json& weights = replica[optimizer]["weights"];                                            \
      const double apart = difference(weights, expected["weights"]);                                  \
      QVERIFY2(apart < 1e-9, (optimizer + " " + std::to_string(apart)).c_str());                      \
      QVERIFY2(weights == (all)[0][optimizer]["weights"], (optimizer + ": replicas differ").c_str()); \
    }
