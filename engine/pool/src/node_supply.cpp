// SPDX-License-Identifier: Apache-2.0
#include "node_supply.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/text.h"
#include "batchscope/run/pool.h"
#include "person_command.h"

namespace batchscope::pool {
namespace {

constexpr double kSupplyInterval = 5;  // s between two calls
constexpr double kSupplySoon = 1;      // s, where there is something new to say
constexpr double kSupplyTimeOut = 60;  // s
constexpr qsizetype kLongestComplaint = 300;
constexpr char kLeaving[] = "leaving";

std::string text_of(const protocol::NodeHost& host) {
  return host.node == host.host ? host.node : host.node + "=" + host.host;
}

std::string joined(const std::vector<OfferedNode>& nodes, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const OfferedNode& node : nodes)
    if (std::find(names.begin(), names.end(), node.host.node) != names.end())
      texts.push_back(text_of(node.host));
  return fmt::format("{}", fmt::join(texts, ","));
}

// The last line of it, where people's programs say what went wrong.
std::string last_line(const QByteArray& output) {
  const QByteArray text = output.trimmed();
  return protocol::printable(text.mid(text.lastIndexOf('\n') + 1).left(kLongestComplaint).toStdString());
}

}  // namespace

std::vector<OfferedNode> parse_offered_nodes(const std::string& text) {
  std::vector<OfferedNode> nodes;
  protocol::PoolSettings settings;  // which know how many there may be
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string host, mark, more;
    words >> host >> mark >> more;
    if (host.empty()) continue;
    if (!more.empty() || (!mark.empty() && mark != kLeaving))
      throw Error(ErrorKind::usage,
                  fmt::format("'{}' is not a node: write NAME, NAME=HOST, or one of them and {}",
                              protocol::printable(line), kLeaving));
    nodes.push_back({protocol::parse_node_host(host), !mark.empty()});
    settings.agents += (settings.agents.empty() ? "" : ",") + host;
  }
  settings.check();
  return nodes;
}

std::vector<std::string> surplus_nodes(std::vector<std::string> usable, const std::set<std::string>& in_use,
                                       int wanted) {
  std::sort(usable.begin(), usable.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(!in_use.contains(a), a) < std::pair(!in_use.contains(b), b);
  });
  const auto kept = std::min(usable.size(), static_cast<std::size_t>(std::max(wanted, 0)));
  usable.erase(usable.begin(), usable.begin() + static_cast<std::ptrdiff_t>(kept));
  return usable;
}

NodeSupply::NodeSupply() : demand_(run::idle_node_patience()) {
  process_.setStandardInputFile(QProcess::nullDevice());
  // In a session of its own, all that it started can be ended with it.
  process_.setChildProcessModifier([] { setsid(); });
  QObject::connect(&process_, &QProcess::finished, &process_,
                   [this](int code, QProcess::ExitStatus status) { finish(code, status); });
  QObject::connect(&process_, &QProcess::errorOccurred, &process_, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) fail("cannot be started");
  });
}

NodeSupply::~NodeSupply() { process_.disconnect(); }

void NodeSupply::tend(const World& world, int advised,
                      const std::map<std::string, std::vector<std::string>>& targets, double now) {
  if (process_.state() != QProcess::NotRunning) {
    if (now - began_ > kSupplyTimeOut && process_.processId() > 0) {
      overdue_ = true;
      ::kill(-static_cast<pid_t>(process_.processId()), SIGKILL);
    }
    return;
  }
  if (world.settings.nodes_from != command_) {
    command_ = world.settings.nodes_from;
    offered_.reset();
    given_up_.clear();
    trouble_.clear();
    began_ = -1e9;
    owes_ = !command_.empty();  // a pool before this one may have called it
  }
  if (command_.empty()) return;
  present_ = static_cast<int>(offered_ ? offered_->size()
                                       : protocol::parse_node_hosts(world.settings.agents).size());
  const int worth = demand_.update(world, advised, present_, now);
  const int wanted = world.settings.nodes_ending ? 0 : worth;
  const std::set<std::string> in_use = nodes_in_use(world, targets);
  for (std::string& node : surplus_nodes(usable(), in_use, wanted)) given_up_.insert(std::move(node));
  std::vector<std::string> words{std::to_string(wanted)};
  if (offered_)
    for (const OfferedNode& node : *offered_)
      if ((node.leaving || given_up_.contains(node.host.node)) && !in_use.contains(node.host.node))
        words.push_back(node.host.node);
  if (wanted == 0 && !owes_) return;
  if (now - began_ < (words == words_ ? kSupplyInterval : kSupplySoon)) return;
  call(words, now);
}

void NodeSupply::call(const std::vector<std::string>& words, double now) {
  words_ = words;
  began_ = now;
  overdue_ = false;
  process_.start(kShell, shell_arguments(command_, words));
}

void NodeSupply::finish(int code, QProcess::ExitStatus status) {
  const QByteArray output = process_.readAllStandardOutput(), complaint = process_.readAllStandardError();
  if (status != QProcess::NormalExit)
    return fail(overdue_ ? fmt::format("has not ended within {} s", kSupplyTimeOut)
                         : "was killed by a signal");
  if (code != 0) {
    const std::string line = last_line(complaint.isEmpty() ? output : complaint);
    return fail(fmt::format("ended with exit code {}{}", code, line.empty() ? "" : ": " + line));
  }
  try {
    offered_ = parse_offered_nodes(output.toStdString());
  } catch (const Error& error) {
    return fail(fmt::format("printed something else than nodes: {}", error.what()));
  }
  const std::string note = last_line(complaint);  // such as why it gets no more of them
  tell(note.empty() ? "" : "says: " + note);
  std::erase_if(given_up_, [&](const std::string& name) {
    return std::none_of(offered_->begin(), offered_->end(),
                        [&](const OfferedNode& node) { return node.host.node == name; });
  });
  owes_ = words_.front() != "0" || !offered_->empty();
}

// The nodes that are known stay. A command that never worked, where none is known, owes nothing.
void NodeSupply::fail(const std::string& why) {
  tell(why);
  if (!offered_ && present_ == 0) owes_ = false;
}

void NodeSupply::tell(const std::string& trouble) {
  if (!trouble.empty() && trouble != trouble_)
    std::fprintf(stderr, "the command for nodes (%s) %s\n", command_.c_str(), trouble.c_str());
  trouble_ = trouble;
}

std::vector<std::string> NodeSupply::usable() const {
  std::vector<std::string> names;
  if (!offered_) return names;
  for (const OfferedNode& node : *offered_)
    if (!node.leaving && !given_up_.contains(node.host.node)) names.push_back(node.host.node);
  return names;
}

std::optional<std::string> NodeSupply::agents() const {
  if (!offered_) return std::nullopt;
  return joined(*offered_, usable());
}

}  // namespace batchscope::pool
