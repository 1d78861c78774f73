// SPDX-License-Identifier: Apache-2.0
#include "gradient/factor_growth.h"

#include <algorithm>

#include "batchscope/protocol/error.h"

namespace batchscope::train {

FactorGrowth::FactorGrowth(const std::string& name, std::size_t groups, double limit)
    : JsonState(name), limit_(limit), last_(groups, 1.0) {
  if (!(limit > 1))
    throw Error(ErrorKind::usage, "max_factor_growth is " + std::to_string(limit) +
                                      ", but must be above 1, or factors could never grow");
}

void FactorGrowth::cap(std::vector<double>& factors) {
  for (std::size_t group = 0; group < last_.size(); ++group)
    last_[group] = factors[group] = std::min(factors.at(group), limit_ * last_[group]);
}

protocol::Json FactorGrowth::contents() const { return {{"factors", protocol::encode_numbers(last_)}}; }

void FactorGrowth::restore(const protocol::Json& json) {
  std::vector<double> factors = protocol::decode_numbers(json.at("factors"));
  if (factors.size() == last_.size()) last_ = std::move(factors);
}

}  // namespace batchscope::train
