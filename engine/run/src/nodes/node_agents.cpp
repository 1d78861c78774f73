// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_agents.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QThread>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/telemetry.h"
#include "devices/device_metrics.h"
#include "system/programs.h"
#include "words.h"

namespace batchscope::run {
namespace {

using protocol::monotonic_seconds;

constexpr int kItsOrder = 3;  // the descriptor on which a stand-in gets its order

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

NodeAgents::NodeAgents(NodePlan plan, ReplicaOrder program, std::filesystem::path telemetry,
                       std::filesystem::path checkpoints, const NodeTimes& times)
    : plan_(std::move(plan)),
      program_(std::move(program)),
      telemetry_(std::move(telemetry)),
      checkpoints_(std::move(checkpoints)),
      times_(times),
      token_(agent_token()) {
  QObject::connect(&patience_, &QTimer::timeout, &patience_, [this] {
    int missing = 0;
    for (const auto& starter : starters_) missing += starter->missing;
    const auto there = nodes().size();
    on_news("warning", fmt::format("only {} of {} nodes answered within {} s; going on without the others",
                                   there + 1, lines_.size() + static_cast<std::size_t>(missing) + 1,
                                   std::chrono::duration<double>(times_.start).count()));
    settle();
  });
  QObject::connect(&silence_, &QTimer::timeout, &silence_, [this] {
    for (const auto& line : lines_) line->check();
  });
}

NodeAgents::~NodeAgents() = default;

void NodeAgents::prepare(std::function<void()> then) {
  then_.push_back(std::move(then));
  if (plan_.several())
    start({}, std::make_unique<AgentCommand>(plan_.command, kNodeCommand, Welcome{token_, plan_.tls}),
          plan_.nodes - 1, plan_.tls);
  settle_if_ready();
}

void NodeAgents::fetch(const std::vector<protocol::NodeHost>& nodes, const std::string& by, bool tls,
                       std::function<void()> then) {
  tls = tls || plan_.tls;
  for (const protocol::NodeHost& node : nodes) {
    const bool on_its_way = std::any_of(starters_.begin(), starters_.end(), [&](const auto& starter) {
      return starter->node == node.node && starter->missing > 0;
    });
    if (on_its_way || line_to(node.node)) continue;
    std::erase_if(lines_, [&](const auto& line) { return line->offer().node == node.node; });
    std::erase_if(starters_, [&](const auto& starter) { return starter->node == node.node; });
    start(node.node, std::make_unique<AgentCommand>(node, by, Welcome{token_, tls}), 1, tls);
  }
  then_.push_back(std::move(then));
  settle_if_ready();
}

void NodeAgents::start(const std::string& node, std::unique_ptr<AgentCommand> command, int agents, bool tls) {
  if (!mark_) mark_.emplace(checkpoints_);
  Starter& starter = *starters_.emplace_back(new Starter{node, std::move(command), agents, tls});
  starter.command->on_offer = [this, &starter](NodeOffer offer) { take_offer(starter, std::move(offer)); };
  starter.command->on_trouble = [this](const std::string& sentence) { on_news("warning", sentence); };
  patience_.start(times_.start);
  silence_.start(times_.look);
}

void NodeAgents::take_offer(Starter& starter, NodeOffer offer) {
  if (starter.missing == 0) throw Error(ErrorKind::conflict, "there are as many nodes as were asked for");
  if (!starter.node.empty() && starter.node != offer.node)
    throw Error(ErrorKind::conflict, "node " + starter.node + " calls itself " + offer.node);
  const auto place = std::lower_bound(lines_.begin(), lines_.end(), offer.node,
                                      [](const auto& a, const auto& name) { return a->offer().node < name; });
  if (place != lines_.end() && (*place)->offer().node == offer.node)
    throw Error(ErrorKind::conflict, "there is an agent of node " + offer.node + " already");
  --starter.missing;
  if (const std::string why = why_refused(offer, starter.tls); !why.empty()) {
    on_news("error", "node " + offer.node + " is left out: " + why);
    return settle_if_ready();
  }
  AgentLine& line =
      **lines_.insert(place, std::make_unique<AgentLine>(std::move(offer), token_, times_.silence));
  line.on_connected = [this, &line] {
    line.send(FrameKind::program, encode(ProgramOrder{program_, mark_->path().string()}));
    if (offered_) line.send(FrameKind::offered);
  };
  line.on_ready = [this, &line] {
    if (!line.sees_folder())
      on_news("info", "node " + line.offer().node +
                          " does not see the run's checkpoints: they are handed over by its agent's lines");
    settle_if_ready();
  };
  line.on_news = on_news;
  line.on_lost = [this, &line](const std::string& why) {
    const std::string node = line.offer().node;
    on_news("error", "node " + node + " is gone: " + why);
    on_lost(node);
    settle_if_ready();
  };
}

bool NodeAgents::waits() const {
  return std::any_of(starters_.begin(), starters_.end(),
                     [](const auto& starter) { return starter->missing > 0; }) ||
         std::any_of(lines_.begin(), lines_.end(),
                     [](const auto& line) { return line->stands() && !line->ready(); });
}

void NodeAgents::settle_if_ready() {
  if (!waits()) settle();
}

void NodeAgents::settle() {
  patience_.stop();
  for (auto& then : std::exchange(then_, {})) {
    ++due_;
    QTimer::singleShot(0, &patience_, [this, then = std::move(then)] {
      --due_;
      then();
    });
  }
}

void NodeAgents::keep(const std::set<std::string>& nodes) {
  if (!then_.empty() || due_ > 0) return;  // somebody waits for some of them
  std::set<std::string> dismissed;
  for (const auto& starter : starters_)
    if (!starter->node.empty() && !nodes.contains(starter->node)) dismissed.insert(starter->node);
  std::erase_if(lines_, [&](const auto& line) { return dismissed.contains(line->offer().node); });
  std::erase_if(starters_, [&](const auto& starter) { return dismissed.contains(starter->node); });
}

void NodeAgents::offered() {
  offered_ = true;
  for (const auto& line : lines_) line->send(FrameKind::offered);
}

std::vector<Node> NodeAgents::nodes() const {
  std::vector<Node> nodes;
  for (const auto& line : lines_)
    if (line->ready()) nodes.push_back({line->offer().node, line->offer().machine});
  return nodes;
}

const AgentLine* NodeAgents::line_to(const std::string& node) const {
  const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const auto& line) {
    return line->offer().node == node && line->stands();
  });
  return found == lines_.end() ? nullptr : found->get();
}

