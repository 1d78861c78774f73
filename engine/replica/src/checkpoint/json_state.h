// SPDX-License-Identifier: Apache-2.0
//
// A small state kept as one JSON object with a version: as text, or as CBOR (RFC 8949), which holds every
// number exactly.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/replica/checkpoint.h"

namespace batchscope::replica {

class JsonState : public checkpoint::State {
 public:
  enum class Form { text, binary };
  explicit JsonState(std::string name, Form form = Form::text) : State(std::move(name)), form_(form) {}

  void save(std::ostream& out) final;
  void load(
      std::istream& in) final;  // throws Error(version) for a newer one, Error(corrupt) for anything else

 protected:
  static constexpr int kVersion = 1;

  virtual protocol::Json contents() const = 0;
  virtual void restore(const protocol::Json& json) = 0;

 private:
  const Form form_;
};

}  // namespace batchscope::replica
