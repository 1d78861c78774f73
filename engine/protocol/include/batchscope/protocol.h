// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the processes of a run say to one another and leave on disk: messages, environment names, paths, the
/// checkpoint's manifest, and the one error type.
///
///     using namespace batchscope::protocol;
///     for (const auto& folder : list_checkpoints(run_paths("k3v90abc").checkpoints)) {
///       const Manifest manifest = verify_checkpoint(folder);                      // throws Error(corrupt)
///       std::cout << folder << " at step " << manifest.step << ", " << manifest.reason << "\n";
///     }
#pragma once

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/control.h"
#include "batchscope/protocol/device_series.h"
#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/event_file.h"
#include "batchscope/protocol/fork_server.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/ledger.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/non_finite.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/protocol/process_id.h"
#include "batchscope/protocol/random_text.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/protocol/sched_hints.h"
#include "batchscope/protocol/series.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/protocol/unix_address.h"

/// Messages, paths and formats; see protocol.h. Nothing here blocks for longer than a file takes, except
/// send_packet and receive_packet.
namespace batchscope::protocol {}
/// The names of the environment variables of a replica; what they hold is in Environment.
namespace batchscope::protocol::variable {}
/// The waits that nobody sets; TimeOuts has those that a person may set.
namespace batchscope::protocol::time_out {}
/// The names of the series that every run has.
namespace batchscope::protocol::series {}
