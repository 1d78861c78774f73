// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/contention.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "batchscope/protocol/error.h"

namespace batchscope::protocol {

namespace {

double told(const char* name) {
  const char* value = std::getenv(name);
  const std::string_view text = value ? value : "";
  if (text.empty()) return 0;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number) || number < 0)
    throw Error(ErrorKind::usage, std::string(name) + "=" + value + ": expected a number, at least 0");
  return number;
}

}  // namespace

double told_contention() { return told(variable::kContention); }

double told_sync_time() { return told(variable::kSyncTime); }

}  // namespace batchscope::protocol
