// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/node_watch.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/storage/catalogue.h"
#include "nodes/agent_command.h"
#include "nodes/agent_line.h"
#include "words.h"

namespace batchscope::run {
namespace {

namespace time_out = protocol::time_out;
using protocol::PoolNode;

constexpr double kAgain = 10;         // s until a node that was lost is tried again; then twice as long,
constexpr double kLatestAgain = 300;  // and so on, up to this

std::vector<protocol::NodeHost> hosts_of(const std::string& agents) {
  try {
    return protocol::parse_node_hosts(agents);
  } catch (const Error&) {
    return {};  // PoolSettings::check would have refused them
  }
}

}  // namespace

struct NodeWatch::Watched {
  protocol::NodeHost host;
  PoolNode seen;
  bool known = false;  // something of `seen`
  std::string token = agent_token();
  std::unique_ptr<AgentCommand> command = nullptr;
  std::unique_ptr<AgentLine> line = nullptr;
  double began = 0, next = 0;            // monotonic: this start of its agent, and the earliest one after it
  double patience = kAgain;              // s until the start after that
  std::optional<std::string> lost = {};  // why it is to be left
};

NodeWatch::NodeWatch(std::vector<PoolNode> known) {
  for (PoolNode& node : known) {
    auto one = std::make_unique<Watched>();
    one->host.node = node.name;
    one->seen = std::move(node);
    one->known = true;
    watched_.push_back(std::move(one));
  }
}

NodeWatch::~NodeWatch() = default;

void NodeWatch::watch(const protocol::PoolSettings& settings, double now) {
  std::erase_if(leaving_, [](const int pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
  const bool other_way = by_ != settings.agents_by || tls_ != settings.tls;
  if (settings.agents != agents_ || other_way || settings.agents.empty()) {
    agents_ = settings.agents;
    by_ = settings.agents_by;
    tls_ = settings.tls;
    std::vector<std::unique_ptr<Watched>> watched;
    for (const protocol::NodeHost& host : hosts_of(agents_)) {
      const auto before = std::find_if(watched_.begin(), watched_.end(),
                                       [&](const auto& one) { return one && one->host.node == host.node; });
      watched.push_back(before == watched_.end() ? std::make_unique<Watched>() : std::move(*before));
      Watched& node = *watched.back();
      if (node.host != host || other_way) leave(node);
      node.host = host;
      node.seen.name = host.node;
    }
    for (const auto& one : watched_)
      if (one) leave(*one);
    watched_ = std::move(watched);
    std::sort(watched_.begin(), watched_.end(),
              [](const auto& a, const auto& b) { return a->host.node < b->host.node; });
  }
  for (const auto& node : watched_) look(*node, now);
}

// Looks after one node: what was lost is left, which must not happen within a call from it.
void NodeWatch::look(Watched& node, double now) {
  if (node.line) node.line->check(now);
  int status = 0;
  const bool starts = node.command && !node.line && !node.lost;
  if (starts && waitpid(node.command->pid(), &status, WNOHANG) > 0) {
    node.lost = fmt::format(
        "the command that starts its agent ended {}; pool.log beside the catalogue has what it printed",
        exit_text(status));
  } else if (starts && now - node.began > std::chrono::duration<double>(time_out::kNodeStart).count()) {
    node.lost = fmt::format("its agent has not answered within {} s", time_out::kNodeStart.count());
  }
  if (node.lost) {
    PoolNode seen = node.seen;
    seen.there = false;
    seen.why = *node.lost;
    leave(node);
    node.next = now + node.patience;
    node.patience = std::min(2 * node.patience, kLatestAgain);
    see(node, std::move(seen));
  }
  if (!node.command && now >= node.next) begin(node, now);
}

void NodeWatch::begin(Watched& node, double now) {
  node.began = now;
  try {
    node.command = std::make_unique<AgentCommand>(node.host, by_, Welcome{node.token, tls_});
  } catch (const Error& error) {
    node.lost = error.what();
    return;
  }
  node.command->on_trouble = [&node](const std::string& sentence) { node.lost = sentence; };
  node.command->on_offer = [this, &node](NodeOffer offer) {
    if (node.line) throw Error(ErrorKind::conflict, "node " + node.host.node + " has an agent already");
    if (offer.node != node.host.node)
      throw Error(ErrorKind::conflict, "node " + node.host.node + " calls itself " + offer.node);
    if (const std::string why = why_refused(offer, tls_); !why.empty()) {
      node.lost = why;
      return;
    }
    node.line = std::make_unique<AgentLine>(std::move(offer), node.token);
    node.line->on_lost = [&node](const std::string& why) { node.lost = why; };
    node.line->on_connected = [this, &node] {
      const Machine& machine = node.line->offer().machine;
      node.patience = kAgain;
      see(node, {.name = node.host.node, .there = true, .cores = machine.cores, .gpus = machine.gpus});
    };
  };
}

void NodeWatch::see(Watched& node, PoolNode now) {
  const bool comes_or_goes = !node.known || now.there != node.seen.there;
  now.since = comes_or_goes ? storage::now() : node.seen.since;
  const bool news = !node.known || now != node.seen;
  node.seen = std::move(now);
  node.known = true;
  if (news && on_change) on_change();
}

void NodeWatch::leave(Watched& node) {
  if (node.command) leaving_.push_back(node.command->pid());
  node.line.reset();
  node.command.reset();
  node.lost.reset();
}

bool NodeWatch::looks() const {
  return std::any_of(watched_.begin(), watched_.end(), [](const auto& node) { return !node->known; });
}

std::vector<PoolNode> NodeWatch::nodes() const {
  std::vector<PoolNode> nodes;
  for (const auto& node : watched_)
    if (node->known) nodes.push_back(node->seen);
  return nodes;
}

}  // namespace batchscope::run
