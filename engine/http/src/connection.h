// SPDX-License-Identifier: Apache-2.0
//
// The life of a connection: its request is read within the time allowed, it is answered whenever the answer
// comes, and it is closed when the client has read that or its time is up. A client of a stream has that time
// to take anything of what waits for it. What a client still sends after
// its answer is read and dropped, because closing over unread bytes would reset the connection and could take
// the answer with it.
#pragma once

#include <QTcpSocket>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"
#include "batchscope/http/settings.h"

namespace batchscope::http {

class Connection {
 public:
  Connection(QTcpSocket* connected, const Limits& limits, const std::vector<Field>& fields);
  // Disconnects the socket's signals first: what it says when it is taken down is of no interest.
  ~Connection();

  // Called when the head of a request was accepted.
  std::function<void(const Request& head)> on_head;
  // Before a stream begins: whether there is a place for it.
  std::function<bool()> on_stream;

  QTcpSocket& socket() { return *socket_; }
  QTimer& deadline() { return deadline_; }

  // The request, once, when it is whole. Throws Fault, once.
  std::optional<Request> read();

  void answer(const Response& response);
  bool begin_stream(const Response& head, std::function<void()> on_closed);
  bool send(std::string_view bytes);
  void when_taken(std::function<void()> then);
  void close();
  void abort();

  bool open() const { return socket_->state() == QAbstractSocket::ConnectedState; }
  bool streams() const { return streams_; }
  // It may take its time: for the rest of its request, and until there is an answer.
  bool keeps_its_place() const { return welcome_ && !answered_; }
  // Gives its place to another connection. What the client has not read by now it may still find in its own
  // buffer.
  void give_way();
  void time_out();
  // Some of the answer, or of the stream, was taken.
  void written();
  void gone();  // the client has closed

 private:
  void write_head(const Response& response, std::optional<std::size_t> length);
  void end_when_written();
  void tell_taken();

  const std::unique_ptr<QTcpSocket> socket_;
  const Limits& limits_;
  const std::vector<Field>& fields_;
  QTimer deadline_;
  RequestReader reader_;
  std::function<void()> on_closed_;
  std::function<void()> on_taken_;
  bool welcome_ = false;   // its head was taken
  bool asked_ = false;     // the request was handed on, or cannot be read
  bool answered_ = false;  // or it streams
  bool streams_ = false;
  bool ended_ = false;  // nothing more will be written
  bool is_head_ = false;
};

}  // namespace batchscope::http
