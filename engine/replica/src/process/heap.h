// SPDX-License-Identifier: Apache-2.0
//
// Training frees and allocates the same large tensors at every step. By default glibc gives such memory back
// to the system and takes page faults to get it again (20-30 a step on a small MLP, 5 % of its time); told to
// keep what is freed, it takes none.
#pragma once

namespace batchscope::replica {

void keep_freed_memory();

}  // namespace batchscope::replica
