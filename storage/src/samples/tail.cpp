// SPDX-License-Identifier: Apache-2.0
#include "samples/tail.h"

namespace batchscope::storage {

void Tail::refresh(Database& database, std::int64_t& rows_read) {
  {
    Query first = database.query("SELECT coalesce(min(id), 0) FROM batch");
    first.next();
    if (const std::int64_t id = first.integer(0); id != first_id_) {
      *this = Tail();
      first_id_ = id;
    }
  }
  Query row =
      database.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS ", id FROM batch WHERE id > ? ORDER BY id", last_id_);
  while (row.next()) {
    ++rows_read;
    last_id_ = row.integer(kChunkColumnCount);
    const StoredChunk stored = stored_chunk(row);
    if (stored.sound)
      tracks_[stored.chunk.track].push_back({stored.chunk.summary, stored.samples()});
    else
      has_unknown_ = true;
  }
}

const std::vector<Batch>& Tail::batches(std::int64_t track) const {
  static const std::vector<Batch> kNone;
  const auto found = tracks_.find(track);
  return found == tracks_.end() ? kNone : found->second;
}

std::int64_t Tail::count(std::int64_t track) const {
  std::int64_t count = 0;
  for (const Batch& batch : batches(track)) count += batch.summary.count;
  return count;
}

}  // namespace batchscope::storage
