// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_control.h"

#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/text.h"
#include "batchscope/run/client.h"

namespace batchscope::common {

using protocol::RunState;
using Command = protocol::Request::Command;

namespace {

constexpr int kAnswerTimeoutMs = 5000;

// Refuses any request to a run without a supervisor, by the run's state.
[[noreturn]] void refuseInactive(const storage::Run& run) {
  const bool byItself = run.state == RunState::finished || run.state == RunState::failed;
  const std::string state = protocol::run_state_name(run.state);
  const std::string next = protocol::is_resumable(run.state)
                               ? say("`batchscope resume {}` starts it again", run.id)
                               : say("`batchscope run` starts another");
  throw Error(ErrorKind::conflict, byItself ? say("{} has {}; {}", title(run), state, next)
                                            : say("{} was {}; {}", title(run), state, next));
}

bool waitsForSupervisor(const storage::Run& run) {
  return run.supervisor_pid == 0 && (run.state == RunState::pending || run.state == RunState::interrupted);
}

// Refuses requests that need the job's next supervisor, and requests without an effect.
void refuseOfJob(const storage::Run& run, const storage::Job& job, Command command) {
  if (run.state == RunState::interrupted && run.supervisor_pid == 0)
    throw Error(ErrorKind::conflict,
                say("{} has lost its supervisor, and the pool starts another; `batchscope hold {}` keeps "
                    "it waiting, `batchscope cancel {}` takes it out of the queue",
                    title(run), run.id, run.id));
  if (command == Command::pause && run.state == RunState::paused &&
      pool::job_state(run, job) == pool::JobState::paused)
    throw Error(ErrorKind::conflict,
                say("{} is paused, and goes on by itself when it has devices; `batchscope hold {}` keeps "
                    "it paused",
                    title(run), run.id));
}

}  // namespace

std::string title(const storage::Run& run) {
  return protocol::printable(run.name) + " (" + protocol::printable(run.id) + ")";
}

std::string placeText(const PlacedJob& job) {
  if (job.place > 0) return say("is number {} in the queue", job.place);
  if (job.entry.job.held)
    return say("is held in the queue: `batchscope release {}` lets it go on", job.entry.run.id);
  if (job.entry.state == pool::JobState::held && !job.rung)
    return say("is paused: `batchscope resume {}` lets it go on", job.entry.run.id);
  return say("is {}", pool::job_state_name(job.entry.state));
}

void refusePending(storage::Catalogue& catalogue, const storage::Run& run) {
  if (run.state != RunState::pending) return;
  const auto job = placedJob(catalogue, run);
  const bool isHeld = job && job->entry.job.held;
  throw Error(ErrorKind::conflict,
              say("{} {}, and {}; {}, `batchscope cancel {}` takes it out of the queue", title(run),
                  isHeld ? say("is held")
                  : job  ? placeText(*job)
                         : say("is pending"),
                  run.step > 0 ? say("does not train") : say("has not begun"),
                  isHeld ? say("`batchscope release {}` lets it go on", run.id)
                         : say("`batchscope queue` says why it waits, `batchscope hold {}` "
                               "keeps it waiting",
                               run.id),
                  run.id));
}

protocol::Json askRun(storage::Catalogue& catalogue, const storage::Run& run,
                      const protocol::Request& request) {
  if (const auto job = catalogue.job(run.id)) {
    if (request.command == Command::rescale && waitsForSupervisor(run)) {
      pool::ask_replicas(catalogue, run.id, request);
      return nullptr;
    }
    refuseOfJob(run, *job, request.command);
  }
  refusePending(catalogue, run);
  // A damaged run may go on all the same: its supervisor has what it was started with.
  if (!protocol::is_active(run.state) && run.supervisor_pid == 0) refuseInactive(run);
  // A checkpoint is answered when it is on disk, everything else when the supervisor has agreed to it.
  const double seconds = request.command == Command::checkpoint ? run.spec.time_outs.checkpoint : 0;
  try {
    return run::request(run.id, request, kAnswerTimeoutMs + static_cast<int>(seconds * 1000));
  } catch (const Error& error) {
    // A supervisor answers no more once its run has ended.
    const bool isGone = error.kind() == ErrorKind::io || error.kind() == ErrorKind::not_found;
    if (const auto now = isGone ? catalogue.run(run.id) : std::nullopt;
        now && !protocol::is_active(now->state))
      refuseInactive(*now);
    throw;
  }
}

// A paused run's supervisor waits for the request; any other run has no supervisor and gets one.
void resumeRun(storage::Catalogue& catalogue, const storage::Run& run, int replicas,
               const std::vector<std::string>& devices) {
  const auto job = catalogue.job(run.id);
  const bool held = job && job->held && run.state != RunState::stopped && run.state != RunState::failed &&
                    run.state != RunState::finished;
  if (held && replicas == 0 && devices.empty()) return pool::release(catalogue, run.id);
  if (!held) refusePending(catalogue, run);
  if (run.spec.program.starts_with(kImportedProgram))
    throw Error(
        ErrorKind::conflict,
        say("{} cannot be resumed here: it was imported; resume it where its program and checkpoints are",
            title(run)));
  if (run.state != RunState::paused) return run::resume_run(catalogue, run.id, replicas, devices);
  protocol::Request request;
  request.command = Command::resume;
  if (replicas > 0) request.replicas = replicas;
  request.devices = devices;
  run::request(run.id, request);
}

}  // namespace batchscope::common
