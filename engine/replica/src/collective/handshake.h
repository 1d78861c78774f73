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

#include <optional>
#include <string>

#include "collective/socket.h"

namespace batchscope::replica {

// The rank that the spoke says it is, once it has proved the token; none for a stranger, who is not told why.
std::optional<int> greet_spoke(Socket& socket, const std::string& token, Deadline deadline);

// Returns when both sides have proved the token. Throws Error(failure) where the hub hung up or has another
// token, Error(timeout) where it says nothing before the deadline.
void greet_hub(Socket& socket, const std::string& token, int rank, Deadline deadline);

}  // namespace batchscope::replica
