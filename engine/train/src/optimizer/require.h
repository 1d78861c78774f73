// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "batchscope/protocol/error.h"

namespace batchscope {

// Throws Error(usage) that says `what` unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) throw Error(ErrorKind::usage, what);
}

}  // namespace batchscope
