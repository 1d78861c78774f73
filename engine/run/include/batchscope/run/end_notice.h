// SPDX-License-Identifier: Apache-2.0
/// \file
/// Notices to a person that a run has ended, by a command or as JSON to an address.
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
/// Never blocks and never throws: nobody could be told by a supervisor that ends.
void announce_end(const std::string& id, const protocol::RunSpec& spec) noexcept;

/// Tells the command or address in the run's spec, or else in this process's environment, that the run has
/// finished or failed; does nothing where there is none, or the run has ended otherwise. A command is called
/// as `COMMAND SENTENCE`, and finds the JSON in BATCHSCOPE_NOTICE; an address gets the JSON by POST: event
/// ("finished", "failed"), text (the sentence), run, name, message, step, epoch, seconds, host, latest (the
/// newest value of each series). Blocks until that is done, 30 s at most. Where it fails, an event of the run
/// says so. Throws Error(not_found) where there is no such run, and what the catalogue throws. The process
/// `batchscope tell-end RUN` calls it.
void tell_end(const std::string& id);

}  // namespace batchscope::run
