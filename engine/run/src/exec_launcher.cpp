// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn does what fork and exec would, without copying the supervisor's page tables, and reports a
// failed exec to its caller.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "launcher.h"

namespace batchscope::run {
namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// What the child does between fork and exec: standard input from nowhere, output into its log, its own
// working directory.
class FileActions {
 public:
  FileActions(const ReplicaOrder& order, const std::optional<Inherited>& inherited) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, 1, order.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(&actions_, 1, 2);
    if (inherited) posix_spawn_file_actions_adddup2(&actions_, inherited->ours, inherited->its);
    posix_spawn_file_actions_addchdir_np(&actions_, order.working_directory.c_str());
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// A session of its own, and none of the signal settings the supervisor made for itself.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

pid_t spawn(const ReplicaOrder& order, const std::optional<Inherited>& inherited) {
  const FileActions actions(order, inherited);
  const Attributes attributes;
  std::vector<std::string> arguments{order.program};
  arguments.insert(arguments.end(), order.arguments.begin(), order.arguments.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : order.environment) environment.push_back(name + "=" + value);

  pid_t pid = 0;
  const int error = posix_spawn(&pid, order.program.c_str(), actions.get(), attributes.get(),
                                pointers(arguments).data(), pointers(environment).data());
  if (error != 0)
    throw Error(error == ENOENT ? ErrorKind::not_found : ErrorKind::io,
                "cannot start " + order.program + " in " + order.working_directory + " with its log in " +
                    order.log.string() + ": " + std::strerror(error));
  return pid;
}

std::vector<pid_t> ExecLauncher::launch(const std::vector<ReplicaOrder>& orders) {
  std::vector<pid_t> pids;
  try {
    for (const ReplicaOrder& order : orders) pids.push_back(spawn(order));
  } catch (const Error&) {
    for (const pid_t pid : pids) {
      kill(-pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    throw;
  }
  return pids;
}

}  // namespace batchscope::run
