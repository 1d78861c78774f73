// SPDX-License-Identifier: Apache-2.0
#include "socket/telemetry_server.h"

#include <fmt/format.h>
#include <poll.h>

#include <optional>
#include <utility>
#include <vector>

#include "batchscope/protocol/error.h"

namespace batchscope::run {
namespace {

// A Steps message holds every step of 50 ms or, after a stall, of some seconds.
constexpr std::size_t kMessageLimit = 16u << 20;
constexpr int kMostFaults = 100;

}  // namespace

struct TelemetryServer::Connection {
  explicit Connection(std::unique_ptr<QLocalSocket> socket) : lines(std::move(socket), kMessageLimit) {}

  LineSocket lines;
  std::optional<int> rank;  // after its Hello
  int generation = -1;      // that it said hello to
  int faults = 0;
  bool closed = false;

  std::string who() const { return rank ? "rank " + std::to_string(*rank) : "a replica"; }
};

TelemetryServer::TelemetryServer(const std::filesystem::path& path)
    : listener_(path, [this](auto socket) { accept(std::move(socket)); }) {}

TelemetryServer::~TelemetryServer() = default;

void TelemetryServer::expect(int generation, int replicas) {
  generation_ = generation;
  replicas_ = replicas;
  sweep();
}

void TelemetryServer::drain(std::optional<int> rank) {
  listener_.accept_pending();
  // One look at all of them: a thousand that have nothing to say cost as much as a few that have.
  std::vector<pollfd> descriptors;
  std::vector<Connection*> open;
  for (const auto& connection : connections_) {
    const bool other = rank && connection->rank && *connection->rank != *rank;
    if (connection->closed || other) continue;
    descriptors.push_back({static_cast<int>(connection->lines.socket().socketDescriptor()), POLLIN, 0});
    open.push_back(connection.get());
  }
  if (poll(descriptors.data(), descriptors.size(), 0) <= 0) return;
  for (std::size_t i = 0; i < open.size(); ++i)
    if (descriptors[i].revents != 0) open[i]->lines.drain();
}

void TelemetryServer::accept(std::unique_ptr<QLocalSocket> socket) {
  sweep();
  auto& connection = *connections_.emplace_back(std::make_unique<Connection>(std::move(socket)));
  connection.lines.on_line = [this, &connection](const std::string& line) { take(connection, line); };
  connection.lines.on_closed = [&connection] { connection.closed = true; };
  connection.lines.on_overlong = [this, &connection] {
    on_fault(connection.who() + " sent telemetry without an end of line; its connection was closed");
    connection.lines.socket().abort();
  };
}

void TelemetryServer::take(Connection& connection, const std::string& line) {
  if (connection.faults >= kMostFaults) return;
  try {
    const protocol::Message message = protocol::decode(line);
    if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
      if (hello->generation != generation_ || hello->rank < 0 || hello->rank >= replicas_)
        throw Error(ErrorKind::usage,
                    fmt::format("it says it is rank {} of generation {}, which is not running now",
                                hello->rank, hello->generation));
      connection.rank = hello->rank;
      connection.generation = generation_;
    } else if (!connection.rank) {
      throw Error(ErrorKind::usage, "the first message must be a hello");
    }
    if (connection.generation == generation_) on_message(*connection.rank, message);
  } catch (const Error& error) {
    if (connection.faults++ == 0)
      on_fault(connection.who() + " sent telemetry that is not valid and was skipped: " + error.what());
    if (!connection.rank || connection.faults >= kMostFaults) connection.lines.socket().abort();
  }
}

void TelemetryServer::sweep() {
  connections_.remove_if([](const auto& connection) { return connection->closed; });
}

}  // namespace batchscope::run
