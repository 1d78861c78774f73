// SPDX-License-Identifier: Apache-2.0
//
// A chunk: up to 1,024 neighbouring samples of one track (a series in one generation), packed. The
// values are their 64 bits each, so that NaN and infinities survive as they are. The steps are left out
// where they are consecutive; else they are stored as runs of consecutive ones. One CRC-32 covers steps
// and values, another the heading and the first CRC: where only the former fails, it is still known for
// certain which steps are lost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/storage/samples.h"
#include "samples/summary.h"

namespace batchscope::storage {

inline constexpr std::size_t kChunkSamples = 1024;

// A row of the tables `batch` and `chunk`, without its key.
struct Chunk {
  std::int64_t track = 0;
  Summary summary;  // `finite` is not stored
  std::string steps;
  std::string values;
  std::uint32_t data_checksum = 0;  // of steps and values

  std::uint32_t checksum() const;  // of the rest
};

// Samples in ascending order of steps, equal ones included; not empty.
Chunk pack(std::int64_t track, std::span<const Sample> samples);

// None where steps and values are not as they were packed. The heading must have been checked.
std::optional<std::vector<Sample>> unpack(const Chunk& chunk);

// CRC-32 as in zlib, continued from `crc`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t crc = 0);

// Orders by step and keeps the order of equal ones.
void sort_by_step(std::vector<Sample>& samples);

}  // namespace batchscope::storage
