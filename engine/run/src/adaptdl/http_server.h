// SPDX-License-Identifier: Apache-2.0
//
// A small HTTP/1.1 server on 127.0.0.1 and the supervisor's event loop, for answers that may come much later
// (long polls). Everything a stranger can take is bounded: the request (http_request.h), the time to send it
// and to read the answer, and the number of connections. Beyond that number a new one takes the place of the
// oldest that has not sent the head of its request, or has its answer: any user of the machine can connect to
// loopback, and whoever sends nothing must not keep those waiting who do. Only where all are being answered
// the next waits in the kernel's backlog. One request a connection. Why an own one: cpp-httplib holds a
// thread for every long poll and has no bound on connections, and Qt HTTP Server 6.4 bounds neither the body
// nor the time.
#pragma once

#include <QTcpServer>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "adaptdl/http_request.h"

namespace batchscope::run {

class HttpServer {
 public:
  struct Limits {
    std::size_t connections = 256;
    std::chrono::milliseconds patience{10'000};  // for a whole request, and for the answer to be read
  };
  // May be called at any later time, from the event loop; only the first call counts, and none once the
  // client is gone. `json` is the body.
  using Reply = std::function<void(int status, const std::string& json)>;

  // Listens on any free port. Throws Error(io).
  explicit HttpServer(const Limits& limits);
  HttpServer() : HttpServer(Limits()) {}
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::function<void(const HttpRequest& request, const Reply& reply)> on_request;
  // HttpRequestReader::on_head of every connection; one that it takes keeps its place until it is answered.
  std::function<void(const HttpRequest& head)> on_head;

  std::uint16_t port() const { return server_.serverPort(); }

 private:
  struct Connection;

  void accept();
  bool make_room();
  void adopt(QTcpSocket* socket);
  void read(const std::shared_ptr<Connection>& connection);
  void sweep();  // destroys the connections that have closed, and takes those that waited

  const Limits limits_;
  QTcpServer server_;
  std::list<std::shared_ptr<Connection>> connections_;
};

// The body of an answer that is no success: {"error": "text"}.
std::string http_error(const std::string& text);

}  // namespace batchscope::run
