// SPDX-License-Identifier: Apache-2.0
#include "files/tar_stream.h"

#include <fmt/core.h>

#include <numeric>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::web {
namespace {

constexpr std::int64_t kBlock = 512;
constexpr std::int64_t kMostOctal = 1LL << 33;  // bytes, from which on 11 digits are too few
constexpr std::size_t kMostName = 100;

std::int64_t padding(std::int64_t bytes) { return (kBlock - bytes % kBlock) % kBlock; }

void put(std::string& block, std::size_t at, const std::string& text) {
  block.replace(at, text.size(), text);
}

void put_size(std::string& block, std::int64_t bytes) {
  constexpr std::size_t kAt = 124, kWidth = 12;
  if (bytes < kMostOctal) return put(block, kAt, fmt::format("{:011o}", bytes));
  block[kAt] = '\x80';
  for (std::size_t i = kWidth - 1; i >= kWidth - 8; --i, bytes >>= 8)
    block[kAt + i] = static_cast<char>(bytes & 0xff);
}

std::string header(const std::string& folder, const std::string& name, const PlainFile& file) {
  std::string block(kBlock, '\0');
  put(block, 0, name);
  put(block, 100, "0000600");
  put(block, 108, "0000000");  // owner and group are whoever unpacks it
  put(block, 116, "0000000");
  put_size(block, file.size());
  put(block, 136, fmt::format("{:011o}", std::max<std::int64_t>(file.modified(), 0)));
  put(block, 148, std::string(8, ' '));  // the checksum counts as spaces
  put(block, 156, "0");
  put(block, 257, "ustar");
  put(block, 263, "00");
  put(block, 345, folder);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, 148, fmt::format("{:06o}", sum) + '\0');
  return block;
}

}  // namespace

TarStream::TarStream(std::string folder, std::vector<Entry> entries)
    : folder_(std::move(folder)), entries_(std::move(entries)) {
  for (const Entry& each : entries_)
    if (each.name.size() > kMostName)
      throw Error(ErrorKind::io, fmt::format("{} of {} has a name of more than {} bytes, which no archive "
                                             "takes: copy the folder itself",
                                             each.name, folder_, kMostName));
}

std::int64_t TarStream::size(const std::vector<Entry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), 2 * kBlock, [](std::int64_t sum, const Entry& each) {
    return sum + kBlock + each.bytes + padding(each.bytes);
  });
}

void TarStream::open_next() {
  const Entry& entry = entries_[next_++];
  file_ = std::make_unique<PlainFile>(entry.path);
  from_ = 0;
  if (!file_->is_there() || file_->size() != entry.bytes)
    throw Error(ErrorKind::io, entry.name + " of " + folder_ + " is gone, or was changed");
}

std::string TarStream::read(std::size_t most) {
  if (is_over_) return {};
  if (!file_ && next_ == entries_.size()) {
    is_over_ = true;
    return std::string(2 * kBlock, '\0');
  }
  std::string piece;
  if (!file_) {
    open_next();
    piece = header(folder_, entries_[next_ - 1].name, *file_);
  }
  const std::string content = file_->read(from_, most);
  from_ += static_cast<std::int64_t>(content.size());
  piece += content;
  if (from_ == file_->size()) {
    piece += std::string(static_cast<std::size_t>(padding(from_)), '\0');
    file_.reset();
  } else if (content.empty()) {
    throw Error(ErrorKind::io,
                entries_[next_ - 1].name + " of " + folder_ + " was cut while it was being sent");
  }
  return piece;
}

}  // namespace batchscope::web
