// SPDX-License-Identifier: Apache-2.0
/// \file
/// A supervisor tells its replicas how much they will slow one another down on this machine, and how long
/// they will wait for one another, as other runs have shown. These are only the performance model's first
/// guesses.
#pragma once

namespace batchscope::protocol {

namespace variable {
/// The names of the variables that hold them.
///@{
inline constexpr char kContention[] = "BATCHSCOPE_CONTENTION";
inline constexpr char kSyncTime[] = "BATCHSCOPE_SYNC_TIME";
///@}
}  // namespace variable

/// Returns the share of its time that each further replica on the machine costs a replica, as the process
/// environment says; 0 where nothing is known. Throws Error(usage) for a value that is not a share.
double told_contention();

/// Returns the seconds that two replicas on the machine take to synchronise a step, in the same way.
double told_sync_time();

}  // namespace batchscope::protocol
