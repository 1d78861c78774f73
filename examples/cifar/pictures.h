// SPDX-License-Identifier: Apache-2.0
//
// Coloured pictures of 32 x 32 in ten classes: CIFAR-10's binary files, or drawn ones, so that the example
// runs offline. A record of the files is a byte with the class and 3 x 32 x 32 bytes: red, green, blue, each
// row by row (https://www.cs.toronto.edu/~kriz/cifar.html).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::examples {

inline constexpr std::size_t kPictureBytes = 3 * 32 * 32;

struct Pictures {
  std::vector<std::uint8_t> pixels;  // kPictureBytes each
  std::vector<std::uint8_t> labels;  // 0 to 9
};

struct PictureData {
  Pictures train, test;
};

// Adds a file's records. Throws Error(corrupt) for a size that is not a whole number of records and for a
// class above 9; `name` stands in the message.
void parse_pictures(const std::vector<std::uint8_t>& bytes, const std::string& name, Pictures& pictures);

// Reads data_batch_1.bin to data_batch_5.bin and test_batch.bin. Throws as above, and Error(not_found).
PictureData load_pictures(const std::filesystem::path& directory);

// Draws discs, squares, triangles, rings, crosses, two kinds of stripes, checks, diagonals and dots, of any
// size, place and colours, with noise. The same seed gives the same bytes everywhere; another stream gives
// other pictures.
Pictures draw_pictures(std::uint64_t seed, std::uint64_t stream, std::size_t count);

}  // namespace batchscope::examples
