// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <sys/socket.h>

#include <utility>

#include "batchscope/http/tls.h"

namespace batchscope::http {
namespace {

// Bytes of a stream that the system keeps for its client: what it has taken tells nothing of who reads.
constexpr int kSystemBuffer = 64 << 10;

const char* reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Internal Server Error";
  }
}

}  // namespace

Connection::Connection(QTcpSocket* connected, const Limits& limits, const std::vector<Field>& fields)
    : socket_(connected), limits_(limits), fields_(fields) {
  socket_->setParent(nullptr);
  socket_->setReadBufferSize(RequestReader::kMostHead + RequestReader::kMostBody);
  deadline_.setSingleShot(true);
  deadline_.start(limits_.patience);
  reader_.on_head = [this](const Request& head) {
    is_head_ = head.method == "HEAD";
    if (on_head) on_head(head);
    welcome_ = true;
  };
}

Connection::~Connection() { socket_->disconnect(); }

std::optional<Request> Connection::read() {
  const QByteArray bytes = socket_->readAll();
  if (asked_ || bytes.isEmpty()) return std::nullopt;
  try {
    auto request = reader_.feed({bytes.data(), static_cast<std::size_t>(bytes.size())});
    if (!request) return std::nullopt;
    asked_ = true;
    deadline_.stop();
    return request;
  } catch (const Fault&) {
    asked_ = true;
    throw;
  }
}

void Connection::write_head(const Response& response, std::optional<std::size_t> length) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " + reason(response.status) +
                     "\r\nContent-Type: " + response.type;
  if (length) text += "\r\nContent-Length: " + std::to_string(*length);
  for (const auto* fields : {&fields_, &response.fields})
    for (const auto& [name, value] : *fields) text += "\r\n" + name + ": " + value;
  text += "\r\nConnection: close\r\n\r\n";
  socket_->write(text.data(), static_cast<qint64>(text.size()));
}

void Connection::answer(const Response& response) {
  if (std::exchange(answered_, true) || !open()) return;
  deadline_.start(limits_.patience);
  ended_ = true;
  write_head(response, response.body.size());
  if (!is_head_) socket_->write(response.body.data(), static_cast<qint64>(response.body.size()));
}

bool Connection::begin_stream(const Response& head, std::function<void()> on_closed) {
  if (answered_ || !open()) return false;
  if (is_head_) {
    answer(head);
    return false;
  }
  if (!on_stream()) {
    answer(error_response(503, "too many streams; close some pages"));
    return false;
  }
  answered_ = true;
  streams_ = true;
  socket_->setSocketOption(QAbstractSocket::SendBufferSizeSocketOption, kSystemBuffer);
  on_closed_ = std::move(on_closed);
  write_head(head, std::nullopt);
  return true;
}

bool Connection::send(std::string_view bytes) {
  if (ended_ || !open()) return false;
  if (static_cast<std::size_t>(bytes_waiting(*socket_)) + bytes.size() > limits_.backlog) {
    socket_->abort();
    return false;
  }
  socket_->write(bytes.data(), static_cast<qint64>(bytes.size()));
  if (!deadline_.isActive()) deadline_.start(limits_.patience);
  return true;
}

void Connection::when_taken(std::function<void()> then) {
  on_taken_ = std::move(then);
  if (bytes_waiting(*socket_) == 0) QTimer::singleShot(0, &deadline_, [this] { tell_taken(); });
}

void Connection::tell_taken() {
  if (!open() || bytes_waiting(*socket_) > 0) return;
  if (const auto then = std::exchange(on_taken_, nullptr)) then();
}

// An end like any other would say that the answer was whole.
void Connection::abort() {
  const linger at_once{1, 0};
  ::setsockopt(static_cast<int>(socket_->socketDescriptor()), SOL_SOCKET, SO_LINGER, &at_once,
               sizeof at_once);
  on_closed_ = nullptr;
  ended_ = true;
  socket_->abort();
}

void Connection::close() {
  if (std::exchange(ended_, true)) return;
  on_closed_ = nullptr;
  deadline_.start(limits_.patience);
  end_when_written();
}

void Connection::end_when_written() {
  if (!ended_ || socket_->bytesToWrite() > 0) return;
  if (socket_->inherits("QSslSocket"))
    socket_->disconnectFromHost();  // which has to say so in TLS first
  else
    ::shutdown(static_cast<int>(socket_->socketDescriptor()), SHUT_WR);
}

void Connection::written() {
  if (streams_ && !ended_ && bytes_waiting(*socket_) == 0)
    deadline_.stop();
  else if ((ended_ || streams_) && welcome_ && deadline_.isActive())
    deadline_.start(limits_.patience);
  end_when_written();
  if (streams_) tell_taken();
}

void Connection::give_way() {
  answer(error_response(503, "too many connections; ask again"));
  socket_->flush();
  socket_->abort();
}

void Connection::time_out() {
  if (answered_)
    socket_->abort();
  else
    answer(error_response(408, "the request did not come in time"));
}

void Connection::gone() {
  if (const auto on_closed = std::exchange(on_closed_, nullptr)) on_closed();
}

}  // namespace batchscope::http
