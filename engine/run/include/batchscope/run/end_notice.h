// SPDX-License-Identifier: Apache-2.0
/// \file
/// Telling a person who is not watching that a run has ended: by a command of theirs, or as JSON to an
/// address.
#pragma once

#include <string>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::run {

/// The variable of a run's environment, or else of its supervisor's, that says whom to tell: a command for
/// the shell, or an http(s) address. Empty or not there: nobody.
inline constexpr char kNotify[] = "BATCHSCOPE_NOTIFY";

/// Throws Error(usage) for an address without a host.
void check_notify(const std::string& whom);

/// Starts tell_end in a process of its own where the spec, or this process's environment, names somebody.
/// Never blocks and never fails: a supervisor that ends has nobody to tell.
void announce_end(const std::string& id, const protocol::RunSpec& spec) noexcept;

/// Tells whom the run's spec, or this process's environment, names that the run has finished or failed; does
/// nothing where it names nobody, or the run has ended otherwise. A command is called as `COMMAND SENTENCE`,
/// and finds the JSON in BATCHSCOPE_NOTICE; an address gets the JSON by POST: event ("finished", "failed"),
/// text (the sentence), run, name, message, step, epoch, seconds, host, latest (the newest value of each
/// series). Blocks until it is told, 30 s at most. That nobody could be told becomes an event of the run.
/// Throws Error(not_found) where there is no such run, and what the catalogue throws. It is the process
/// `batchscope tell-end RUN`.
void tell_end(const std::string& id);

}  // namespace batchscope::run
