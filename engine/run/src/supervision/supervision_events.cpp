// SPDX-License-Identifier: Apache-2.0
//
// Events of the replicas, as their telemetry and their exits tell.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/sched_hints.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/node_devices.h"
#include "launch/program_file.h"
#include "model/hinted_series.h"
#include "supervision/supervision.h"
#include "words.h"

namespace batchscope::run {

using namespace protocol;

void Supervision::on_message(int rank, const Message& message) {
  // Replicas do not know the machine.
  if (const Model* told = std::get_if<Model>(&message)) {
    Model model = *told;
    model.devices = scaling_.shared_devices();
    model.divides_cores = model.cores > 0 && scaling_.divides_cores();
    if (model.devices != told->devices || model.divides_cores != told->divides_cores)
      return on_message(rank, model);
  }
  const std::int64_t step_before = board_.step();
  const double now = monotonic_seconds();
  recorder_.take(message);
  board_.take(message);
  unpublished_ = true;
  hang_watch_.heard(rank, now);
  std::visit(
      [&](const auto& m) {
        using T = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<T, Hello>) {
          if (m.serves) {
            launcher_.offered();
            agents_.offered();
          }
          current_.hello(rank, m);
          if (m.checkpoints) rescalable_ = makes_checkpoints_ = true;
          if (m.heartbeats) hang_watch_.greeted(rank, now);
          clock_.group_stands(m.mono);
          if (!m.device.empty()) scaling_.program_uses(m.device);
        } else if constexpr (std::is_same_v<T, Restored>) {
          rescalable_ = true;
          clock_.restored(m.mono);
          if (rank == 0) on_restored(m, step_before);
        } else if constexpr (std::is_same_v<T, Steps>) {
          if (const auto& mono = m.columns.at(series::kMono); !mono.empty()) {
            current_.stepped(m.first_step);
            memory_limit_.fitted(board_.local_batch_size());
            on_progress(mono.front());
          }
          if (const auto obtained = forecast_.take(m)) on_obtained(*obtained);
        } else if constexpr (std::is_same_v<T, Heartbeat>) {
          hang_watch_.beat(rank, m, now);
        } else if constexpr (std::is_same_v<T, Failure>) {
          current_.failed(rank, m, checkpoints_.pass_over(m));
        } else if constexpr (std::is_same_v<T, Position>) {
          if (m.loop == "validate") on_progress(m.mono);
        } else if constexpr (std::is_same_v<T, CheckpointWritten>) {
          on_checkpoint(m);
        } else if constexpr (std::is_same_v<T, Model>) {
          on_model(m);
        } else if constexpr (std::is_same_v<T, Notice>) {
          tell(m.level == "warning" || m.level == "error" ? m.level : "info", m.text);
          // A checkpoint that cannot be written is rank 0's to tell, and no reason to stop training.
          if (rank == 0 && m.level == "error") waiters_.refuse(Error(ErrorKind::io, m.text));
        } else if constexpr (std::is_same_v<T, Triggered>) {
          on_triggered(m);
        } else if constexpr (std::is_same_v<T, Refused>) {
          if (rank == 0) on_refused(m);
        } else if constexpr (std::is_same_v<T, Goodbye>) {
          on_goodbye(rank, m);
        }
      },
      message);
}

// A step or a validation batch was finished.
void Supervision::on_progress(double mono) {
  clock_.stepped(board_.last_progress());
  if (current_.progressed()) return;
  std::optional<Pause> pause;
  if (clock_.running()) pause = clock_.first_step(mono);
  current_.progress(mono, pause);
  const std::string on = replica_count_text(current_.record().replicas);
  const char* const origin = current_.forked() ? ", forked" : "";
  if (pause)
    tell("info",
         fmt::format("{} on {} in {}{}", current_.record().reason == "resume" ? "resumed" : "restarted", on,
                     seconds_text(pause->seconds), origin));
  else
    tell("info", fmt::format("training on {}{}", on, origin));
  checkpoints_.in_memory().persist();  // the processors were the restart's until now
  under_way();
}

// The present generation trains.
void Supervision::under_way() {
  most_replicas_ = std::max(most_replicas_, current_.record().replicas);
  machine_.first_step();
  scaling_.keep_devices();
  agents_.keep(scaling_.nodes_in_use());
  settle();
}

void Supervision::on_restored(const Restored& restored, std::int64_t step_before) {
  current_.restored(restored.checkpoint);
  recorder_.restored(restored.checkpoint);
  if (step_before > restored.step)
    tell("warning",
         fmt::format("went back to step {}: {} {} repeated", restored.step, step_before - restored.step,
                     step_before - restored.step == 1 ? "step is" : "steps are"));
}

