// SPDX-License-Identifier: Apache-2.0
#include "pictures.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "batchscope/protocol/error.h"

namespace batchscope::examples {
namespace {

constexpr std::size_t kSide = 32, kClasses = 10;

void load(const std::filesystem::path& file, Pictures& pictures) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw Error(ErrorKind::not_found, file.string() +
                                          ": cannot be read; the folder must hold CIFAR-10's binary version, "
                                          "data_batch_1.bin to data_batch_5.bin and test_batch.bin");
  parse_pictures({std::istreambuf_iterator<char>(in), {}}, file.filename().string(), pictures);
}

// Returns whether a shape of half-size r has ink at x and y, from its middle; `thick` is the width of lines.
bool inside(std::size_t shape, int x, int y, int r, int thick) {
  const int square = x * x + y * y, far = std::max(std::abs(x), std::abs(y));
  const auto stripe = [thick](int at) { return (at + 64) / thick % 2 == 0; };
  switch (shape) {
    case 0: return square <= r * r;
    case 1: return far <= r;
    case 2: return y <= r && 2 * std::abs(x) <= y + r;
    case 3: return square <= r * r && square >= (r - thick) * (r - thick);
    case 4: return far <= r && std::min(std::abs(x), std::abs(y)) < thick;
    case 5: return far <= r && stripe(x);
    case 6: return far <= r && stripe(y);
    case 7: return far <= r && stripe(x) == stripe(y);
    case 8: return far <= r && stripe(x + y);
    default: return far <= r && !stripe(x) && !stripe(y);
  }
}

}  // namespace

void parse_pictures(const std::vector<std::uint8_t>& bytes, const std::string& name, Pictures& pictures) {
  constexpr std::size_t record = 1 + kPictureBytes;
  if (bytes.empty() || bytes.size() % record != 0)
    throw Error(ErrorKind::corrupt, name + ": expected records of " + std::to_string(record) +
                                        " bytes, found " + std::to_string(bytes.size()) +
                                        " bytes: the file is truncated, or not CIFAR-10's binary version");
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    if (bytes[at] >= kClasses)
      throw Error(ErrorKind::corrupt, name + ": at offset " + std::to_string(at) +
                                          ": expected a class from 0 to 9, found " +
                                          std::to_string(bytes[at]));
    pictures.labels.push_back(bytes[at]);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    pictures.pixels.insert(pictures.pixels.end(), first, first + std::ptrdiff_t{kPictureBytes});
  }
}

PictureData load_pictures(const std::filesystem::path& directory) {
  PictureData data;
  for (int i = 1; i <= 5; ++i) load(directory / ("data_batch_" + std::to_string(i) + ".bin"), data.train);
  load(directory / "test_batch.bin", data.test);
  return data;
}

Pictures draw_pictures(std::uint64_t seed, std::uint64_t stream, std::size_t count) {
  std::mt19937_64 random(seed * 2 + stream);
  const auto from = [&random](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Pictures pictures;
  pictures.pixels.resize(count * kPictureBytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t shape = random() % kClasses;
    pictures.labels.push_back(static_cast<std::uint8_t>(shape));
    const int r = from(7, 13), thick = from(2, 4), middle_x = from(r, 31 - r), middle_y = from(r, 31 - r);
    std::array<int, 3> ink{}, ground{};
    for (int channel = 0; channel < 3; ++channel) {
      ground[channel] = from(0, 255);
      ink[channel] = (ground[channel] + from(50, 128)) % 256;
    }
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (int y = 0; y < static_cast<int>(kSide); ++y)
        for (int x = 0; x < static_cast<int>(kSide); ++x) {
          const bool inked = inside(shape, x - middle_x, y - middle_y, r, thick);
          const int value = (inked ? ink : ground)[channel] + from(-40, 40);
          pictures.pixels[i * kPictureBytes + channel * kSide * kSide + static_cast<std::size_t>(y) * kSide +
                          static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
        }
  }
  return pictures;
}

}  // namespace batchscope::examples
