// SPDX-License-Identifier: Apache-2.0
//
// The handshake of hub and spoke, before either takes in anything else: each proves that it knows their
// token, which itself is not sent, so that who listens on the way, or at the hub's port in its place, learns
// nothing to come back with. HMAC-SHA256 (RFC 2104) of both sides' nonces:
//
//     hub                                                    spoke
//      |--- nonce h ------------------------------------------->|
//      |<-- rank, nonce s, HMAC(token, "spoke" rank h s) -------|
//      |--- HMAC(token, "hub" rank h s) ----------------------->|
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "collective/socket.h"

namespace batchscope::replica {

// A spoke, by its rank, that has proved the token.
struct Spoke {
  int rank = 0;
  Socket socket;
};

// The hub's half, with all that come side by side: nobody waits for another one's answer, and a stranger who
// says nothing holds up nobody.
class Reception {
 public:
  Reception(Listener& listener, std::string token, Deadline deadline);

  // Returns the next ones that have proved the token, as soon as there is one; none when the deadline has
  // passed. A stranger is hung up on, and not told why.
  std::vector<Spoke> next();

 private:
  struct Guest {
    Socket socket;
    std::array<char, 32> nonce;
  };

  void accept();
  std::optional<int> rank_of(Guest& guest) const;

  Listener& listener_;
  const std::string token_;
  const Deadline deadline_;
  std::vector<Guest> guests_;  // that have not answered yet
};

// Returns when both sides have proved the token. Throws Error(failure) where the hub hung up or has another
// token, Error(timeout) where it says nothing before the deadline.
void greet_hub(Socket& socket, const std::string& token, int rank, Deadline deadline);

// Makes the library that computes proofs ready, which takes it 6 ms of processor time when it is first used:
// once before a program forks, instead of once in each replica.
void ready_for_greetings();

}  // namespace batchscope::replica
