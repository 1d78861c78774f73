// SPDX-License-Identifier: Apache-2.0
//
// A frame is sent by one system call and read by two: the head, then the rest.
#include "collective/frame.h"

#include <cstring>

#include "batchscope/protocol/error.h"

namespace batchscope::replica {
namespace {

constexpr std::uint32_t kMagic = 0x42535452;  // "RTSB"
constexpr std::uint64_t kLargestValue = std::uint64_t{1} << 32;
constexpr std::uint32_t kLongestName = 4096;

struct Head {
  std::uint32_t magic, error;
  std::uint64_t sequence, value_size, name_size;
};

}  // namespace

Transfer send_frame(Socket& socket, const Frame& frame, Deadline deadline) {
  const Head head{kMagic, frame.error, frame.sequence, frame.value.size(), frame.name.size()};
  std::string bytes(sizeof head + frame.name.size() + frame.value.size(), '\0');
  char* to = bytes.data();
  std::memcpy(to, &head, sizeof head);
  frame.name.copy(to + sizeof head, frame.name.size());
  frame.value.copy(to + sizeof head + frame.name.size(), frame.value.size());
  return socket.send(bytes, deadline);
}

Transfer receive_frame(Socket& socket, Frame& frame, Deadline deadline) {
  Head head{};
  if (const auto transfer = socket.receive(reinterpret_cast<char*>(&head), sizeof head, deadline);
      transfer != Transfer::done)
    return transfer;
  if (head.magic != kMagic || head.name_size > kLongestName || head.value_size > kLargestValue)
    throw Error(ErrorKind::corrupt, "a replica sent bytes that are not a frame of a collective");
  std::string name_and_value(head.name_size + head.value_size, '\0');
  if (const auto transfer = socket.receive(name_and_value.data(), name_and_value.size(), deadline);
      transfer != Transfer::done)
    return transfer;
  frame.error = head.error != 0;
  frame.sequence = head.sequence;
  frame.name.assign(name_and_value, 0, head.name_size);
  frame.value.assign(name_and_value, head.name_size, head.value_size);
  return Transfer::done;
}

}  // namespace batchscope::replica
