// SPDX-License-Identifier: Apache-2.0
//
// fork and exec, with what a program cannot be asked to do for itself in between: a session, a log and a
// working directory of its own, none of the signal settings that the supervisor made for itself, and SIGTERM
// (checkpoint and leave) when the supervisor dies, which a program without telemetry would not notice.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "launch/launcher.h"

namespace batchscope::run {
namespace {

constexpr int kAboveInherited = 10;  // descriptors that programs get have smaller numbers

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

bool set_descriptors(const ReplicaOrder& order, const std::optional<Inherited>& inherited) {
  const int input = open("/dev/null", O_RDONLY),
            log = open(order.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (input < 0 || log < 0) return false;
  for (const auto& [ours, its] : {Inherited{input, 0}, Inherited{log, 1}, Inherited{log, 2}})
    if (dup2(ours, its) < 0) return false;
  for (const int ours : {input, log})
    if (ours > 2) close(ours);
  if (!inherited) return true;
  // dup2 would leave it to be closed by exec where both are the same.
  return inherited->ours == inherited->its ? fcntl(inherited->its, F_SETFD, 0) == 0
                                           : dup2(inherited->ours, inherited->its) >= 0;
}

// Has this process heed all signals as the system does, but for those that wait.
void reset_signals(const std::vector<int>& blocked) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : blocked) sigaddset(&mask, number);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

// Runs in the child, which has one thread: nothing here may wait for another's lock. Returns only where it
// fails.
void become(const ReplicaOrder& order, const std::optional<Inherited>& inherited,
            const std::vector<int>& blocked, pid_t supervisor, char* const* arguments,
            char* const* environment) {
  setsid();
  reset_signals(blocked);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != supervisor) _exit(1);  // it died before that
  if (set_descriptors(order, inherited) && chdir(order.working_directory.c_str()) == 0)
    execve(order.program.c_str(), arguments, environment);
}

// Reads the error that the child writes before it gives up; 0 where exec closed its end.
int failure_of(int reports) {
  int error = 0;
  TEMP_FAILURE_RETRY(read(reports, &error, sizeof error));
  return error;
}

}  // namespace

pid_t spawn(const ReplicaOrder& order, const std::optional<Inherited>& inherited,
            const std::vector<int>& blocked) {
  std::vector<std::string> arguments{order.program};
  arguments.insert(arguments.end(), order.arguments.begin(), order.arguments.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : order.environment) environment.push_back(name + "=" + value);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);

  const auto fail = [&](int error) {
    throw Error(error == ENOENT ? ErrorKind::not_found : ErrorKind::io,
                "cannot start " + order.program + " in " + order.working_directory + " with its log in " +
                    order.log.string() + ": " + std::strerror(error));
  };
  int reports[2];
  if (pipe2(reports, O_CLOEXEC) != 0) fail(errno);
  const pid_t supervisor = getpid(), pid = fork();
  if (pid == 0) {
    const int report = fcntl(reports[1], F_DUPFD_CLOEXEC, kAboveInherited);
    become(order, inherited, blocked, supervisor, argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(report, &error, sizeof error);
    _exit(127);
  }
  const int forked = pid < 0 ? errno : 0;
  close(reports[1]);
  const int error = forked ? forked : failure_of(reports[0]);
  close(reports[0]);
  if (pid > 0 && error != 0) waitpid(pid, nullptr, 0);
  if (error != 0) fail(error);
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