void Supervision::on_checkpoint(const CheckpointWritten& checkpoint) {
  current_.checkpoint_written(checkpoint);
  checkpoints_.written(checkpoint.name);
  disk_.checkpoint_takes(checkpoint.bytes);
  machine_.checkpoint_written(checkpoint.step);
  if (checkpoint.reason != "periodic") {  // which is not the one that anybody waits for
    if (clock_.running() && current_.progressed()) clock_.checkpointed(checkpoint.last_step, checkpoint.mono);
    waiters_.written(checkpoint);
  }
  settle();
}

void Supervision::on_obtained(const MeasuredRate& obtained) {
  current_.obtained(obtained);
  tell("info", forecast_text(*forecast_.prediction(), obtained));
  if (const auto& before = forecast_.before(); before && current_.record().reason == "auto")
    scaling_.judge(before->replicas, before->rate, current_.record().replicas, obtained);
}

void Supervision::on_model(const Model& model) {
  forecast_.take(model);
  RunStatus now;
  board_.fill(now);
  const int replicas = current_.record().replicas;
  scaling_.consider(model, {.replicas = replicas,
                            .max_profiled_replicas = std::max(model.max_profiled_replicas, replicas),
                            .pause = current_.known_pause(),
                            .remaining = now.remaining,
                            .judged = forecast_.is_measured()});
  settle();
}

// The replicas exit by themselves, so that a count this machine cannot give is too late to refuse.
void Supervision::on_triggered(const Triggered& triggered) {
  if (triggered.index < 0 || triggered.index >= static_cast<int>(run_.spec.triggers.size()))
    throw Error(ErrorKind::usage, fmt::format("no scripted event has the index {}", triggered.index));
  Trigger trigger = run_.spec.triggers[static_cast<std::size_t>(triggered.index)];
  tell("info", "scripted event " + trigger.text());
  if (trigger.action == Trigger::Action::replicas) {
    try {
      scaling_.take_devices(machine_.in_place(trigger.replicas), "trigger");
    } catch (const Error& error) {
      tell("warning",
           fmt::format("scripted event {} keeps the number of replicas: {}", trigger.text(), error.what()));
      trigger.replicas = machine_.allocation().replicas;
    }
    scaling_.choose({});
  }
  machine_.triggered(trigger);
  settle();
}

void Supervision::on_refused(const Refused& refused) {
  machine_.refused(refused.text);
  if (machine_.training()) clock_.cancel();  // it was no pause
  waiters_.refuse(Error(ErrorKind::io, refused.text));
  settle();
}

// A replica that has checkpointed for the next generation ends right after its goodbye, and the system then
// takes milliseconds to give its memory back: the restart does not wait for that.
void Supervision::on_goodbye(int rank, const Goodbye& goodbye) {
  hang_watch_.said_goodbye(rank, monotonic_seconds());
  if (goodbye.code != kExitCheckpointed || !machine_.restarting() || !current_.leaves_at_once()) return;
  if (const auto& living = current_.replicas()->living(); living.contains(rank))
    QTimer::singleShot(0, &loop_,
                       [this, pid = living.at(rank)] { left(pid, W_EXITCODE(kExitCheckpointed, 0)); });
}

void Supervision::on_exit(pid_t pid, int status) {
  if (launcher_.take_exited(pid, status) || agents_.take_exited(pid, status)) return;
  // One that has said goodbye and left before it was gone has had its last words.
  if (const auto rank = current_.rank_of(pid)) telemetry_.drain(rank);
  left(pid, status);
}

void Supervision::left(pid_t pid, int status) {
  if (!current_.replicas()) return;
  const auto rank = current_.replicas()->take_exited(pid);
  if (!rank) return;
  hang_watch_.left(*rank);
  Exit exit = current_.account_of(*rank, status, board_.local_batch_size());
  const std::string& node = current_.replicas()->node_of(*rank);
  if (!node.empty() && exit.signal == SIGKILL && !agents_.is_there(node)) {
    exit.cause = Cause::node;
    exit.why = "node " + node + " is gone";
  }
  machine_.replica_exited(exit);
  settle();
}

void Supervision::use_nodes() {
  const NodePlan& plan = agents_.plan();
  if (plan.several() || plan.replicas_per_node > 0)
    scaling_.use_nodes(plan.replicas_per_node, agents_.nodes());
  else if (const auto nodes = agents_.nodes(); !nodes.empty() || !scaling_.nodes_in_use().empty())
    scaling_.use_named_nodes(nodes);
}

