// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/fork_server.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::protocol {
namespace {

[[noreturn]] void fail(const char* what, int error) {
  throw Error(ErrorKind::io,
              std::string("the fork server's socket: cannot ") + what + ": " + std::strerror(error));
}

template <typename Value>
Value field(const Json& json, const char* name) {
  try {
    return json.at(name).get<Value>();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, std::string("a fork server's packet has no valid \"") + name + "\"");
  }
}

}  // namespace

std::string encode(const ForkOrder& order) {
  try {
    return Json{{"environment", order.environment}, {"log", order.log}, {"number", order.number}}.dump();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, "an environment that is not UTF-8 cannot be sent to a fork server");
  }
}

std::string encode(const ForkAnswer& answer) {
  Json json{{"number", answer.number}};
  if (answer.error.empty())
    json["pid"] = answer.pid;
  else
    json["error"] = answer.error;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ForkOrder decode_fork_order(std::string_view packet) {
  const Json json = parse_object(packet);
  return {field<std::map<std::string, std::string>>(json, "environment"), field<std::string>(json, "log"),
          json.contains("number") ? field<int>(json, "number") : 0};
}

ForkAnswer decode_fork_answer(std::string_view packet) {
  const Json json = parse_object(packet);
  const int number = json.contains("number") ? field<int>(json, "number") : -1;
  if (json.contains("error")) return {0, field<std::string>(json, "error"), number};
  return {field<std::int64_t>(json, "pid"), {}, number};
}

void send_packet(int socket, const std::string& packet) {
  while (::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL) < 0)
    if (errno != EINTR) fail("send", errno);
}

// Several processes may wait at one end, and another may take the packet that was looked at first. So there
// is room for the largest that the socket takes, in memory that costs nothing as far as it is not written.
std::optional<std::string> receive_packet(int socket) {
  int room = 0;
  socklen_t length = sizeof room;
  if (getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, &length) != 0) fail("receive", errno);
  const auto bytes = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(room));
  ssize_t size;
  while ((size = ::recv(socket, bytes.get(), static_cast<std::size_t>(room), MSG_TRUNC)) < 0)
    if (errno != EINTR) {
      if (errno == ECONNRESET) return std::nullopt;  // closed with packets unread
      fail("receive", errno);
    }
  if (size == 0) return std::nullopt;
  if (size > room) fail("receive", EMSGSIZE);
  return std::string(bytes.get(), static_cast<std::size_t>(size));
}

}  // namespace batchscope::protocol
