// SPDX-License-Identifier: Apache-2.0
#include "nodes/each_node.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include "batchscope/protocol/json.h"
#include "nodes/messages.h"
#include "nodes/node_command.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kLongestOfferLine = 1 << 20;

struct Started {
  std::string node;
  NodeCommand command;
  protocol::LineSplitter lines{kLongestOfferLine};
  bool open = true;
};

// Bytes that cannot be written have no reader, whose end comes by standard input.
void pass_on(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = TEMP_FAILURE_RETRY(write(descriptor, bytes.data(), bytes.size()));
    if (count < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void read_output(Started& one) {
  char bytes[1 << 14];
  const ssize_t count = read(one.command.output(), bytes, sizeof bytes);
  if (count == 0) one.open = false;
  if (count < 0) return;
  for (const std::string& line : one.lines.feed({bytes, static_cast<std::size_t>(count)}))
    pass_on(STDOUT_FILENO, line + "\n");
}

// False where there is no more of it.
bool copy_input(const std::vector<std::unique_ptr<Started>>& started) {
  char bytes[1 << 12];
  const ssize_t count = TEMP_FAILURE_RETRY(read(STDIN_FILENO, bytes, sizeof bytes));
  for (const auto& one : started)
    if (count > 0)
      pass_on(one->command.input(), {bytes, static_cast<std::size_t>(count)});
    else
      one->command.close_input();
  return count > 0;
}

int code_of(const Started& one) {
  int status = 0;
  TEMP_FAILURE_RETRY(waitpid(one.command.pid(), &status, 0));
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code != 0)
    std::fprintf(stderr, "batchscope-node: the command for node %s ended with exit code %d\n",
                 one.node.c_str(), code);
  return code;
}

}  // namespace

std::vector<std::string> serve_command(const protocol::NodeHost& node, const std::vector<std::string>& by,
                                       const std::string& program) {
  std::vector<std::string> command =
      by.empty() ? std::vector<std::string>{"ssh", "-T", "-o", "BatchMode=yes"} : by;
  command.insert(command.end(), {node.host, program, "serve", "--name", node.node});
  return command;
}

int serve_on_each(const std::vector<protocol::NodeHost>& nodes, const std::vector<std::string>& by,
                  const std::string& program) {
  std::vector<std::unique_ptr<Started>> started;
  for (const protocol::NodeHost& node : nodes)
    started.push_back(std::unique_ptr<Started>(
        new Started{node.node, NodeCommand(serve_command(node, by, program), "--by")}));
  bool input = true;
  for (;;) {
    std::vector<pollfd> descriptors{{input ? STDIN_FILENO : -1, POLLIN, 0}};
    bool open = false;
    for (const auto& one : started) {
      descriptors.push_back({one->open ? one->command.output() : -1, POLLIN, 0});
      open = open || one->open;
    }
    if (!open) break;
    poll(descriptors.data(), descriptors.size(), -1);
    if (descriptors[0].revents != 0) input = copy_input(started);
    for (std::size_t i = 0; i < started.size(); ++i)
      if (descriptors[i + 1].revents != 0) read_output(*started[i]);
  }
  int first = 0;
  for (const auto& one : started)
    if (const int code = code_of(*one); first == 0) first = code;
  return first;
}

}  // namespace batchscope::run
