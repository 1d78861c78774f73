// SPDX-License-Identifier: Apache-2.0
//
// The tables of samples.db (storage/FORMAT.md explains them) and how their rows become chunks again.
#pragma once

#include <optional>
#include <vector>

#include "database/database.h"
#include "samples/chunk.h"

namespace batchscope::storage {

const Schema& samples_schema();

// The columns that a SELECT must name, in this order, for stored_chunk.
#define BATCHSCOPE_CHUNK_COLUMNS \
  "track, first_step, last_step, count, min, max, mean, checksum, data_checksum, steps, data"
inline constexpr int kChunkColumnCount = 11;

// The samples that a row of `track` has in chunks. Its column `count` has no checksum: the last chunk says as
// much.
#define BATCHSCOPE_COUNT_BY_CHUNKS                                                                       \
  "coalesce((SELECT number * 1024 + chunk.count FROM chunk WHERE track = track.id ORDER BY number DESC " \
  "LIMIT 1), 0)"

struct StoredChunk {
  Chunk chunk;
  bool sound = false;  // the heading passes its check; else nothing of it is certain

  // None where anything fails its check.
  std::optional<std::vector<Sample>> samples() const;
};

StoredChunk stored_chunk(const Query& row);

}  // namespace batchscope::storage
