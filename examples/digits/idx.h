// SPDX-License-Identifier: Apache-2.0
//
// IDX, the format of MNIST's files: a big-endian header, then unsigned bytes.
//
//   images  0x00000803, count, rows, columns, then count * rows * columns pixels
//   labels  0x00000801, count, then count labels
//
// Reading takes plain and gzipped files alike and trusts no header: every size is compared with the bytes
// that are there, so a damaged file is refused with its name, the offset, what was expected and what was
// found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace batchscope::digits {

struct Images {
  std::uint32_t count = 0, rows = 0, columns = 0;
  std::vector<std::uint8_t> pixels;  // count * rows * columns, row by row
};

struct LabelledImages {
  Images images;
  std::vector<std::uint8_t> labels;  // one for each image, 0 to 9
};

// Pure: `bytes` are a file's contents. Throw Error(corrupt), naming `name`.
Images parse_images(std::span<const std::uint8_t> bytes, const std::string& name);
std::vector<std::uint8_t> parse_labels(std::span<const std::uint8_t> bytes, const std::string& name);

// Returns a file's contents, unzipped if it is gzipped. Throws Error(not_found | io), Error(corrupt) for a
// damaged gzip stream, and for more than a gibibyte, which no set of digits needs.
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file);

// Reads images with their labels: PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte in `directory`, each
// plain or .gz. MNIST's prefixes are "train" and "t10k". Throws as above, and Error(corrupt) where the counts
// differ.
LabelledImages read_idx(const std::filesystem::path& directory, const std::string& prefix);

// Writes both files, uncompressed, each through a temporary file that is renamed, so that a reader never sees
// half of one. Throws Error(io).
void write_idx(const std::filesystem::path& directory, const std::string& prefix, const LabelledImages& set);

}  // namespace batchscope::digits
