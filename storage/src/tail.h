// SPDX-License-Identifier: Apache-2.0
//
// A reader's copy of the table `batch`: what was committed and is not in chunks yet. Each batch is read
// once. Ids never come back, so the first one tells whether the tail has been rewritten meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "database.h"
#include "samples_schema.h"

namespace batchscope::storage {

class Tail {
 public:
  // Within the reader's transaction. Adds to `rows_read`.
  void refresh(Database& database, std::int64_t& rows_read);

  // The batches of a track, oldest first.
  const std::vector<StoredChunk>& batches(std::int64_t track) const;

  std::int64_t count(std::int64_t track) const;

 private:
  std::map<std::int64_t, std::vector<StoredChunk>> tracks_;
  std::int64_t first_id_ = 0;
  std::int64_t last_id_ = 0;
};

}  // namespace batchscope::storage
