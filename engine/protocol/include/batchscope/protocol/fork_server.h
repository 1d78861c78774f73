// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a supervisor and the fork server of its program say to one another. The program was started once,
/// with one end of a SOCK_SEQPACKET pair as the descriptor that BATCHSCOPE_FORK_SERVER names; one packet is
/// one JSON object. Its init_process_group() answers first: with its own process id (then it waits for
/// orders), or with the reason why it will not. Then each order makes one replica, which itself answers with
/// its process id, once it is the leader of a session and writes its log. Where one end closes, the other one
/// knows that it is alone. engine/run/PROTOCOL.md describes the whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::protocol {

/// Programs that know the protocol say so in an ELF note of this name and of this type, its version. A
/// program without it is never started as a fork server.
inline constexpr std::string_view kForkNoteName = "BatchScope";
/// The note's type: the version of this protocol.
inline constexpr std::uint32_t kForkNoteType = 1;

/// Make one replica.
struct ForkOrder {
  std::map<std::string, std::string> environment;  ///< the whole of it
  std::string log;                                 ///< standard output and error
  int number = 0;                                  ///< that its answer repeats
};

/// Answer of the fork server to its start, or of a replica to its order.
struct ForkAnswer {
  std::int64_t pid = 0;  ///< of the one who answers
  std::string error;     ///< empty: done
  /// Number of the order; 0 of the start. -1: a program with an earlier engine, which does not give it; send
  /// such a program one order at a time.
  int number = -1;
};

/// Encodes an order as one packet.
std::string encode(const ForkOrder& order);
/// Encodes an answer as one packet.
std::string encode(const ForkAnswer& answer);
/// Decodes an order. Throws Error(usage) for anything malformed.
ForkOrder decode_fork_order(std::string_view packet);
/// Decodes an answer; throws as decode_fork_order.
ForkAnswer decode_fork_answer(std::string_view packet);

/// Sends a packet; may block. Throws Error(io), also where the packet is larger than the socket takes.
void send_packet(int socket, const std::string& packet);
/// Blocks until a packet comes, and returns it; empty when the other end is closed. Throws Error(io).
std::optional<std::string> receive_packet(int socket);

}  // namespace batchscope::protocol