bool Supervision::is_lost(const std::string& device) const {
  const std::string node = node_of_device(device);
  return !node.empty() && !agents_.is_ready(node);
}

bool Supervision::need_agents(const std::vector<std::string>& devices) const {
  return !agents_.plan().several() &&
         std::any_of(devices.begin(), devices.end(), [this](const auto& device) { return is_lost(device); });
}

// Has agents on the nodes of these devices, as the pool reaches them, before `then` is called. Which of them
// came is to be seen by is_lost().
void Supervision::fetch_agents(const std::vector<std::string>& devices, std::function<void()> then) {
  const PoolSettings settings = catalogue_.pool_settings();
  std::vector<NodeHost> hosts = parse_node_hosts(settings.agents);
  std::erase_if(hosts, [&](const NodeHost& host) {
    return std::none_of(devices.begin(), devices.end(),
                        [&](const std::string& device) { return node_of_device(device) == host.node; });
  });
  agents_.fetch(hosts, settings.agents_by, settings.tls, [this, then = std::move(then)] {
    use_nodes();
    then();
  });
}

// Kills what is left of the replicas on a lost node, which ends the generation; the next has less room. A run
// of the queue that has nothing left waits for what the pool gives it.
void Supervision::on_lost(const std::string& node) {
  use_nodes();
  const auto lost = [&](const std::string& device) { return node_of_device(device) == node; };
  const std::vector<std::string> devices = machine_.target().devices;
  const bool all = !devices.empty() && std::all_of(devices.begin(), devices.end(), lost);
  const RunState state = machine_.state();
  const bool trains =
      state == RunState::running || state == RunState::starting || state == RunState::restarting;
  if (all && trains && scaling_.in_queue()) {
    leave_to_pool();
    machine_.pause();
  } else {
    machine_.confine(scaling_.room().value_or(kMostReplicas), lost);
  }
  if (current_.replicas()) current_.replicas()->kill_on(node);
  settle();
}

// The run rests until the pool has other devices for it.
void Supervision::leave_to_pool() {
  pause_ = "paused: waits for other devices from the pool";
  try {
    catalogue_.leave_to_pool(run_.id);
  } catch (const Error& error) {
    tell("warning", std::string("the pool cannot be told that the run waits for it; to continue it: "
                                "batchscope resume ") +
                        run_.id + " (" + error.what() + ")");
  }
  pool_call_.call();
}

// Takes hints of a program that knows AdaptDL's protocol and not our telemetry. Its steps are nobody's to
// count; the whole seconds of run time take their place in its series.
void Supervision::on_hints(const Json& hints) {
  Model model = model_from_sched_hints(hints);
  const std::int64_t batch_size = hinted_batch_size(hints);
  if (!current_.replicas()) throw Error(ErrorKind::conflict, "no generation of this run is running");
  if (current_.has_telemetry()) return;  // which says more
  rescalable_ = true;
  const double mono = monotonic_seconds();
  model.step = static_cast<std::int64_t>(elapsed());
  on_message(0, model);
  for (const auto& [name, value] : hinted_series(model, batch_size, current_.record().replicas))
    on_message(0, Scalar{name, model.step, value, mono});
  recorder_.take(Scalar{series::kTime, model.step, recorder_.wall(mono), mono});
  if (!quiet_timer_.isActive()) return;
  tell("info", "training on " + replica_count_text(current_.record().replicas) + ", as its first hints say");
  assume_running();
}

void Supervision::assume_running() {
  quiet_timer_.stop();
  current_.assume_running(monotonic_seconds());
  clock_.cancel();
  under_way();
}

// Reports what a program that has ended did not do, which whoever started it may have taken for granted.
void Supervision::tell_of_silence() {
  for (const Trigger& trigger :
       current_.checkpoints_when_asked() ? std::vector<Trigger>() : events_.waiting_for_steps())
    tell("warning",
         fmt::format("scripted event {} did not happen: the run ended after {} epochs and {} steps",
                     trigger.text(), board_.epoch(), board_.step()));
  if (current_.has_telemetry() || rescalable_) return;
  const int replicas = current_.record().replicas;
  tell(replicas > 1 ? "warning" : "info", silent_program_text(replicas, is_python(spec_.program)));
}

void Supervision::watch_for_hangs() {
  if (!current_.replicas() || !current_.has_telemetry()) return;
  telemetry_.drain();
  if (auto suspect = hang_watch_.check(monotonic_seconds(), current_.progressed())) {
    suspect->why += " (--hang-timeout is " + seconds_text(run_.spec.time_outs.step) + ")";
    machine_.hung(*suspect);
    settle();
  }
}

}  // namespace batchscope::run
