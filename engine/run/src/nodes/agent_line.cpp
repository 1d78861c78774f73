// SPDX-License-Identifier: Apache-2.0
#include "nodes/agent_line.h"

#include <fmt/format.h>

#include <QHostAddress>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "batchscope/protocol/error.h"
#include "nodes/tls_line.h"

namespace batchscope::run {

using protocol::monotonic_seconds;

AgentLine::AgentLine(NodeOffer offer, std::string token, std::chrono::milliseconds silence)
    : offer_(std::move(offer)),
      silence_(silence),
      line_(offer_.tls ? make_tls_socket(token) : std::make_unique<QTcpSocket>()),
      clock_offset_(std::numeric_limits<double>::infinity()) {
  line_.on_frame = [this](const Frame& frame) { take(frame); };
  line_.on_closed = [this] {
    const std::string why = line_.why_not();
    lose(why.empty() ? "its agent's line closed" : why);
  };
  line_.on_connected = [this, token = std::move(token)] {
    line_.send(FrameKind::hello, encode(NodeHello{token, Caller::supervisor}));
    if (on_connected) on_connected();
  };
  line_.socket().connectToHost(QHostAddress(QString::fromStdString(offer_.address)),
                               static_cast<quint16>(offer_.port));
}

std::string AgentLine::own_address() const { return line_.socket().localAddress().toString().toStdString(); }

double AgentLine::clock_offset() const { return std::isfinite(clock_offset_) ? clock_offset_ : 0; }

void AgentLine::take(const Frame& frame) {
  heard_ = monotonic_seconds();
  switch (frame.kind) {
    case FrameKind::beat: clock_offset_ = std::min(clock_offset_, heard_ - decode_beat(frame.bytes)); break;
    case FrameKind::ready:
      sees_folder_ = decode_ready(frame.bytes);
      ready_ = true;
      if (on_ready) on_ready();
      break;
    case FrameKind::news: {
      const News news = decode_news(frame.bytes);
      if (on_news) on_news(news.level, "node " + offer_.node + ": " + news.text);
      break;
    }
    case FrameKind::use: use_ = decode_use(frame.bytes); break;
    case FrameKind::refused: lose(frame.bytes); break;
    default: throw Error(ErrorKind::usage, "a frame that does not belong here");
  }
}

void AgentLine::check(double now) {
  const double silence = std::chrono::duration<double>(silence_).count();
  if (now - heard_ > silence) lose(fmt::format("it has not been heard for {} s", silence));
}

void AgentLine::lose(const std::string& why) {
  if (std::exchange(lost_, true)) return;
  line_.abort();
  if (on_lost) on_lost(why);
}

}  // namespace batchscope::run
