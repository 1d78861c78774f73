// SPDX-License-Identifier: Apache-2.0
//
// When to fork, when to execute, and when to start a new server.
#include "launch/fork_launcher.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"

namespace batchscope::run {
namespace {

bool allowed(const ReplicaOrder& program) {
  const auto found = program.environment.find(protocol::variable::kForkServer);
  return found == program.environment.end() || found->second != "off";
}

}  // namespace

ForkLauncher::ForkLauncher(ReplicaOrder program, std::chrono::milliseconds start_limit)
    : program_(std::move(program)), start_limit_(start_limit), allowed_(allowed(program_)) {
  patience_.setSingleShot(true);
  QObject::connect(&patience_, &QTimer::timeout, &patience_, [this] {
    if (!server_ || server_->ready()) return;
    kill(server_->pid(), SIGKILL);
    answered(fmt::format("it did not call init_process_group() within {} s",
                         std::chrono::duration<double>(start_limit_).count()));
  });
}

void ForkLauncher::prepare(std::function<void()> then) {
  then_ = std::move(then);
  if (!allowed_)
    on_news("debug",
            std::string("replicas are executed, not forked: ") + protocol::variable::kForkServer + "=off");
  else if (!serves())
    on_news("debug",
            "replicas are executed, not forked, until the program says that it can be a fork server");
  start_server();
  if (!server_) settled();
}

void ForkLauncher::offered() {
  if (std::exchange(offered_, true) || server_) return;
  start_server();
}

bool ForkLauncher::serves() const { return offered_ || knows_fork_server(program_.program); }

// Returns the identity of the program, and for an interpreter that serves also of its script, the first of
// its arguments that is a file: those behind it may be what the script writes.
std::vector<FileIdentity> ForkLauncher::identity() const {
  std::vector<FileIdentity> files{identify(program_.program)};
  if (!offered_) return files;
  for (const std::string& argument : program_.arguments)
    if (const FileIdentity file = identify(std::filesystem::path(program_.working_directory) / argument);
        file != FileIdentity()) {
      files.push_back(file);
      break;
    }
  return files;
}

void ForkLauncher::start_server() {
  const std::vector<FileIdentity> files = identity();
  if (!allowed_ || files == refused_ || !serves()) return;
  files_ = files;
  used_ = false;
  try {
    server_ = std::make_unique<ForkServer>(program_);
  } catch (const Error& error) {
    answered(error.what());
    return;
  }
  server_->on_answer = [this](const std::string& refusal) { answered(refusal); };
  patience_.start(start_limit_);
}

void ForkLauncher::answered(const std::string& refusal) {
  if (!refusal.empty()) {
    server_.reset();
    refused_ = files_;
    on_news("info", "replicas are executed, not forked: the program cannot be a fork server: " + refusal);
  } else if (!then_) {
    on_news("debug", "a new fork server is ready");
  }
  settled();
}

void ForkLauncher::settled() {
  if (then_) QTimer::singleShot(0, &patience_, std::exchange(then_, nullptr));
}

bool ForkLauncher::stands() const { return server_ && server_->ready() && identity() == files_; }

std::vector<pid_t> ForkLauncher::launch(const std::vector<ReplicaOrder>& orders) {
  if (stands()) {
    try {
      std::vector<pid_t> pids = server_->fork(orders);
      used_ = true;
      return pids;
    } catch (const Error& error) {
      on_news("warning", std::string(error.what()) + "; this generation is executed");
      kill(server_->pid(), SIGKILL);  // late orders must find nobody
      server_.reset();
    }
  }
  const std::vector<pid_t> pids = exec_.launch(orders);
  const bool loading = server_ && !server_->ready() && identity() == files_;
  if (!loading) {
    server_.reset();
    start_server();
  }
  return pids;
}

bool ForkLauncher::take_exited(pid_t pid, int status) {
  if (!server_ || server_->pid() != pid) return false;
  if (!server_->ready()) server_->take_answer();  // a refusal, or its end
  if (!server_) return true;
  on_news("warning", WIFSIGNALED(status)
                         ? fmt::format("the fork server was killed by signal {}", WTERMSIG(status))
                         : fmt::format("the fork server exited with code {}", WEXITSTATUS(status)));
  server_.reset();
  if (used_) start_server();  // at most once a generation; launch makes up for the rest
  return true;
}

}  // namespace batchscope::run
