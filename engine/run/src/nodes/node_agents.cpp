// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_agents.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QHostAddress>
#include <QThread>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/random_text.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "system/programs.h"

namespace batchscope::run {
namespace {

namespace time_out = protocol::time_out;
using protocol::monotonic_seconds;

constexpr std::size_t kAgentTokenDigits = 64;  // of 4 bits
constexpr std::size_t kLongestLine = 1 << 20;  // an offer names every core
constexpr int kItsOrder = 3;                   // the descriptor on which a stand-in gets its order
constexpr auto kLook = std::chrono::seconds(1);

// A file without a name, read from its beginning.
class OrderFile {
 public:
  explicit OrderFile(const std::string& text) : descriptor_(memfd_create("order", MFD_CLOEXEC)) {
    if (descriptor_ < 0 ||
        write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        lseek(descriptor_, 0, SEEK_SET) != 0) {
      const int error = errno;
      if (descriptor_ >= 0) close(descriptor_);
      throw Error(ErrorKind::io, std::string("cannot write a replica's order: ") + std::strerror(error));
    }
  }
  ~OrderFile() { close(descriptor_); }
  OrderFile(const OrderFile&) = delete;
  OrderFile& operator=(const OrderFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace

struct NodeAgents::Peer {
  explicit Peer(NodeOffer what) : offer(std::move(what)), line(std::make_unique<QTcpSocket>()) {}

  const NodeOffer offer;
  FrameSocket line;
  bool ready = false;  // to launch replicas
  bool gone = false;
  double heard = monotonic_seconds();
  double clock_offset =
      std::numeric_limits<double>::infinity();  // s; the beat that came fastest tells it best
};

NodeAgents::NodeAgents(NodePlan plan, ReplicaOrder program, std::filesystem::path telemetry)
    : plan_(std::move(plan)),
      program_(std::move(program)),
      telemetry_(std::move(telemetry)),
      token_(protocol::random_text(kAgentTokenDigits)),
      lines_(kLongestLine) {
  patience_.setSingleShot(true);
  QObject::connect(&patience_, &QTimer::timeout, &patience_, [this] {
    on_news("warning", fmt::format("only {} of {} nodes answered within {} s; going on without the others",
                                   nodes().size() + 1, plan_.nodes, time_out::kNodeStart.count()));
    settle();
  });
  QObject::connect(&silence_, &QTimer::timeout, &silence_, [this] { look_for_silence(); });
}

NodeAgents::~NodeAgents() = default;

void NodeAgents::prepare(std::function<void()> then) {
  then_ = std::move(then);
  if (!several()) return settle();
  command_ = std::make_unique<NodeCommand>(plan_.command);
  const std::string welcome = encode_welcome(token_) + "\n";
  // One that does not take it has ended, which is told when it is reaped.
  [[maybe_unused]] const auto written = write(command_->input(), welcome.data(), welcome.size());
  output_ = std::make_unique<QSocketNotifier>(command_->output(), QSocketNotifier::Read);
  QObject::connect(output_.get(), &QSocketNotifier::activated, output_.get(), [this] { read_output(); });
  patience_.start(time_out::kNodeStart);
  silence_.start(kLook);
}

void NodeAgents::read_output() {
  char bytes[1 << 14];
  const ssize_t count = read(command_->output(), bytes, sizeof bytes);
  if (count == 0) output_->setEnabled(false);
  if (count <= 0) return;
  try {
    for (const std::string& line : lines_.feed({bytes, static_cast<std::size_t>(count)})) take_line(line);
  } catch (const Error& error) {
    on_news("warning", std::string("the command that starts agents writes no lines: ") + error.what());
    output_->setEnabled(false);
  }
}

void NodeAgents::take_line(const std::string& line) {
  try {
    NodeOffer offer = decode_offer(line);
    if (complete()) throw Error(ErrorKind::conflict, fmt::format("there are {} nodes already", plan_.nodes));
    const auto place = std::lower_bound(peers_.begin(), peers_.end(), offer.node,
                                        [](const auto& a, const auto& name) { return a->offer.node < name; });
    if (place != peers_.end() && (*place)->offer.node == offer.node)
      throw Error(ErrorKind::conflict, "there is an agent of node " + offer.node + " already");
    greet(**peers_.insert(place, std::make_unique<Peer>(std::move(offer))));
  } catch (const Error& error) {
    on_news("warning",
            std::string("the command that starts agents wrote a line that is not an offer of a node: ") +
                error.what());
  }
}

void NodeAgents::greet(Peer& peer) {
  peer.line.on_frame = [this, &peer](const Frame& frame) { take(peer, frame); };
  peer.line.on_closed = [this, &peer] { lost(peer, "its agent's line closed"); };
  QObject::connect(&peer.line.socket(), &QTcpSocket::connected, &peer.line.socket(), [this, &peer] {
    peer.heard = monotonic_seconds();
    peer.line.send(FrameKind::hello, encode(NodeHello{token_, Caller::supervisor}));
    peer.line.send(FrameKind::program, encode(program_));
  });
  peer.line.socket().connectToHost(QHostAddress(QString::fromStdString(peer.offer.address)),
                                   static_cast<quint16>(peer.offer.port));
}

void NodeAgents::take(Peer& peer, const Frame& frame) {
  peer.heard = monotonic_seconds();
  switch (frame.kind) {
    case FrameKind::beat:
      peer.clock_offset = std::min(peer.clock_offset, peer.heard - decode_beat(frame.bytes));
      break;
    case FrameKind::ready:
      peer.ready = true;
      settle_if_ready();
      break;
    case FrameKind::news: {
      const News news = decode_news(frame.bytes);
      on_news(news.level, "node " + peer.offer.node + ": " + news.text);
      break;
    }
    case FrameKind::refused: lost(peer, frame.bytes); break;
    default: throw Error(ErrorKind::usage, "a frame that does not belong here");
  }
}

void NodeAgents::look_for_silence() {
  constexpr double kSilence = std::chrono::duration<double>(time_out::kNodeSilence).count();
  for (const auto& peer : peers_)
    if (!peer->gone && monotonic_seconds() - peer->heard > kSilence)
      lost(*peer, fmt::format("it has not been heard for {} s", time_out::kNodeSilence.count()));
}

void NodeAgents::lost(Peer& peer, const std::string& why) {
  if (std::exchange(peer.gone, true)) return;
  peer.line.abort();
  on_news("error", "node " + peer.offer.node + " is gone: " + why);
  on_lost(peer.offer.node);
  settle_if_ready();
}

void NodeAgents::settle_if_ready() {
  const bool waits =
      std::any_of(peers_.begin(), peers_.end(), [](const auto& peer) { return !peer->gone && !peer->ready; });
  if (complete() && !waits) settle();
}

void NodeAgents::settle() {
  patience_.stop();
  if (then_) QTimer::singleShot(0, &patience_, std::exchange(then_, nullptr));
}

void NodeAgents::offered() {
  for (const auto& peer : peers_) peer->line.send(FrameKind::offered);
}

std::vector<Node> NodeAgents::nodes() const {
  std::vector<Node> nodes;
  for (const auto& peer : peers_)
    if (peer->ready && !peer->gone) nodes.push_back({peer->offer.node, peer->offer.machine});
  return nodes;
}

bool NodeAgents::is_there(const std::string& node) const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [&](const auto& peer) { return peer->offer.node == node && !peer->gone; });
}

double NodeAgents::clock_offset(const std::string& node) const {
  for (const auto& peer : peers_)
    if (peer->offer.node == node && std::isfinite(peer->clock_offset)) return peer->clock_offset;
  return 0;
}

std::string NodeAgents::address(const std::string& node) const {
  for (const auto& peer : peers_) {
    if (!peer->ready || peer->gone) continue;
    if (node.empty()) return peer->line.socket().localAddress().toString().toStdString();
    if (peer->offer.node == node) return peer->offer.address;
  }
  return {};
}

pid_t NodeAgents::launch(const ReplicaOrder& order) {
  const auto found = std::find_if(peers_.begin(), peers_.end(),
                                  [&](const auto& peer) { return peer->offer.node == order.node; });
  if (found == peers_.end() || (*found)->gone)
    throw Error(ErrorKind::conflict, "node " + order.node + " is gone");
  const NodeOffer& offer = (*found)->offer;
  const OrderFile file(encode(StandInOrder{offer.address, offer.port, token_, telemetry_.string(), order}));
  ReplicaOrder stand_in{(program_directory() / "batchscope-node").string(), {"replica"}, "/", {}, order.log};
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (const auto equals = text.find('='); equals != std::string::npos)
      stand_in.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  // Signals that it is sent before it listens are for its replica.
  return spawn(stand_in, {{file.descriptor(), kItsOrder}}, handed_signals());
}

void NodeAgents::dismiss() {
  peers_.clear();
  output_.reset();
  if (!command_) return;
  const pid_t pid = command_->pid();
  command_.reset();
  const double deadline = monotonic_seconds() + std::chrono::duration<double>(time_out::kGoodbye).count();
  while (waitpid(pid, nullptr, WNOHANG) == 0 && monotonic_seconds() < deadline) QThread::msleep(5);
}

bool NodeAgents::take_exited(pid_t pid, int status) {
  if (!command_ || command_->pid() != pid) return false;
  if (!complete())
    on_news("warning",
            fmt::format("the command that starts agents ended early, {}; what it printed is in the run's "
                        "supervisor.log",
                        WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                            : fmt::format("with exit code {}", WEXITSTATUS(status))));
  if (!complete() && then_) settle();
  return true;
}

}  // namespace batchscope::run
