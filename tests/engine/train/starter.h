// SPDX-License-Identifier: Apache-2.0
//
// Starts replicas by forks of a train-replica that has loaded LibTorch: loading takes half a second of a
// core, a fork some milliseconds, and tests start hundreds. The starter is exec'ed, never forked from the
// test: a process that ran tensor operations cannot be. It ends with the test, whose pipe it reads.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QCoreApplication>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::testing {

class Starter {
 public:
  using Variables = std::map<std::string, std::string>;

  // `at_load`: variables that libraries read when they are loaded.
  explicit Starter(Variables at_load = {}) {
    at_load.insert({"OPENBLAS_NUM_THREADS", "1"});  // a process with more threads cannot be forked
    std::vector<std::string> variables;
    for (char** variable = environ; *variable; ++variable) {
      const std::string text = *variable;
      if (!at_load.contains(text.substr(0, text.find('=')))) variables.push_back(text);
    }
    for (const auto& [name, value] : at_load) variables.push_back(name + "=" + value);
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);

    std::string program = QCoreApplication::applicationDirPath().toStdString() + "/train-replica";
    std::string word = "start";
    char* const arguments[] = {program.data(), word.data(), nullptr};
    int requests[2], answers[2];
    if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) qFatal("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
    if (posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environment.data()) != 0)
      qFatal("%s does not start", program.c_str());
    posix_spawn_file_actions_destroy(&actions);
    close(requests[0]);
    close(answers[1]);
    requests_ = fdopen(requests[1], "w");
    answers_ = fdopen(answers[0], "r");
  }
  ~Starter() {
    fclose(requests_);
    fclose(answers_);
    waitpid(process_, nullptr, 0);
  }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  // The one that a test program shares.
  static Starter& shared() {
    static Starter starter;
    return starter;
  }

  // Starts a replica that writes into the folder's files `output` and `errors`; returns its process id.
  pid_t start(const std::vector<std::string>& arguments, const Variables& variables,
              const std::string& folder) {
    return ask({{"arguments", arguments}, {"variables", variables}, {"folder", folder}});
  }

  // Waits for a replica's end, and kills it where that does not come in time. Returns its status, as waitpid
  // has it.
  int wait(pid_t replica, int timeout_ms) {
    pollfd end{static_cast<int>(syscall(SYS_pidfd_open, replica, 0)), POLLIN, 0};
    if (poll(&end, 1, timeout_ms) == 0) kill(replica, SIGKILL);
    close(end.fd);
    return ask({{"ended", replica}});
  }

 private:
  int ask(const protocol::Json& request) {
    std::fprintf(requests_, "%s\n", request.dump().c_str());
    std::fflush(requests_);
    int answer = 0;
    if (std::fscanf(answers_, "%d", &answer) != 1) qFatal("train-replica start has ended");
    return answer;
  }

  pid_t process_ = 0;
  std::FILE *requests_ = nullptr, *answers_ = nullptr;
};

}  // namespace batchscope::testing
