// SPDX-License-Identifier: Apache-2.0
#include "slurm/node_watch.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <sstream>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/client.h"
#include "batchscope/run/node_devices.h"
#include "batchscope/run/pool.h"
#include "records/store.h"
#include "slurm/programs.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

using namespace std::chrono_literals;

constexpr auto kInterval = 3s;

std::vector<std::string> namesOf(const std::string& job_number) {
  const Fields fields = job(job_number);
  const auto list = fields.find("NodeList");
  if (list == fields.end()) return {};
  std::vector<std::string> names;
  std::istringstream lines(told("scontrol", {"show", "hostnames", list->second}));
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

}  // namespace

NodeWatch::NodeWatch(const JobFolder& folder, const NodeRange& range, JobNodes& nodes)
    : folder_(folder), range_(range), nodes_(nodes), patience_(run::idle_node_patience()) {
  timer_.callOnTimeout([this] { look(); });
  timer_.start(kInterval);
}

// If Slurm or the supervisor does not answer, the next look asks again.
void NodeWatch::look() try {
  const auto status = run::request(folder_.run(), protocol::Request()).get<protocol::RunStatus>();
  if (status.state != protocol::RunState::running) return idle_since_.reset();
  giveBack(status);
  choose(status);
} catch (const Error&) {
}

// Returns the nodes to keep: the first, on which the supervisor is, and those with devices of the run.
void NodeWatch::giveBack(const protocol::RunStatus& status) {
  std::set<std::string> kept{nodes_.host};
  for (const std::string& device : status.devices)
    if (const std::string node = run::node_of_device(device); !node.empty()) kept.insert(node);
  const bool isIdle = std::max(static_cast<int>(kept.size()), range_.least) < nodes_.nodes;
  if (!isIdle || status.devices.empty()) return idle_since_.reset();
  const double now = protocol::monotonic_seconds();
  if (!idle_since_) idle_since_ = now;
  if (now - *idle_since_ < patience_) return;
  idle_since_.reset();
  std::vector<std::string> back;
  for (const std::string& name : namesOf(nodes_.job))
    if (static_cast<int>(kept.size()) < range_.least)
      kept.insert(name);
    else if (!kept.contains(name))
      back.push_back(name);
  if (back.empty()) return;
  // scontrol writes two scripts for shells into its working directory, so it runs in the node's own store.
  const std::string store = protocol::catalogue_path().parent_path();
  told("env", {"--chdir=" + store, "scontrol", "update", "JobId=" + nodes_.job,
               fmt::format("NodeList={}", fmt::join(kept, ","))});
  nodes_.nodes = static_cast<int>(kept.size());
  folder_.tell(nodes_.job, {{"nodes", nodes_.nodes}});
  folder_.chooseNodes(nodes_.nodes);
  const std::string patience = formatDuration(patience_);
  on_news(back.size() == 1
              ? say("{} given back to Slurm, as the run has not used it for {}", back.front(), patience)
              : say("{} given back to Slurm, as the run has not used them for {}", fmt::join(back, ", "),
                    patience));
}

void NodeWatch::choose(const protocol::RunStatus& status) {
  if (status.auto_replicas.empty()) return choice_.reset();
  storage::Catalogue catalogue = openCatalogue();
  const auto model = catalogue.model(folder_.run());
  if (!model || model->step == last_step_) return;
  last_step_ = model->step;
  if (!choice_ || limits_ != status.auto_replicas) {
    limits_ = status.auto_replicas;
    choice_.emplace(protocol::ReplicaCount::parse(limits_).automatic.value(), folder_.spec().efficiency_floor,
                    range_, nodes_.replicas_per_node);
  }
  const goodput::RunContext at{
      .replicas = status.replicas,
      .max_profiled_replicas = std::max(status.max_profiled, model->max_profiled_replicas),
      .remaining = status.remaining};
  const auto idle = [this] { return idleNodes(nodes_.partition); };
  if (const auto more = choice_->consider(*model, at, nodes_.nodes, idle, protocol::monotonic_seconds())) {
    timer_.stop();
    folder_.chooseNodes(more->nodes);
    on_more(*more);
  }
}

}  // namespace batchscope::cli::slurm
