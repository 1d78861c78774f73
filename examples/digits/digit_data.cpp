// SPDX-License-Identifier: Apache-2.0
#include "digit_data.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "batchscope/protocol/error.h"
#include "stroke_digits.h"

namespace batchscope::digits {
namespace {

namespace fs = std::filesystem;

std::optional<DigitData> load_cached(const fs::path& directory) {
  try {
    DigitData data = load_digits(directory);
    if (data.train.images.count == kTrainImages && data.test.images.count == kTestImages) return data;
  } catch (const Error&) {
    // It does not exist yet, or is damaged: it is drawn.
  }
  return std::nullopt;
}

}  // namespace

DigitData load_digits(const fs::path& directory) {
  DigitData data{read_idx(directory, "train"), read_idx(directory, "t10k")};
  for (const Images* images : {&data.train.images, &data.test.images})
    if (images->rows != kSide || images->columns != kSide)
      throw Error(ErrorKind::corrupt, directory.string() + ": expected images of 28 x 28, found " +
                                          std::to_string(images->rows) + " x " +
                                          std::to_string(images->columns));
  return data;
}

std::optional<fs::path> drawn_digits_directory(std::uint64_t seed) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path base;
  if (cache && fs::path(cache).is_absolute())  // the XDG specification: a relative path is ignored
    base = cache;
  else if (home && *home)
    base = fs::path(home) / ".cache";
  else
    return std::nullopt;
  return base / "batchscope" / ("digits-v1-seed" + std::to_string(seed));
}

DigitData drawn_digits(std::uint64_t seed) {
  const auto directory = drawn_digits_directory(seed);
  if (directory)
    if (auto cached = load_cached(*directory)) return std::move(*cached);
  DigitData data{draw_digits(seed, 0, kTrainImages), draw_digits(seed, 1, kTestImages)};
  try {
    if (directory) {
      write_idx(*directory, "train", data.train);
      write_idx(*directory, "t10k", data.test);
    }
  } catch (const Error&) {
    // Without a cache the next start takes a second longer.
  }
  return data;
}

void keep_first(LabelledImages& set, std::uint32_t count) {
  set.images.count = std::min(set.images.count, count);
  set.images.pixels.resize(std::size_t{set.images.count} * set.images.rows * set.images.columns);
  set.labels.resize(set.images.count);
}

}  // namespace batchscope::digits
