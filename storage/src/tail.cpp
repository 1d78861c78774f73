// SPDX-License-Identifier: Apache-2.0
//
// Following the table `batch`.
#include "tail.h"

namespace batchscope::storage {

void Tail::refresh(Database& database, std::int64_t& rows_read) {
  {
    Query first = database.query("SELECT coalesce(min(id), 0) FROM batch");
    first.next();
    if (const std::int64_t id = first.integer(0); id == 0 || id != first_id_) {
      tracks_.clear();
      first_id_ = id;
      last_id_ = 0;
    }
  }
  Query row =
      database.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS ", id FROM batch WHERE id > ? ORDER BY id", last_id_);
  while (row.next()) {
    ++rows_read;
    StoredChunk batch = stored_chunk(row, 0);
    last_id_ = row.integer(kChunkColumnCount);
    tracks_[batch.chunk.track].push_back(std::move(batch));
  }
}

const std::vector<StoredChunk>& Tail::batches(std::int64_t track) const {
  static const std::vector<StoredChunk> kNone;
  const auto found = tracks_.find(track);
  return found == tracks_.end() ? kNone : found->second;
}

std::int64_t Tail::count(std::int64_t track) const {
  std::int64_t count = 0;
  for (const StoredChunk& batch : batches(track)) count += batch.chunk.summary.count;
  return count;
}

}  // namespace batchscope::storage
