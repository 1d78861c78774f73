// SPDX-License-Identifier: Apache-2.0
#include "idx.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>

#include "batchscope/protocol/error.h"

namespace batchscope::digits {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kImagesMagic = 0x00000803;
constexpr std::uint32_t kLabelsMagic = 0x00000801;
constexpr std::size_t kImagesHeader = 16, kLabelsHeader = 8;
constexpr std::size_t kLargest = std::size_t{1} << 30;
constexpr std::uint8_t kLastLabel = 9;

[[noreturn]] void refuse(const std::string& name, std::size_t offset, const std::string& expected,
                         const std::string& found) {
  throw Error(ErrorKind::corrupt,
              name + ": at offset " + std::to_string(offset) + ": expected " + expected + ", found " + found);
}

std::string hexadecimal(std::uint32_t value) {
  char text[11];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t offset) {
  return std::uint32_t{bytes[offset]} << 24 | std::uint32_t{bytes[offset + 1]} << 16 |
         std::uint32_t{bytes[offset + 2]} << 8 | bytes[offset + 3];
}

void check_header(std::span<const std::uint8_t> bytes, std::size_t header, std::uint32_t magic,
                  const std::string& name) {
  if (bytes.size() < header)
    refuse(name, bytes.size(), "a header of " + std::to_string(header) + " bytes", "the end of the file");
  if (word(bytes, 0) != magic)
    refuse(name, 0, "the magic number " + hexadecimal(magic), hexadecimal(word(bytes, 0)));
}

void check_payload(std::size_t found, std::size_t header, std::uint64_t expected, const std::string& what,
                   const std::string& name) {
  if (found == expected) return;
  refuse(name, header + (found < expected ? found : expected), what,
         std::to_string(found) +
             (found < expected ? " bytes: the file is truncated, or its header wrong" : " bytes: too many"));
}

fs::path find(const fs::path& directory, const std::string& file) {
  const fs::path plain = directory / file, gzipped = directory / (file + ".gz");
  std::error_code ignored;
  if (fs::exists(plain, ignored)) return plain;
  if (fs::exists(gzipped, ignored)) return gzipped;
  throw Error(ErrorKind::not_found, "neither " + file + " nor " + file + ".gz is in " + directory.string());
}

void append_word(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
}

void write_file(const fs::path& file, const std::string& header, const std::vector<std::uint8_t>& payload) {
  static std::atomic<int> written = 0;
  const fs::path temporary = file.string() + "." + std::to_string(getpid()) + "-" + std::to_string(++written);
  std::ofstream out(temporary, std::ios::binary);
  out << header;
  out.write(reinterpret_cast<const char*>(payload.data()), static_cast<std::streamsize>(payload.size()));
  out.close();
  std::error_code error;
  if (out) fs::rename(temporary, file, error);
  if (!out || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error(ErrorKind::io, "cannot write " + file.string() + ": " +
                                   (error ? error.message() : std::string("no space or no permission")));
  }
}

std::string images_file(const std::string& prefix) { return prefix + "-images-idx3-ubyte"; }
std::string labels_file(const std::string& prefix) { return prefix + "-labels-idx1-ubyte"; }

}  // namespace

Images parse_images(std::span<const std::uint8_t> bytes, const std::string& name) {
  check_header(bytes, kImagesHeader, kImagesMagic, name);
  Images images{word(bytes, 4), word(bytes, 8), word(bytes, 12), {}};
  if (images.rows == 0) refuse(name, 8, "at least 1 row", "0");
  if (images.columns == 0) refuse(name, 12, "at least 1 column", "0");
  std::uint64_t expected = std::uint64_t{images.rows} * images.columns;
  if (__builtin_mul_overflow(expected, images.count, &expected))
    expected = std::numeric_limits<std::uint64_t>::max();
  check_payload(bytes.size() - kImagesHeader, kImagesHeader, expected,
                std::to_string(images.count) + " images of " + std::to_string(images.rows) + " x " +
                    std::to_string(images.columns) + " bytes",
                name);
  images.pixels.assign(bytes.begin() + kImagesHeader, bytes.end());
  return images;
}

std::vector<std::uint8_t> parse_labels(std::span<const std::uint8_t> bytes, const std::string& name) {
  check_header(bytes, kLabelsHeader, kLabelsMagic, name);
  const std::uint32_t count = word(bytes, 4);
  check_payload(bytes.size() - kLabelsHeader, kLabelsHeader, count,
                std::to_string(count) + " labels of 1 byte", name);
  const auto labels = bytes.subspan(kLabelsHeader);
  const auto bad =
      std::find_if(labels.begin(), labels.end(), [](std::uint8_t label) { return label > kLastLabel; });
  if (bad != labels.end())
    refuse(name, kLabelsHeader + static_cast<std::size_t>(bad - labels.begin()), "a label from 0 to 9",
           std::to_string(*bad));
  return {labels.begin(), labels.end()};
}

std::vector<std::uint8_t> read_bytes(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) throw Error(ErrorKind::not_found, file.string() + ": no such file");
  if (!fs::is_regular_file(file, error)) throw Error(ErrorKind::io, file.string() + ": not a regular file");
  // gzread passes a file through that is not gzipped.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);
  if (!in) throw Error(ErrorKind::io, "cannot open " + file.string() + ": " + std::strerror(errno));
  gzbuffer(in.get(), 1 << 17);

  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(std::min(static_cast<std::size_t>(fs::file_size(file, error)) + chunk, kLargest));
  for (std::size_t size = 0;;) {
    bytes.resize(size + chunk);
    const int got = gzread(in.get(), bytes.data() + size, chunk);
    size += static_cast<std::size_t>(std::max(got, 0));
    bytes.resize(size);
    int status = Z_OK;
    const char* message = gzerror(in.get(), &status);
    if (status == Z_ERRNO)
      throw Error(ErrorKind::io, "cannot read " + file.string() + ": " + std::strerror(errno));
    if (got < 0 || status != Z_OK) refuse(file.string(), size, "more of a gzip stream", message);
    if (size > kLargest) refuse(file.string(), kLargest, "the end of the file", "more than a gibibyte");
    if (got == 0) return bytes;
  }
}

LabelledImages read_idx(const fs::path& directory, const std::string& prefix) {
  const fs::path images = find(directory, images_file(prefix)), labels = find(directory, labels_file(prefix));
  LabelledImages set{parse_images(read_bytes(images), images.string()),
                     parse_labels(read_bytes(labels), labels.string())};
  if (set.labels.size() != set.images.count)
    refuse(labels.string(), 4,
           std::to_string(set.images.count) + " labels, one for each image in " + images.string(),
           std::to_string(set.labels.size()));
  return set;
}

void write_idx(const fs::path& directory, const std::string& prefix, const LabelledImages& set) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error(ErrorKind::io, "cannot make " + directory.string() + ": " + error.message());
  std::string header;
  for (const std::uint32_t value : {kImagesMagic, set.images.count, set.images.rows, set.images.columns})
    append_word(header, value);
  write_file(directory / images_file(prefix), header, set.images.pixels);
  header.clear();
  append_word(header, kLabelsMagic);
  append_word(header, static_cast<std::uint32_t>(set.labels.size()));
  write_file(directory / labels_file(prefix), header, set.labels);
}

}  // namespace batchscope::digits
