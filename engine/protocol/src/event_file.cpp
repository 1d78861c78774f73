// SPDX-License-Identifier: Apache-2.0
//
// Protocol buffers by hand: a field is its number and wire type as one varint, then its value.
#include "batchscope/protocol/event_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "batchscope/protocol/bytes.h"
#include "batchscope/protocol/error.h"

namespace batchscope::protocol {
namespace {

// TensorFlow's event.proto and summary.proto.
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;  // Event
constexpr int kValue = 1;                                                // Summary
constexpr int kTag = 1, kSimpleValue = 2;                                // Summary.Value

enum WireType { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

void put_field(std::string& to, int number, WireType type) {
  put_varint(to, static_cast<std::uint64_t>(number) << 3 | type);
}

void put_bytes(std::string& to, int number, std::string_view bytes) {
  put_field(to, number, kLengthDelimited);
  put_varint(to, bytes.size());
  to += bytes;
}

std::string event_at(double wall_time) {
  std::string event;
  put_field(event, kWallTime, kFixed64);
  put(event, wall_time);
  return event;
}

constexpr std::array<std::uint32_t, 256> crc32c_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78u : 0);
  }
  return table;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  std::array<char, 256> name{};  // in which every name has room
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc32c_table();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return std::rotr(~crc, 15) + 0xa282ead8u;
}

EventFile::EventFile(const std::filesystem::path& directory) {
  static int files_made = 0;
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);  // what is wrong with it, open() says
  const double time = now();
  path_ = directory / fmt::format("events.out.tfevents.{}.{}.{}.{}", static_cast<std::int64_t>(time),
                                  host_name(), getpid(), files_made++);
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw Error(ErrorKind::io, "cannot make the event file " + path_.string() + ": " + std::strerror(errno));
  std::string event = event_at(time);
  put_bytes(event, kFileVersion, "brain.Event:2");
  write(event);
}

EventFile::~EventFile() { close(fd_); }

void EventFile::add(std::int64_t step, double wall_time, const std::map<std::string, double>& scalars) {
  std::string summary;
  for (const auto& [name, value] : scalars) {
    std::string scalar;
    put_bytes(scalar, kTag, name);
    put_field(scalar, kSimpleValue, kFixed32);
    put(scalar, static_cast<float>(value));
    put_bytes(summary, kValue, scalar);
  }
  std::string event = event_at(wall_time);
  put_field(event, kStep, kVarint);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_bytes(event, kSummary, summary);
  write(event);
}

void EventFile::write(const std::string& event) {
  std::string record;
  put(record, static_cast<std::uint64_t>(event.size()));
  put(record, masked_crc32c(record));
  record += event;
  put(record, masked_crc32c(event));
  const ssize_t written = ::write(fd_, record.data(), record.size());
  if (written == static_cast<ssize_t>(record.size())) return;
  throw Error(ErrorKind::io, "cannot write to the event file " + path_.string() + ": " +
                                 (written < 0 ? std::strerror(errno) : "the disk is full"));
}

}  // namespace batchscope::protocol
