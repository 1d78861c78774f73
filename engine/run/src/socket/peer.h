// SPDX-License-Identifier: Apache-2.0
//
// The user at the other end of a Unix socket. The modes of sockets and their directories keep strangers out
// already; this holds as well where a directory was made wrongly, or is somebody else's.
#pragma once

namespace batchscope::run {

// A process of this user, or root's.
bool is_trusted_peer(int socket);

}  // namespace batchscope::run