bool NodeAgents::is_there(const std::string& node) const { return line_to(node) != nullptr; }

bool NodeAgents::is_ready(const std::string& node) const {
  const AgentLine* const line = line_to(node);
  return line && line->ready();
}

double NodeAgents::clock_offset(const std::string& node) const {
  for (const auto& line : lines_)
    if (line->offer().node == node) return line->clock_offset();
  return 0;
}

std::vector<std::pair<std::string, double>> NodeAgents::take_use(int generation) {
  std::vector<std::pair<std::string, double>> values;
  const auto after = std::find_if(lines_.begin(), lines_.end(),
                                  [this](const auto& line) { return line->offer().node > told_last_; });
  std::vector<AgentLine*> turns;
  for (auto line = after; line != lines_.end(); ++line) turns.push_back(line->get());
  for (auto line = lines_.begin(); line != after; ++line) turns.push_back(line->get());
  int replicas = 0;
  for (AgentLine* const line : turns) {
    const auto use = line->take_use();
    if (!use || use->generation != generation) continue;
    values.insert(values.end(), use->values.begin(), use->values.end());
    told_last_ = line->offer().node;
    if ((replicas += use->replicas) >= DeviceMetrics::kAtOnce) break;
  }
  return values;
}

std::string NodeAgents::address(const std::string& node) const {
  for (const auto& line : lines_) {
    if (!line->ready()) continue;
    if (node.empty()) return line->own_address();
    if (line->offer().node == node) return line->offer().address;
  }
  return {};
}

pid_t NodeAgents::launch(const ReplicaOrder& order) {
  const AgentLine* const line = line_to(order.node);
  if (!line) throw Error(ErrorKind::conflict, "node " + order.node + " is gone");
  const NodeOffer& offer = line->offer();
  const std::string checkpoints = line->sees_folder() ? std::string() : checkpoints_.string();
  const OrderFile file(encode(StandInOrder{offer.address, offer.port, Welcome{token_, offer.tls},
                                           telemetry_.string(), checkpoints, order}));
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
  lines_.clear();
  std::vector<pid_t> left;
  for (const auto& starter : starters_) left.push_back(starter->command->pid());
  starters_.clear();
  const double deadline = monotonic_seconds() + std::chrono::duration<double>(times_.goodbye).count();
  for (const pid_t pid : left)
    while (waitpid(pid, nullptr, WNOHANG) == 0 && monotonic_seconds() < deadline) QThread::msleep(5);
}

bool NodeAgents::take_exited(pid_t pid, int status) {
  const auto found = std::find_if(starters_.begin(), starters_.end(),
                                  [&](const auto& starter) { return starter->command->pid() == pid; });
  if (found == starters_.end()) return false;
  const bool early = std::exchange((*found)->missing, 0) > 0;
  if (early)
    on_news("warning", fmt::format("the command that starts agents ended early, {}; what it printed is in "
                                   "the run's supervisor.log",
                                   exit_text(status)));
  settle_if_ready();
  return true;
}

}  // namespace batchscope::run
