// SPDX-License-Identifier: Apache-2.0
//
// Where the example's images come from: a folder with MNIST's files, or the drawn set, which is kept in
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

// MNIST's four files. Throws as read_idx does, and Error(corrupt) for images that are not 28 x 28.
DigitData load_digits(const std::filesystem::path& directory);

// Returns the cache's folder for the drawn set; none if no variable says where caches are.
std::optional<std::filesystem::path> drawn_digits_directory(std::uint64_t seed);

// Reads the set from the cache; draws it, and caches it if that can be done, where the cache has no such set
// or a damaged one. Several processes may do so at once: all draw the same bytes.
DigitData drawn_digits(std::uint64_t seed);

// The first `count` images of a set, for a quick try.
void keep_first(LabelledImages& set, std::uint32_t count);

}  // namespace batchscope::digits
