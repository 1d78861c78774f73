// SPDX-License-Identifier: Apache-2.0
//
// OpenBLAS works in 128 MB of address space for each thread, which it takes when that thread first computes,
// and where it gets none it tries again for ever: under a limit (ulimit -v) a replica would hang in its first
// step, and say nothing. So they are asked for, and taken, before training begins.
#pragma once

namespace batchscope::train {

// Throws Error(io) where so many threads would find no room to compute in.
void insist_on_room_for_blas(int threads);

}  // namespace batchscope::train
