// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::cli {

// Some runs refused: with --json, `done` is printed beside the error.
class PartlyDone : public Error {
 public:
  PartlyDone(ErrorKind kind, const std::string& message, protocol::Json done)
      : Error(kind, message), done_(std::move(done)) {}

  const protocol::Json& done() const noexcept { return done_; }

 private:
  protocol::Json done_;
};

}  // namespace batchscope::cli
