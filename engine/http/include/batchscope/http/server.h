// SPDX-License-Identifier: Apache-2.0
/// \file
/// A small HTTP/1.1 server on the event loop, for answers that may come much later (long polls) or never end
/// (server-sent events). Everything a stranger can take is bounded: the request (request.h), the time to send
/// it and to read the answer, and the number of connections. Beyond that number a new connection takes the
/// place of the oldest one that has not sent the head of its request, or has its answer. Any user of the
/// machine can connect to loopback, and a client that sends nothing must not keep others waiting. Where all
/// connections are being answered, the next one waits in the kernel's backlog. Streams have places of their
/// own. A connection carries one request. Libraries were no choice: cpp-httplib holds a thread for every long
/// poll and has no bound on connections, and Qt HTTP Server 6.4 bounds neither the body nor the time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"
#include "batchscope/http/settings.h"

namespace batchscope::http {

class Connection;

/// An answer that is sent piece by piece. Copies are the same stream. Use it on the event loop's thread.
class Stream {
 public:
  /// Sends the bytes, and never blocks. False where the client is gone, or was disconnected: because more
  /// than Limits::backlog bytes would wait for it, or because it took nothing of them for Limits::patience.
  bool send(std::string_view bytes) const;
  /// Calls `then` once, from the event loop, when all that was sent is on its way, so that a long answer is
  /// made as fast as its client reads. Does not call it where the client is gone. A later call replaces an
  /// earlier one.
  void when_taken(std::function<void()> then) const;
  /// Returns whether the client is there.
  bool open() const;
  /// Ends the stream.
  void close() const;
  /// Breaks the stream off, so that the client sees that something is missing.
  void abort() const;

 private:
  friend class Reply;
  explicit Stream(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}
  std::weak_ptr<Connection> connection_;
};

/// The means to answer a request. It may be kept and called at any later time, on the event loop's thread;
/// only the first call counts, and none once the client is gone.
class Reply {
 public:
  /// Answers, once and for all.
  void operator()(const Response& response) const;
  /// Begins a stream whose head is that of `head`, without a length. `on_closed` is called once, when the
  /// client is gone or was disconnected, but not for close().
  Stream stream(const Response& head, std::function<void()> on_closed) const;

 private:
  friend class Server;
  explicit Reply(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}
  std::weak_ptr<Connection> connection_;
};

/// The server, which runs for as long as it lives.
class Server {
 public:
  /// Listens from now on. A Unix socket has mode 0600 and its folder must be its owner's alone; where there
  /// is none it is made so. Throws Error(conflict) where another process listens there, Error(usage) for an
  /// address, a certificate, a key or a folder that cannot be used, Error(io).
  explicit Server(const Address& address, const Limits& limits);
  /// Listens on any free port of loopback, within the usual limits.
  Server() : Server(Address(), Limits()) {}
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Gets every request; may throw Fault. Also a HEAD, which is answered as a GET.
  std::function<void(const Request& request, const Reply& reply)> on_request;
  /// RequestReader::on_head of every connection; a request that it accepts keeps its connection until the
  /// answer.
  std::function<void(const Request& head)> on_head;
  /// Header fields of every answer, also of those that refuse what is not a request.
  std::vector<Field> fields;

  std::uint16_t port() const;  ///< 0 for a Unix socket

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::http
