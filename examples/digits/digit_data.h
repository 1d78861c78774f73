// SPDX-License-Identifier: Apache-2.0
//
// The source of the example's images: a folder with MNIST's files, or the drawn set, which is kept in
// $XDG_CACHE_HOME/batchscope/digits-v1-seed<seed>/ so that a restart need not draw it again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "idx.h"

namespace batchscope::digits {

inline constexpr std::uint32_t kTrainImages = 12'000, kTestImages = 10'000;

struct DigitData {
  LabelledImages train, test;
};

// Reads MNIST's four files. Throws as read_idx does, and Error(corrupt) for images that are not 28 x 28.
DigitData load_digits(const std::filesystem::path& directory);

// Returns the folder of the cached set; none if the environment names no place for caches.
std::optional<std::filesystem::path> drawn_digits_directory(std::uint64_t seed);

// Reads the set from the cache. If it is missing or damaged there, draws it, and caches it if possible.
// Several processes may do so at once: all draw the same bytes.
DigitData drawn_digits(std::uint64_t seed);

// Returns the first `count` images of a set, for a quick try.
void keep_first(LabelledImages& set, std::uint32_t count);

}  // namespace batchscope::digits
