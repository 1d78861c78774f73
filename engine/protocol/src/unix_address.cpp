// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/unix_address.h"

#include <sys/socket.h>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

sockaddr_un unix_address(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = path.native();
  if (name.size() >= sizeof address.sun_path)
    throw Error(ErrorKind::io, "the socket path " + name + " is too long");
  name.copy(address.sun_path, name.size());
  return address;
}

}  // namespace batchscope::protocol
