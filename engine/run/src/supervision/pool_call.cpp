// SPDX-License-Identifier: Apache-2.0
#include "supervision/pool_call.h"

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/run/pool.h"

namespace batchscope::run {
namespace {

constexpr double kFirstDelay = 2, kLongestDelay = 60;  // s

}  // namespace

PoolCall::PoolCall(storage::Catalogue& catalogue, Tell tell)
    : catalogue_(catalogue), tell_(std::move(tell)) {}

void PoolCall::check(double now) {
  if (kPool.alive()) {
    delay_ = not_before_ = 0;
    return;
  }
  if (now < not_before_ || !call()) return;
  delay_ = std::clamp(2 * delay_, kFirstDelay, kLongestDelay);
  not_before_ = now + delay_;
}

bool PoolCall::call() {
  try {
    if (!catalogue_.pool_needed()) return false;
  } catch (const Error&) {  // that the catalogue is in trouble is told by who writes it
    return true;
  }
  try {
    kPool.start();
    told_.clear();
  } catch (const Error& error) {
    const std::string text = error.what();
    if (std::exchange(told_, text) != text)
      tell_("warning", "no pool is running to give devices to the runs that wait: " + text);
  }
  return true;
}

}  // namespace batchscope::run
