// SPDX-License-Identifier: Apache-2.0
//
// A cap on how fast learning-rate factors grow:
//   factor_t <= limit * factor_(t-1)         factor_0 = 1
// by parameter group, so that a jump of the batch size does not become a jump of the learning rate. Falling
// is free. What the factors were survives restarts.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/json_state.h"

namespace batchscope::train {

class FactorGrowth final : public replica::JsonState {
 public:
  // Throws Error(usage) unless limit > 1.
  FactorGrowth(const std::string& name, std::size_t groups, double limit);

  // Caps the factors of one step, and remembers them.
  void cap(std::vector<double>& factors);

 private:
  protocol::Json contents() const override;
  void restore(const protocol::Json& json) override;

  double limit_;
  std::vector<double> last_;
};

}  // namespace batchscope::train
