// SPDX-License-Identifier: Apache-2.0
#include "nodes/agent_command.h"

#include <unistd.h>

#include <cstddef>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/random_text.h"
#include "nodes/each_node.h"
#include "system/programs.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;  // an offer names every core
constexpr std::size_t kTokenDigits = 64;       // of 4 bits

}  // namespace

std::string agent_token() { return protocol::random_text(kTokenDigits); }

AgentCommand::AgentCommand(const std::vector<std::string>& command, const std::string& given_by,
                           const Welcome& welcome)
    : command_(command, given_by), output_(command_.output(), QSocketNotifier::Read), lines_(kLongestLine) {
  const std::string line = encode(welcome) + "\n";
  // One that does not take it has ended, which is told when it is reaped.
  [[maybe_unused]] const auto written = write(command_.input(), line.data(), line.size());
  QObject::connect(&output_, &QSocketNotifier::activated, &output_, [this] { read_output(); });
}

AgentCommand::AgentCommand(const protocol::NodeHost& node, const std::string& by, const Welcome& welcome)
    : AgentCommand(serve_command(node, command_words(by), (program_directory() / "batchscope-node").string()),
                   "batchscope pool --agents-by", welcome) {}

void AgentCommand::read_output() {
  char bytes[1 << 14];
  const ssize_t count = read(command_.output(), bytes, sizeof bytes);
  if (count == 0) output_.setEnabled(false);
  if (count <= 0) return;
  std::vector<std::string> lines;
  try {
    lines = lines_.feed({bytes, static_cast<std::size_t>(count)});
  } catch (const Error& error) {
    output_.setEnabled(false);
    on_trouble(std::string("the command that starts agents writes no lines: ") + error.what());
  }
  for (const std::string& line : lines) {
    NodeOffer offer;
    try {
      offer = decode_offer(line);
    } catch (const Error& error) {
      on_trouble(std::string("the command that starts agents wrote a line that is not an offer of a node: ") +
                 error.what());
      continue;
    }
    try {
      on_offer(std::move(offer));
    } catch (const Error& error) {
      on_trouble(std::string("an agent that came is left out: ") + error.what());
    }
  }
}

}  // namespace batchscope::run
