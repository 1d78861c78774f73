// SPDX-License-Identifier: Apache-2.0
//
// Machines that can be bought or shut down: a person's command is called with the number of devices that
// would be worth having (policy/prices.h), as AdaptDL's cluster expander asks its provider for nodes.
#pragma once

#include <string>

namespace batchscope::pool {

class ScaleCommand {
 public:
  // Calls `command NUMBER`, detached, where the number is another than there is and than it was called with
  // last; at most once a minute. `now`: s, monotonic.
  void want(const std::string& command, int present, int wanted, double now);

 private:
  int said_ = -1;
  double last_ = -1e9;  // monotonic
};

}  // namespace batchscope::pool
