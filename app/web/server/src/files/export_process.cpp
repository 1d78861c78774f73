// SPDX-License-Identifier: Apache-2.0
#include "files/export_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"

extern char** environ;

namespace batchscope::web {
namespace {

using common::say;

constexpr std::size_t kMostRead = 64 << 10;  // bytes, what a pipe holds
constexpr int kTurn = 100;                   // ms, behind which it is looked whether to stop

int waited_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

ExportProcess::ExportProcess(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::io, std::string("cannot make a pipe: ") + std::strerror(errno));
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int fault = ::posix_spawn(&pid_, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  output_ = ends[0];
  if (fault == 0) return;
  ::close(output_);
  throw Error(ErrorKind::io, "cannot start " + program + ": " + std::strerror(fault));
}

ExportProcess::~ExportProcess() {
  ::close(output_);
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  waited_for(pid_);
}

std::string ExportProcess::read(const std::atomic<bool>& stop) {
  std::string bytes(kMostRead, '\0');
  while (!stop) {
    pollfd output{output_, POLLIN, 0};
    if (::poll(&output, 1, kTurn) <= 0) continue;
    const ssize_t count = ::read(output_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) {
      bytes.resize(static_cast<std::size_t>(count));
      return bytes;
    }
    if (pid_ < 0) return {};
    const int status = waited_for(std::exchange(pid_, -1));
    if (count == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    throw Error(ErrorKind::failure, say("`batchscope export` has failed; run it in a terminal to see why"));
  }
  throw Error(ErrorKind::failure, "the server is ending");
}

}  // namespace batchscope::web
