// SPDX-License-Identifier: Apache-2.0
//
// The description of a run in its record: the first line holds all of it, each later line what is new. Rows
// of the history have keys, by which a later line replaces them. Events are only added. For the ledger a line
// names the stretch from which on it replaces the rest. Everything else is repeated whole.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"

namespace batchscope::cli {

class Description {
 public:
  // Takes a line, as a reader. Throws Error(corrupt | version).
  void hear(const protocol::Json& line);

  // Returns the next line, from which readers of all lines before know all of `now` (a recordJson with lists
  // of `checkpoints` and `leases`); none: they know it already.
  std::optional<protocol::Json> news(const protocol::Json& now) const;

  // Returns the description in the form of record_json; null before the first line.
  const protocol::Json& whole() const { return whole_; }

 private:
  using Places = std::map<std::string, std::size_t>;  // of rows, by their keys

  protocol::Json whole_;
  std::map<std::string, Places> places_;  // by the name of the list
};

// Reads a description's line for the catalogue. The run's state is the one in the line, although no
// supervisor here has the run. Throws Error(corrupt | version) as recordFrom.
storage::RecordPart recordPart(const protocol::Json& line);

}  // namespace batchscope::cli
