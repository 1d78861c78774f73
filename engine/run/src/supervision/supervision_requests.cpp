// SPDX-License-Identifier: Apache-2.0
//
// What is asked of the supervisor: by control requests and by scripted events that hang on its clock.
#include <signal.h>

#include <utility>

#include "batchscope/protocol/error.h"
#include "supervision/supervision.h"

namespace batchscope::run {

using namespace protocol;

void Supervision::on_request(const Request& request, const ControlServer::Responder& responder) {
  using Command = Request::Command;
  switch (request.command) {
    case Command::status:
    case Command::subscribe: break;
    case Command::rescale: rescale(request); break;
    case Command::pause: machine_.pause(); break;
    case Command::resume:
      if (machine_.state() == RunState::paused)
        take_devices(request.replicas.value_or(machine_.target_replicas()));
      machine_.resume(request.replicas.value_or(0));
      if (request.replicas || request.auto_replicas) choose_replicas(request.auto_replicas);
      break;
    case Command::stop: machine_.stop(); break;
    case Command::checkpoint: request_checkpoint(responder); return;
  }
  settle();
  responder.ok(status());
}

// A number is a person's choice, who does not want it chosen again by the next model.
void Supervision::rescale(const Request& request) {
  const bool takes_over = spec_.auto_replicas && machine_.training();
  if (request.replicas && !(takes_over && *request.replicas == machine_.replicas())) {
    move_to(*request.replicas, "rescale");
  } else if (machine_.over()) {
    throw Error(ErrorKind::conflict, "the run is over");
  }
  choose_replicas(request.auto_replicas);
}

void Supervision::request_checkpoint(const ControlServer::Responder& responder) {
  if (!machine_.training())
    throw Error(ErrorKind::conflict, std::string("the run is ") + run_state_name(machine_.state()) +
                                         ": nothing to checkpoint now");
  if (!heard_)
    throw Error(ErrorKind::conflict,
                "the program does not speak telemetry and cannot be asked for a checkpoint");
  // Any replica's signal makes all of them agree; one is enough, and makes one checkpoint.
  generation_->signal_rank(0, SIGUSR1);
  waiting_.push_back({responder, monotonic_seconds() + run_.spec.time_outs.checkpoint});
}

void Supervision::check_triggers() {
  if (!machine_.training()) return;
  for (std::size_t i = 0; i < fired_.size(); ++i) {
    const Trigger& trigger = run_.spec.triggers[i];
    if (fired_[i] || trigger.when != Trigger::When::elapsed || elapsed() < trigger.at) continue;
    fired_[i] = true;
    tell("info", "scripted event " + trigger.text());
    try {
      carry_out(trigger);
    } catch (const Error& error) {
      tell("warning", "scripted event " + trigger.text() + " was skipped: " + error.what());
    }
    settle();
    return;
  }
}

void Supervision::carry_out(const Trigger& trigger) {
  switch (trigger.action) {
    case Trigger::Action::replicas:
      move_to(trigger.replicas, "trigger");
      choose_replicas({});
      break;
    case Trigger::Action::checkpoint: request_checkpoint({[](const Json&) {}, [](const Error&) {}}); break;
    case Trigger::Action::pause: machine_.pause(); break;
    case Trigger::Action::stop: machine_.stop(); break;
  }
}

double Supervision::elapsed() const { return elapsed_before_ + monotonic_seconds() - began_; }

RunStatus Supervision::status() const {
  RunStatus status;
  board_.fill(status);
  status.run = run_.id;
  status.state = run_state_name(machine_.state());
  status.phase = clock_.phase();
  status.phase_seconds = clock_.seconds(monotonic_seconds());
  status.generation = record_.number;
  status.replicas = machine_.replicas();
  status.target_replicas = machine_.target_replicas();
  if (spec_.auto_replicas) status.auto_replicas = spec_.auto_replicas->text();
  status.elapsed = elapsed();
  status.message = machine_.message();
  return status;
}

}  // namespace batchscope::run
