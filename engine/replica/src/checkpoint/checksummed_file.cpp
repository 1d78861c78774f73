// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/checksummed_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"

namespace batchscope::replica {

ChecksummedFile::ChecksummedFile(const std::filesystem::path& path) : path_(path), stream_(this) {
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd_ < 0) fail("create");
  stream_.exceptions(std::ios::badbit);  // an ostream swallows its buffer's exceptions otherwise
}

ChecksummedFile::ChecksummedFile(const std::filesystem::path& path, std::int64_t& room)
    : ChecksummedFile(path) {
  crc_.reset();
  room_ = &room;
}

ChecksummedFile::~ChecksummedFile() {
  if (fd_ >= 0) close(fd_);
}

void ChecksummedFile::finish() { sync(); }

void ChecksummedFile::fsync() {
  if (::fsync(fd_) != 0) fail("fsync");
}

protocol::StateFile ChecksummedFile::entry() const { return {path_.filename().string(), bytes_, crc_}; }

ChecksummedFile::int_type ChecksummedFile::overflow(int_type byte) {
  sync();
  if (!traits_type::eq_int_type(byte, traits_type::eof())) sputc(traits_type::to_char_type(byte));
  return traits_type::not_eof(byte);
}

std::streamsize ChecksummedFile::xsputn(const char* bytes, std::streamsize count) {
  if (count < epptr() - pptr()) {
    std::memcpy(pptr(), bytes, static_cast<std::size_t>(count));
    pbump(static_cast<int>(count));
  } else {
    sync();
    write(bytes, static_cast<std::size_t>(count));
  }
  return count;
}

int ChecksummedFile::sync() {
  write(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return 0;
}

void ChecksummedFile::write(const char* bytes, std::size_t count) {
  if (crc_) crc_ = static_cast<std::uint32_t>(crc32_z(*crc_, reinterpret_cast<const Bytef*>(bytes), count));
  if (room_ && (*room_ -= static_cast<std::int64_t>(count)) < 0) {
    errno = ENOSPC;
    fail("write");
  }
  bytes_ += static_cast<std::int64_t>(count);
  while (count > 0) {
    const ssize_t written = ::write(fd_, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void ChecksummedFile::fail(const char* what) const {
  throw Error(ErrorKind::io,
              std::string("cannot ") + what + " " + path_.string() + ": " + std::strerror(errno));
}

}  // namespace batchscope::replica
