// SPDX-License-Identifier: Apache-2.0
//
// The description of a run that changes, as its record tells it: first all of it, then with each line what is
// new. Rows of its history have keys by which a later line replaces them; events are only added; of the
// ledger a line says from which stretch on it is another; what else there is comes whole.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"

namespace batchscope::cli {

class Description {
 public:
  // A line's, as a reader hears it. Throws Error(corrupt | version).
  void hear(const protocol::Json& line);

  // Returns what a line has to say to a reader of all before, so that they know all of `now`, which is a
  // recordJson with lists of `checkpoints` and `leases`; none: they know it.
  std::optional<protocol::Json> news(const protocol::Json& now) const;

  // As record_json has it; null before the first line.
  const protocol::Json& whole() const { return whole_; }

 private:
  using Places = std::map<std::string, std::size_t>;  // of rows, by their keys

  protocol::Json whole_;
  std::map<std::string, Places> places_;  // by the name of the list
};

// A description's line for the catalogue. The run's state is what the line says, though nobody here
// supervises it. Throws Error(corrupt | version) as recordFrom.
storage::RecordPart recordPart(const protocol::Json& line);

}  // namespace batchscope::cli
