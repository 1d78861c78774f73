// SPDX-License-Identifier: Apache-2.0
#include "supervision/our_clock.h"

#include <type_traits>
#include <variant>

#include "batchscope/protocol/series.h"

namespace batchscope::run {

protocol::Message by_our_clock(protocol::Message message, double offset) {
  std::visit(
      [offset](auto& m) {
        using T = std::decay_t<decltype(m)>;
        if constexpr (requires { m.mono; }) m.mono += offset;
        if constexpr (requires { m.since; }) m.since += offset;
        if constexpr (requires { m.started; }) m.started += offset;
        if constexpr (std::is_same_v<T, protocol::CheckpointWritten>) {
          m.began += offset;
          if (m.last_step > 0) m.last_step += offset;  // 0: there was none
        }
        if constexpr (std::is_same_v<T, protocol::Steps>)
          if (const auto mono = m.columns.find(protocol::series::kMono); mono != m.columns.end())
            for (double& time : mono->second) time += offset;
      },
      message);
  return message;
}

}  // namespace batchscope::run
