// SPDX-License-Identifier: Apache-2.0
//
// A reader's copy of the table `batch`: what was committed and is not in chunks yet. Each batch is read
// once. Ids never come back, so the first one tells whether the tail has been rewritten meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "database/database.h"
#include "samples/samples_schema.h"

namespace batchscope::storage {

struct Batch {
  Summary summary;
  std::optional<std::vector<Sample>> samples;  // none where they are damaged
};

class Tail {
 public:
  // Refreshes within the reader's transaction. Adds to `rows_read`.
  void refresh(Database& database, std::int64_t& rows_read);

  // The batches of a track, oldest first.
  const std::vector<Batch>& batches(std::int64_t track) const;

  // Returns whether there are batches that cannot even be said to be of which track.
  bool has_unknown() const { return has_unknown_; }

  std::int64_t count(std::int64_t track) const;

 private:
  std::map<std::int64_t, std::vector<Batch>> tracks_;
  bool has_unknown_ = false;
  std::int64_t first_id_ = 0;
  std::int64_t last_id_ = 0;
};

}  // namespace batchscope::storage
