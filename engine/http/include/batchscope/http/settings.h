// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a server listens, and what its clients may take.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace batchscope::http {

/// Where a server listens.
struct Address {
  std::string host = "127.0.0.1";          ///< a number: an address of this machine
  std::uint16_t port = 0;                  ///< 0: any that is free
  std::filesystem::path socket = {};       ///< a Unix socket in place of host and port; empty: none
  std::filesystem::path certificate = {};  ///< PEM, with its chain, for TLS; empty: no TLS
  std::filesystem::path key = {};          ///< PEM, without a passphrase
};

/// Limits of what clients may use.
struct Limits {
  std::size_t connections = 256;               ///< that are not streams
  std::chrono::milliseconds patience{10'000};  ///< for a whole request; and of a client that takes nothing
  std::size_t streams = 0;                     ///< beyond them a stream is refused by 503
  std::size_t backlog = 4u << 20;              ///< bytes of a stream that wait to be read
};

}  // namespace batchscope::http
