// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/contention.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

double told_contention() {
  const char* value = std::getenv(variable::kContention);
  const std::string_view text = value ? value : "";
  if (text.empty()) return 0;
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(share) || share < 0)
    throw Error(ErrorKind::usage,
                std::string(variable::kContention) + "=" + value + ": expected a number, at least 0");
  return share;
}

}  // namespace batchscope::protocol
