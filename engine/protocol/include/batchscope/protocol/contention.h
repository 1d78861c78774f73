// SPDX-License-Identifier: Apache-2.0
/// \file
/// A supervisor tells its replicas how much they will slow one another down on this machine, as other runs
/// have shown. It is only the first guess of the performance model.
#pragma once

namespace batchscope::protocol {

namespace variable {
/// The name of the variable that holds it.
inline constexpr char kContention[] = "BATCHSCOPE_CONTENTION";
}  // namespace variable

/// Returns the share of its time that each further replica on the machine costs a replica, as the process
/// environment says; 0 where nothing is known. Throws Error(usage) for a value that is not a share.
double told_contention();

}  // namespace batchscope::protocol
