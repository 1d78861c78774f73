// SPDX-License-Identifier: Apache-2.0
/// \file
/// The queue of the pool as people see and change it. All of it is kept in rows of the catalogue
/// (storage/queue.h). The pool finds a change within a fraction of a second, whether it runs already or is
/// started for the change. Every call may throw Error as the catalogue does.
#pragma once

#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::pool {

/// The life of a job, in the words of AdaptDL's controller.
enum class JobState {
  pending,    ///< waits for its first devices, or for a supervisor in the place of one that died
  held,       ///< a person keeps it from having devices
  starting,   ///< has devices, and has not made a step yet
  running,    ///< trains, or restarts on other devices
  paused,     ///< its devices are needed elsewhere; it goes on by itself
  stopping,   ///< was told to end
  succeeded,  ///< its program ended well
  failed,     ///< its program did not, or could not be started
  cancelled   ///< a person stopped it
};

const char* job_state_name(JobState state) noexcept;  ///< the enumerator's own name
/// Returns the state of a run that is in the queue or came from it.
JobState job_state(const storage::Run& run, const storage::Job& job) noexcept;

/// A job with its run.
struct QueueEntry {
  storage::Run run;  ///< as the catalogue has it, the devices it holds included
  storage::Job job;  ///< what was asked, and what the pool says; held: why, unless by a person
  JobState state = JobState::pending;  ///< see job_state
  double waited = 0;                   ///< s without devices, from its submission until now or its end
};

/// Returns the jobs that have not ended, in the queue's order; with `ended`, behind them those that have, the
/// newest first.
std::vector<QueueEntry> queue(storage::Catalogue& catalogue, bool ended = false);

/// Options of a job beside its run's spec.
struct JobOptions {
  bool pin = false;                                     ///< it keeps the devices that it gets to its end
  int priority = 0;                                     ///< larger goes first, -10..10
  std::string after;                                    ///< id of a run that has to end first, or empty
  storage::AfterEnd after_end = storage::AfterEnd::ok;  ///< in which way
  bool held = false;                                    ///< until `release`
};

/// Checks a spec as submit does, with the devices that the pool of this store gives away. Throws as it does.
void check_submit(const protocol::RunSpec& spec);

/// Returns the spec with the variables of this process's environment that a run of the pool gets: those that
/// say where programs and libraries are found (PATH, VIRTUAL_ENV ..), and no others, as a spec is shown and
/// exported.
protocol::RunSpec with_environment(protocol::RunSpec spec);

/// Puts a run into the queue and sees to it that a pool runs. spec.auto_replicas is the range that the pool
/// may choose from, spec.replicas without it a fixed number; the run has with_environment(spec). Returns the
/// run's id. Throws Error as run::start_run for what could never be started on this machine, Error(conflict)
/// for more replicas than it and the pool's nodes have devices, unless one of these is not there,
/// Error(not_found) for an `after` that is not a run.
std::string submit(storage::Catalogue& catalogue, const protocol::RunSpec& spec, const JobOptions& options);

/// Ends a job: one that waits is taken out of the queue, one that trains stops with a checkpoint. Throws
/// Error(conflict) where it has ended, Error(not_found) for a run that is not in the queue.
void cancel(storage::Catalogue& catalogue, const std::string& id);
/// Keeps a job from having devices until it is released; one that has some is paused by the pool with a
/// checkpoint. Throws as cancel.
void hold(storage::Catalogue& catalogue, const std::string& id);
/// Releases a job that is held, or that a person has paused: it goes on as soon as it has devices. A job that
/// was to follow a run that did not finish follows none from now on. Throws as cancel; does nothing where
/// nothing keeps the job. A run that was stopped or has failed goes back into the queue by run::resume_run().
void release(storage::Catalogue& catalogue, const std::string& id);
/// Sets the priority, -10..10. Throws as cancel, and Error(usage) for another number.
void prioritise(storage::Catalogue& catalogue, const std::string& id, int priority);
/// Changes how many replicas a job that has no supervisor asks for, to what a `rescale` says. Throws as
/// cancel, as submit for more than this machine has, and Error(conflict) for devices by name.
void ask_replicas(storage::Catalogue& catalogue, const std::string& id, const protocol::Request& rescale);
/// Changes the pool's settings (protocol/pool.h), and sees to it that a pool runs where it has something to
/// decide. Throws Error(usage) for settings that make no sense.
void configure(storage::Catalogue& catalogue, const std::function<void(protocol::PoolSettings&)>& change);

}  // namespace batchscope::pool
