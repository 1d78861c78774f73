// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/replicas.h"

namespace batchscope::run {
namespace {

constexpr char kNodes[] = "BATCHSCOPE_NODES";
constexpr char kPerNode[] = "BATCHSCOPE_REPLICAS_PER_NODE";

std::string text(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

int number(const char* name, int fallback) {
  const std::string value = text(name);
  if (value.empty()) return fallback;
  int result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc{} || end != value.data() + value.size() || result < 1 ||
      result > protocol::kMostReplicas)
    throw Error(ErrorKind::usage, fmt::format("{}={}: expected a whole number from 1 to {}", name, value,
                                              protocol::kMostReplicas));
  return result;
}

bool yes_or_no(const char* name) {
  const std::string value = text(name);
  if (!value.empty() && value != "yes" && value != "no")
    throw Error(ErrorKind::usage, fmt::format("{}={}: expected yes or no", name, value));
  return value == "yes";
}

}  // namespace

std::vector<std::string> command_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

NodePlan NodePlan::from_environment(bool tls) {
  NodePlan plan;
  plan.nodes = number(kNodes, 1);
  plan.replicas_per_node = number(kPerNode, 0);
  plan.command = command_words(text(kNodeCommand));
  plan.tls = yes_or_no(kNodeTls) || tls;
  if (plan.several() && plan.command.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}={} needs {}: the command that starts batchscope-node serve on each "
                            "of the other nodes",
                            kNodes, plan.nodes, kNodeCommand));
  return plan;
}

NodeCommand::NodeCommand(const std::vector<std::string>& command, const std::string& given_by) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
    throw Error(ErrorKind::io,
                std::string("cannot open a pipe to the nodes' command: ") + std::strerror(errno));
  input_ = to[1];
  output_ = from[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&pid_, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(to[0]);
  close(from[1]);
  if (!error) return;
  close(input_);
  close(output_);
  throw Error(error == ENOENT ? ErrorKind::not_found : ErrorKind::io,
              fmt::format("cannot start {} ({}): {}", command[0], given_by, std::strerror(error)));
}

NodeCommand::~NodeCommand() {
  close_input();
  close(output_);
}

void NodeCommand::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

}  // namespace batchscope::run
