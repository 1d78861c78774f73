// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/non_finite.h"

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

const char* non_finite_name(NonFinite policy) noexcept {
  switch (policy) {
    case NonFinite::skip: return "skip";
    case NonFinite::stop: return "stop";
    case NonFinite::restore: break;
  }
  return "restore";
}

NonFinite parse_non_finite(const std::string& text) {
  for (const NonFinite policy : {NonFinite::skip, NonFinite::stop, NonFinite::restore})
    if (text == non_finite_name(policy)) return policy;
  throw Error(ErrorKind::usage,
              "'" + text + "' is not a policy for gradients that are not finite: use skip, stop or restore");
}

}  // namespace batchscope::protocol
