// SPDX-License-Identifier: Apache-2.0
#include "command_line/spec_options.h"

#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/run_spec.h"

namespace batchscope::cli {
namespace {

// Refuses texts for which `read` throws. An empty one is refused by CommandSet::checkValues.
CLI::Validator readable(const std::function<void(const std::string&)>& read) {
  return {[read](const std::string& text) {
            try {
              if (!text.empty()) read(text);
              return std::string();
            } catch (const Error& error) {
              return std::string(error.what());
            }
          },
          ""};
}

}  // namespace

CLI::Validator replicaText() {
  return readable([](const std::string& text) { protocol::ReplicaCount::parse(text); });
}

CLI::Validator timeText() {
  return readable([](const std::string& text) { protocol::parse_duration(text); });
}

CLI::Validator eventText() {
  return readable([](const std::string& text) { protocol::Trigger::parse(text); });
}

CLI::Validator deviceName() {
  return readable([](const std::string& text) { protocol::check_devices({text}); });
}

CLI::Validator deviceKind() {
  return readable([](const std::string& text) { protocol::check_device_kind(text); });
}

}  // namespace batchscope::cli
