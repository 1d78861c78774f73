// SPDX-License-Identifier: Apache-2.0
//
// Starting one of our programs as a process that outlives its starter.
#pragma once

#include <QStringList>
#include <filesystem>

#include "batchscope/protocol/process_id.h"

namespace batchscope::run {

// Starts a program in a session of its own, with the root as its folder and its output behind what the log
// holds; the child of init from then on, which heeds all signals as the system does. Throws Error(not_found)
// where the program is missing, Error(io).
protocol::ProcessId start_detached(const char* name, const QStringList& arguments,
                                   const std::filesystem::path& log);

}  // namespace batchscope::run
