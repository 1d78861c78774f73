// SPDX-License-Identifier: Apache-2.0
//
// A small state kept as one JSON object with a version.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/train/checkpoint.h"

namespace batchscope {

class JsonState : public checkpoint::State {
 public:
  using checkpoint::State::State;

  void save(std::ostream& out) final;
  void load(
      std::istream& in) final;  // throws Error(version) for a newer one, Error(corrupt) for anything else

 protected:
  static constexpr int kVersion = 1;

  virtual protocol::Json contents() const = 0;
  virtual void restore(const protocol::Json& json) = 0;
};

}  // namespace batchscope
