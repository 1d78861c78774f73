// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/fork_server.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

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
    throw Error(ErrorKind::usage, std::string("a fork server's packet without a good \"") + name + "\"");
  }
}

}  // namespace

std::string encode(const ForkOrder& order) {
  try {
    return Json{{"environment", order.environment}, {"log", order.log}}.dump();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, "an environment that is not UTF-8 cannot be sent to a fork server");
  }
}

std::string encode(const ForkAnswer& answer) {
  if (answer.error.empty()) return Json{{"pid", answer.pid}}.dump();
  return Json{{"error", answer.error}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ForkOrder decode_fork_order(std::string_view packet) {
  const Json json = parse_object(packet);
  return {field<std::map<std::string, std::string>>(json, "environment"), field<std::string>(json, "log")};
}

ForkAnswer decode_fork_answer(std::string_view packet) {
  const Json json = parse_object(packet);
  if (json.contains("error")) return {0, field<std::string>(json, "error")};
  return {field<std::int64_t>(json, "pid"), {}};
}

void send_packet(int socket, const std::string& packet) {
  while (::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL) < 0)
    if (errno != EINTR) fail("send", errno);
}

std::optional<std::string> receive_packet(int socket) {
  std::string packet;
  for (const int flags : {MSG_PEEK | MSG_TRUNC, 0}) {  // its size first
    ssize_t size;
    while ((size = ::recv(socket, packet.data(), packet.size(), flags)) < 0)
      if (errno != EINTR) {
        if (errno == ECONNRESET) return std::nullopt;  // closed with packets unread
        fail("receive", errno);
      }
    if (size == 0) return std::nullopt;
    packet.resize(static_cast<std::size_t>(size));
  }
  return packet;
}

}  // namespace batchscope::protocol
