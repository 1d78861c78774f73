// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/application.h"
#include "batchscope/run/client.h"
#include "batchscope/run/pool.h"
#include "exchange.h"

namespace batchscope::pool {

using protocol::RunState;

namespace {

using Devices = std::vector<std::string>;

constexpr double kLook = 1;          // s: at the latest so long after the last look, for what no row tells
constexpr double kIntroduction = 1;  // s
constexpr double kFarewell = 2;      // s with nothing to decide, before the pool ends

// A run that is being started holds its devices already, and may never come up.
bool arrived(const Member& member, const Devices& target) {
  return member.standing != Standing::in_motion && std::ranges::is_permutation(target, member.held) &&
         (target.empty() || member.run.replicas * member.run.spec.devices_of_each() == std::ssize(target));
}

}  // namespace

Pool::Pool(run::StoreLock& lock, const PoolTime& time)
    : lock_(lock),
      time_(time),
      catalogue_(protocol::catalogue_path()),
      nodes_(catalogue_.pool_nodes()),
      supervisors_(time.now),
      launches_(catalogue_, supervisors_),
      began_(time.now()),
      needed_(began_) {
  supervisors_.on_news = [this] { look_at_once(); };
  nodes_.on_change = [this] {
    nodes_changed_ = true;
    look_at_once();
  };
  notice_.on_notice = [this](const std::string& notice) { on_notice(notice); };
  QObject::connect(&timer_, &QTimer::timeout, &loop_, [this] { tick(); });
}

int Pool::exec() {
  timer_.start(0);
  return loop_.exec();
}

void Pool::look_at_once() {
  has_news_ = true;
  timer_.start(0);
}

void Pool::tick() {
  timer_.start(time_.tick);
  const double now = time_.now();
  try {
    // A store that was removed leaves nothing to decide, whatever the open file still says.
    if (std::error_code ignored; !std::filesystem::exists(protocol::catalogue_path(), ignored))
      return loop_.exit(kExitFailure);
    const bool has_news = std::exchange(has_news_, false);
    if (!catalogue_.changed() && !has_news && now - last_look_ < kLook && targets_.empty()) return;
    last_look_ = now;
    lock_.beat();
    const protocol::PoolSettings settings = catalogue_.pool_settings();
    nodes_.watch(settings);
    keep_nodes();
    if (catalogue_.pool_needed() || nodes_.looks() || supply_.owes() || settings.nodes_ending ||
        !targets_.empty() || launches_.any_under_way())
      needed_ = now;
    if (now - needed_ > kFarewell) return loop_.quit();
    World world = look(catalogue_, run::pool_machine(settings, nodes_.nodes()),
                       [this](const std::string& run) { return supervisors_.contact(run); });
    world.nodes_trouble = trouble_with_nodes(settings);
    if (std::exchange(nodes_trouble_, world.nodes_trouble) != world.nodes_trouble)
      rounds_.ask_for("something else was heard of the nodes");
    std::set<std::string> live;
    for (const Member& member : world.members)
      if (member.job && (member.run.supervisor_pid > 0 || launches_.under_way(member.run.id)))
        live.insert(member.run.id);
    supervisors_.follow(live);
    // Asked anew after each pause: one notice, one pause.
    notice_.watch(world.settings.paused ? "" : world.settings.preempt_notice);
    launches_.look_after(world);
    forget_preemption(world);
    if (world.settings.paused)
      targets_.clear();
    else if (knows_enough(world))
      consider(world);
    tend_supply(world);
    troubled_ = false;
  } catch (const std::exception& error) {
    // A full disk or a catalogue in somebody's hands: the runs train on, and this is tried again.
    rounds_.ask_for("the catalogue can be used again");
    if (!std::exchange(troubled_, true)) std::fprintf(stderr, "the pool cannot decide: %s\n", error.what());
  }
}

// Other processes, such as `submit`, ask the catalogue what the nodes have.
void Pool::keep_nodes() {
  if (!std::exchange(nodes_changed_, false) && changes_.has_looked()) return;
  if (const auto nodes = nodes_.nodes(); nodes != catalogue_.pool_nodes()) catalogue_.put_pool_nodes(nodes);
}

// In a clause; empty: there is none, or nodes do not come by a command.
std::string Pool::trouble_with_nodes(const protocol::PoolSettings& settings) const {
  if (settings.nodes_from.empty()) return "";
  if (!supply_.trouble().empty()) return "the command of batchscope pool --nodes-from " + supply_.trouble();
  for (const protocol::PoolNode& node : nodes_.nodes())
    if (!node.there && !node.why.empty()) return node.name + " is not there: " + node.why;
  return "";
}

// After a decision, so that a node which nobody has been given can be let go. The supervisors find the nodes
// in the settings, too.
void Pool::tend_supply(const World& world) {
  supply_.tend(world, std::get<int>(advice_), targets_, time_.now());
  const auto agents = supply_.agents();
  const bool over = world.settings.nodes_ending && !supply_.owes();
  if (!over && (!agents || *agents == world.settings.agents)) return;
  catalogue_.change_pool_settings([&](protocol::PoolSettings& settings) {
    if (settings.nodes_from != world.settings.nodes_from) return;  // a person was faster
    settings.agents = agents.value_or("");
    if (!over || !settings.nodes_ending) return;
    settings.nodes_from.clear();
    settings.nodes_ending = false;
  });
}

// A new pool first hears those that train already; one that does not answer holds it up for a moment only.
bool Pool::knows_enough(const World& world) const {
  return changes_.has_looked() || time_.now() - began_ > kIntroduction ||
         std::none_of(world.members.begin(), world.members.end(), [this](const Member& member) {
           return member.job && member.run.supervisor_pid > 0 && !supervisors_.contact(member.run.id).status;
         });
}

void Pool::consider(World& world) {
  const Change change = changes_.since_last(world);
  if (const auto due = rounds_.next(world, change, time_.now())) {
    if (due->scope == Scope::free_devices)
      for (Member& member : world.members)
        if (const auto target = targets_.find(member.run.id); waits(member) && target != targets_.end())
          member.reserved = target->second;
    decide(world, due->scope, due->cause);
  }
  carry_out(world);
}

void Pool::decide(World& world, Scope scope, const std::string& cause) {
  Plan plan = make_plan(world, scope);
  plan.decision.cause = cause;
  if (scope == Scope::round) {
    advice_ = {plan.decision.utility, plan.decision.wanted, plan.decision.advice};
    std::erase_if(targets_, [&](const auto& one) { return !plan.targets.contains(one.first); });
  } else {
    // The worth of devices in general has not changed with the free ones.
    std::tie(plan.decision.utility, plan.decision.wanted, plan.decision.advice) = advice_;
  }
  bool news = false;
  for (const Member& member : world.members) {
    const auto target = plan.targets.find(member.run.id);
    if (target == plan.targets.end()) continue;
    const bool has_arrived = arrived(member, target->second);
    const auto before = targets_.find(member.run.id);
    news = news || (!has_arrived && (before == targets_.end() || before->second != target->second));
    if (has_arrived)
      targets_.erase(member.run.id);
    else
      targets_[member.run.id] = target->second;
  }
  keep(world, plan);
  if (news) catalogue_.add_decision(plan.decision);
  if (scope == Scope::round)
    scale_.want(
        world.settings.scale_command,
        static_cast<int>(world.machine.gpus.empty() ? world.machine.cores.size() : world.machine.gpus.size()),
        plan.decision.wanted, time_.now());
}

// Writes the plan into the rows of the jobs, as far as there is news.
void Pool::keep(World& world, const Plan& plan) {
  std::map<std::string, const protocol::PoolChoice*> choices;
  for (const protocol::PoolChoice& choice : plan.decision.choices) choices[choice.run] = &choice;
  for (Member& member : world.members) {
    if (!member.job) continue;
    storage::Job job = *member.job;
    const auto choice = choices.find(member.run.id);
    job.reason = member.note;
    if (choice != choices.end()) {
      job.reason = choice->second->reason;
      if (member.standing != Standing::in_motion) job.target = choice->second->devices;
    } else {
      job.target.clear();
    }
    if (const std::string why = launches_.why(member.run.id); !why.empty()) job.reason = why;
    const auto end = plan.expected_ends.find(member.run.id);
    job.expected_end = end == plan.expected_ends.end() ? 0 : end->second;
    // Estimates move all the time; what a person would not see is not written.
    const bool same_end = std::abs(job.expected_end - member.job->expected_end) < 1;
    if (job.reason == member.job->reason && job.target == member.job->target && same_end) continue;
    catalogue_.put_job_decision(job);
    member.job = job;
  }
}

void Pool::carry_out(const World& world) {
  std::vector<WaitingMove> waiting;
  bool is_moving = false;  // so that whoever waits need not wait for long
  for (const Member& member : world.members) {
    Attempt& attempt = attempts_[member.run.id];
    if (arrived(member, attempt.target())) attempt = {};
    const auto found = targets_.find(member.run.id);
    if (found == targets_.end()) continue;
    const Devices target = found->second;
    if (arrived(member, target) || member.standing == Standing::fixed) {
      targets_.erase(found);
      continue;
    }
    if (member.standing == Standing::in_motion) {
      is_moving = true;
      continue;
    }
    // Held or paused by a person since: nothing more is given to it.
    if (member.standing == Standing::outside && !target.empty()) {
      targets_.erase(found);
      continue;
    }
    if (attempt.rests(target, time_.now())) continue;
    const bool in_the_way = std::any_of(world.members.begin(), world.members.end(), [&](const Member& other) {
      return other.run.id != member.run.id &&
             std::any_of(target.begin(), target.end(), [&](const auto& device) {
               return std::find(other.reserved.begin(), other.reserved.end(), device) != other.reserved.end();
             });
    });
    if (in_the_way) {
      waiting.push_back({member.run.id, member.held, target});
      continue;
    }
    is_moving = true;
    attempt.begin(target, time_.now());
    move(member, target);
  }
  if (is_moving) return;
  if (const auto run = gives_way(waiting))
    move(*std::ranges::find(world.members, *run, [](const Member& member) { return member.run.id; }), {});
}

void Pool::move(const Member& member, const Devices& target) {
  const std::string id = member.run.id;
  const auto refused = [this, id](const std::string& why) {
    std::fprintf(stderr, "run %s is not moved: %s\n", id.c_str(), why.c_str());
    targets_.erase(id);
    rounds_.ask_for("run " + id + " could not be moved");
  };
  protocol::Request request;
  request.by_pool = true;
  if (target.empty()) {
    storage::Job job = *member.job;
    job.preempted = true;  // first: a pool that comes after this one is to know
    job.target.clear();
    catalogue_.put_job(job);
    request.command = protocol::Request::Command::pause;
    request.by_pool = !member.to_be_paused;  // else a person wants it so
  } else if (member.run.supervisor_pid == 0) {
    const Launch launch = launches_.start(member, target);
    if (launch == Launch::begun) return;
    if (launch == Launch::overtaken) attempts_.erase(id);  // it may start as it is now, without a wait
    targets_.erase(id);
    rounds_.ask_for(member.run.name + " could not be started");
    return;
  } else {
    request.command = member.run.state == RunState::paused ? protocol::Request::Command::resume
                                                           : protocol::Request::Command::rescale;
    request.devices = target;
  }
  supervisors_.send(id, std::move(request), refused);
}

// A run that trains again is not preempted any more, and one that has done so for long has got over its
// crashes. A run that has devices and is not in motion trains.
void Pool::forget_preemption(World& world) {
  for (Member& member : world.members) {
    if (!member.job || member.held.empty() || member.standing == Standing::in_motion) continue;
    storage::Job& job = *member.job;
    const std::string& id = member.run.id;
    if (job.preempted && !member.to_be_paused && !targets_.contains(id)) {
      catalogue_.forget_preemption(id);
      job.preempted = false;
    }
    if (!recoveries_[id].is_over(job.crashes, time_.now())) continue;
    catalogue_.forget_crashes(id);
    job.crashes = 0;
  }
}

// The machine is about to be taken away: whatever trains writes a checkpoint and gives its devices back, and
// nothing is started until a person says so.
void Pool::on_notice(const std::string& notice) {
  protocol::PoolDecision decision;
  decision.time = storage::now();
  decision.cause = notice +
                   ": all runs are paused; to continue them: batchscope pool --resume, and batchscope resume "
                   "for runs outside the queue";
  decision.policy = catalogue_.pool_settings().policy;
  // First, so that a pool that comes after this one starts none of them again.
  catalogue_.change_pool_settings([](protocol::PoolSettings& settings) { settings.paused = true; });
  std::map<std::string, int> holders;  // and how many devices each has
  for (const storage::Lease& lease : catalogue_.leases()) ++holders[lease.run];
  for (const auto& [id, devices] : holders) {
    if (auto job = catalogue_.job(id)) {
      job->preempted = true;
      job->target.clear();
      catalogue_.put_job(*job);
    }
    protocol::Request pause;
    pause.command = protocol::Request::Command::pause;
    pause.by_pool = true;
    try {
      run::request(id, pause);
    } catch (const Error& error) {
      std::fprintf(stderr, "run %s is not paused: %s\n", id.c_str(), error.what());
    }
    decision.choices.push_back({id, {}, devices, "waits", notice, {}});
  }
  catalogue_.add_decision(decision);
}

int run_pool(const PoolTime& time) {
  if (auto* const application = dynamic_cast<run::Application*>(QCoreApplication::instance()))
    application->on_exception = [](const std::exception& exception) {
      std::fprintf(stderr, "the pool: %s\n", exception.what());
    };
  // A client that came with something to do while the last one was about to end took it for alive.
  for (;;) {
    {
      run::StoreLock lock(run::kPool);
      if (!lock.held()) return kExitOk;
      // A signal may end it at any time: it has nothing to lose.
      if (const int code = Pool(lock, time).exec(); code != kExitOk) return code;
    }
    if (!storage::Catalogue(protocol::catalogue_path()).pool_needed()) return kExitOk;
  }
}

}  // namespace batchscope::pool
