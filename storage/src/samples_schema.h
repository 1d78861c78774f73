// SPDX-License-Identifier: Apache-2.0
//
// The tables of samples.db (storage/FORMAT.md explains them) and how their rows become chunks again.
#pragma once

#include <optional>
#include <vector>

#include "chunk.h"
#include "database.h"

namespace batchscope::storage {

const Schema& samples_schema();

// What a SELECT must name, in this order, for stored_chunk.
#define BATCHSCOPE_CHUNK_COLUMNS "track, first_step, last_step, count, min, max, mean, steps, data, checksum"
inline constexpr int kChunkColumnCount = 10;

struct StoredChunk {
  Chunk chunk;
  std::optional<std::vector<Sample>> samples;  // none where the row fails its check
};

// The row's columns from `first` on.
StoredChunk stored_chunk(const Query& row, int first);

}  // namespace batchscope::storage
