// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sweeps of this machine, as people begin, look at and change them. All of it is kept in rows of the
/// catalogue (storage/sweeps.h). The process `batchscope-sweep` (driver.h) acts on them; it is started
/// wherever there is something to do. Trials are runs of the pool, or train elsewhere (workplace.h). Every
/// call may throw Error as the catalogue does, and Error(not_found) for a sweep that is not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/sweeps.h"
#include "batchscope/sweep/course.h"

namespace batchscope::sweep {

/// A trial as people look at it.
struct TrialView {
  Standing standing;              ///< how it stands, its point and its value
  Texts parameters;               ///< the same point, by name and as the program gets it
  std::vector<std::string> runs;  ///< ids, by seed; one is empty where its run was removed
  std::string message;            ///< why it failed or waits, or empty
  double began = 0;               ///< s since 1970
  double ended = 0;               ///< of its last leg; 0: that is under way
  bool waits = false;             ///< it is to train elsewhere and does not yet: `message` says why
};

/// A moment of a sweep.
struct SweepView {
  storage::Sweep sweep;                 ///< its row
  SweepFile file;                       ///< what the row's text says
  std::vector<storage::SweepLeg> rows;  ///< its legs as they are kept
  std::vector<LegRecord> legs;          ///< the same as course.h takes them
  std::vector<TrialView> trials;        ///< by number
  std::optional<std::size_t> best;      ///< number of the best trial; none: there is no value yet
  double device_hours = 0;              ///< of all legs that came to their end
};

/// Returns the sweep of this name, as it is now.
SweepView look(storage::Catalogue& catalogue, const std::string& name);
/// Returns the same of rows that were read before, but without what waits. Throws Error(corrupt) for rows
/// that do not make a sweep.
SweepView view_of(storage::Sweep sweep, std::vector<storage::SweepLeg> rows,
                  const std::vector<storage::TrialRun>& runs);

/// Returns the number of trials that a sweep is meant for: what its file says, or its grid has.
std::size_t trials_wanted(const SweepFile& file);

/// Returns the spec of the run that trains these parameters for the seed-th time (from 0): `base` with its
/// arguments and its name, in the sweep's group, with a pause at each rung. Reads the recipe, where it is
/// made of one.
protocol::RunSpec trial_spec(const SweepFile& file, const protocol::RunSpec& base, std::size_t trial,
                             const Texts& parameters, int seed);

/// Refuses what could never train: parameters that the recipe does not know or take, values outside of its
/// bounds, several seeds of a program that takes none, and what pool::check_submit refuses. Throws
/// Error(usage | conflict | not_found) that names the parameter. `elsewhere`: not in this machine's pool, so
/// that its devices are not checked.
void check(const SweepFile& file, const protocol::RunSpec& base, bool elsewhere = false);

/// Adds a sweep, checked as above, and makes sure that it is driven, unless it is to begin `paused`. `base`:
/// the program with what precedes its parameters. `width`: legs under way at most, 0: as many as the machine
/// has devices for. `workplace`: where its trials train (storage::Sweep), as the driver's Workplace reads it;
/// empty: in the pool. `message`: what is said of it until something else happens. Throws Error(conflict)
/// where there is one of its name.
void create(storage::Catalogue& catalogue, const SweepFile& file, const protocol::RunSpec& base,
            bool paused = false, int width = 0, const std::string& workplace = {},
            const std::string& message = {});

/// Pauses the sweep: its trials write checkpoints and do not train until `resume`. Throws Error(conflict)
/// where it is over.
void pause(storage::Catalogue& catalogue, const std::string& name);
/// Goes on with a sweep that is paused, stopped or failed, or whose process is gone. Throws Error(conflict)
/// where it is finished: it can be extended.
void resume(storage::Catalogue& catalogue, const std::string& name);
/// Ends the sweep: its trials write checkpoints and stop, and their values are kept. Throws Error(conflict)
/// where it is over.
void stop(storage::Catalogue& catalogue, const std::string& name);
/// Adds so many trials and device-hours, and goes on. Throws Error(usage) where nothing can be added.
void extend(storage::Catalogue& catalogue, const std::string& name, int trials, double device_hours = 0);

/// A sweep that was removed, with all that brings it back.
struct RemovedSweep {
  storage::Sweep sweep;                 ///< its row
  std::vector<storage::SweepLeg> legs;  ///< in the order in which they began
  std::vector<storage::TrialRun> runs;  ///< that trained its trials
  std::vector<std::string> in_trash;    ///< ids of those that were moved to the trash with it
};

/// Returns the runs of a sweep's trials that are not in the trash. Throws Error(conflict), with what to do,
/// while the sweep or one of them cannot be removed: the sweep is running, or a run has yet to write its
/// checkpoint.
std::vector<storage::Run> removable_runs(storage::Catalogue& catalogue, const std::string& name);
/// Removes the sweep; its runs stay as ordinary runs, or go into the trash `with_runs`. Throws as
/// removable_runs.
RemovedSweep remove(storage::Catalogue& catalogue, const std::string& name, bool with_runs);
/// Brings a removed sweep back as it was, and its runs out of the trash, as far as they are still there.
/// Throws Error(conflict) where there is one of its name by now.
void restore(storage::Catalogue& catalogue, const RemovedSweep& removed);

/// Returns the command that trains the best trial, without the pauses at rungs: `batchscope run` and its
/// options, the program and its arguments, valid in any folder. Empty where there is no best trial.
std::vector<std::string> best_command(const SweepView& view);

}  // namespace batchscope::sweep
