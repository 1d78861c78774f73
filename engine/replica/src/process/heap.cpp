// SPDX-License-Identifier: Apache-2.0
//
// glibc's two thresholds; other C libraries keep their ways.
#include "process/heap.h"

#include <malloc.h>

namespace batchscope::replica {

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest it takes: what is larger is mapped by itself
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

}  // namespace batchscope::replica
