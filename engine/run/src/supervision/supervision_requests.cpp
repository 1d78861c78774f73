// SPDX-License-Identifier: Apache-2.0
//
// Requests to the supervisor: by control requests, and by scripted events that hang on its clock.
#include <fmt/format.h>
#include <signal.h>

#include "batchscope/protocol/error.h"
#include "batchscope/run/pool.h"
#include "supervision/supervision.h"

namespace batchscope::run {

using namespace protocol;

// Devices of a node that has no agent yet are answered for when it has.
void Supervision::on_request(const Request& request, const ControlServer::Responder& responder) {
  if (!need_agents(request.devices)) return answer(request, responder);
  fetch_agents(request.devices, [this, request, responder] {
    try {
      answer(request, responder);
    } catch (const Error& error) {
      responder.fail(error);
    }
  });
}

void Supervision::answer(const Request& request, const ControlServer::Responder& responder) {
  using Command = Request::Command;
  switch (request.command) {
    case Command::status:
    case Command::subscribe: break;
    case Command::rescale: rescale(request); break;
    case Command::pause:
      machine_.pause();
      pause_ = request.by_pool ? "paused by the pool: its devices are needed" : "paused";
      break;
    case Command::resume: resume(request); break;
    case Command::stop: machine_.stop(); break;
    case Command::checkpoint: request_checkpoint(responder); return;
  }
  settle();
  Json result = status();
  if (request.command == Command::rescale) result["predicted"] = restart_json();
  responder.ok(result);
}

// Returns the prediction of the restart that is on its way, as it will be recorded; null where there is
// none, or nothing is known.
Json Supervision::restart_json() {
  if (machine_.state() != RunState::restarting) return nullptr;
  const Allocation target = machine_.target();
  const Placement& placement = scaling_.take_devices(target, "rescale");  // which has been done
  const auto expected =
      forecast_.expected(board_.configuration(), target.replicas, devices_of(placement), placement.nodes());
  if (!expected) return nullptr;
  return {{"goodput", encode_number(expected->goodput)},
          {"throughput", encode_number(expected->throughput)},
          {"error", encode_number(expected->error)}};
}

// A number is a person's choice, who does not want it chosen again by the next model. A list of devices says
// where, and leaves it to whom it was left to say how many.
void Supervision::rescale(const Request& request) {
  const bool asks_pool = !request.by_pool && scaling_.in_queue();
  if (!request.devices.empty()) {
    scaling_.move_to({request.replicas.value_or(0), request.devices, run_.spec.devices_of_each()},
                     request.by_pool ? "pool" : "rescale");
    if (asks_pool && !spec_.auto_replicas) scaling_.choose({});
    return;
  }
  if (asks_pool) {
    insist_on_pool(request);
    scaling_.ask_pool(request.replicas, request.auto_replicas);
    pool_call_.call();
    return;
  }
  const bool takes_over = spec_.auto_replicas && machine_.training();
  if (request.replicas && !(takes_over && *request.replicas == machine_.allocation().replicas)) {
    scaling_.move_to(machine_.in_place(*request.replicas), "rescale");
  } else if (machine_.over()) {
    throw Error(ErrorKind::conflict, "the run is over");
  }
  scaling_.choose(request.auto_replicas);
}

// Whether the pool can do what is asked.
void Supervision::insist_on_pool(const Request& request) const {
  if (machine_.over() || machine_.state() == RunState::stopping)
    throw Error(ErrorKind::conflict, machine_.over() ? "the run is over" : "the run is stopping");
  if (request.replicas && machine_.training() && !rescalable_)
    throw Error(ErrorKind::conflict,
                "the pool cannot move the run: its program writes no checkpoints, so it would begin again");
}

// The devices that it had were free meanwhile: it gets others, unless these are named. A run of the queue
// waits for what the pool gives it.
void Supervision::resume(const Request& request) {
  if (!request.by_pool && scaling_.in_queue()) {
    if (!request.devices.empty()) throw devices_are_the_pools(run_.id);
    if (machine_.state() != RunState::paused)
      throw Error(ErrorKind::conflict,
                  std::string("the run is ") + run_state_name(machine_.state()) + ", not paused");
    if (request.replicas || request.auto_replicas) scaling_.ask_pool(request.replicas, request.auto_replicas);
    recorder_.flush();  // that it is paused
    catalogue_.go_on(run_.id);
    pool_call_.call();
    return;
  }
  const Allocation to(request.replicas.value_or(0), request.devices, run_.spec.devices_of_each());
  const Allocation wanted = to.replicas > 0 ? to : Allocation(machine_.target().replicas);
  if (machine_.state() == RunState::paused)
    scaling_.take_devices(wanted, request.by_pool ? "pool" : "resume");
  machine_.resume(wanted);
  if (request.devices.empty() && (request.replicas || request.auto_replicas))
    scaling_.choose(request.auto_replicas);
}

void Supervision::request_checkpoint(const ControlServer::Responder& responder) {
  if (!machine_.training())
    throw Error(ErrorKind::conflict,
                fmt::format("the run is {}: nothing to checkpoint now", run_state_name(machine_.state())));
  if (!current_.checkpoints_when_asked())
    throw Error(ErrorKind::conflict,
                "the program cannot write a checkpoint now: if it writes any, it does so only when it stops, "
                "for example for a rescale or a pause");
  // Any replica's signal makes all of them agree; one is enough, and makes one checkpoint.
  current_.replicas()->signal_rank(0, SIGUSR1);
  waiters_.add(responder, monotonic_seconds());
}

void Supervision::fire_due_trigger() {
  if (!machine_.training()) return;
  const auto trigger = events_.take_due(place());
  if (!trigger) return;
  tell("info", "scripted event " + trigger->text());
  try {
    switch (trigger->action) {
      case Trigger::Action::replicas:
        scaling_.move_to(machine_.in_place(trigger->replicas), "trigger");
        scaling_.choose({});
        break;
      case Trigger::Action::checkpoint: request_checkpoint({[](const Json&) {}, [](const Error&) {}}); break;
      case Trigger::Action::pause: machine_.pause(); break;
      case Trigger::Action::stop: machine_.stop(); break;
    }
  } catch (const Error& error) {
    tell("warning", fmt::format("scripted event {} was skipped: {}", trigger->text(), error.what()));
  }
  settle();
}

ScriptedEvents::Place Supervision::place() const {
  RunStatus now;
  board_.fill(now);
  return {elapsed(), now.step, now.epoch, now.progress, current_.checkpoints_when_asked()};
}

double Supervision::elapsed() const { return monotonic_seconds() - started_; }

RunStatus Supervision::status() const {
  RunStatus status;
  board_.fill(status);
  status.run = run_.id;
  status.state = machine_.state();
  status.phase = clock_.phase();
  status.phase_seconds = clock_.seconds(monotonic_seconds());
  status.generation = current_.record().number;
  status.replicas = machine_.allocation().replicas;
  status.target_replicas = machine_.target().replicas;
  if (spec_.auto_replicas) status.auto_replicas = spec_.auto_replicas->text();
  status.elapsed = elapsed();
  status.message = machine_.message();
  status.devices = scaling_.devices();
  status.rescalable = rescalable_;
  status.max_profiled = most_replicas_;
  status.pause = current_.known_pause();
  return status;
}

}  // namespace batchscope::run
