// SPDX-License-Identifier: Apache-2.0
//
// scripted_writer in a process of its own, to be killed, and what it has said until then.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "script.h"

namespace batchscope::storage::test {

class WriterProcess {
 public:
  // `commits` 0: until it is killed.
  WriterProcess(const std::filesystem::path& file, std::uint64_t seed, int generation, Steps steps,
                unsigned commits = 0)
      : script_(seed, generation, steps) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const std::vector<std::string> words{SCRIPTED_WRITER,
                                         file.string(),
                                         std::to_string(seed),
                                         std::to_string(generation),
                                         steps == Steps::any ? "any" : "ascending",
                                         std::to_string(commits)};
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execv(SCRIPTED_WRITER, arguments.data());
      _exit(127);
    }
    close(ends[1]);
    reports_ = ends[0];
  }
  ~WriterProcess() {
    if (pid_ > 0) kill();
  }
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;

  void wait_for_first_commit() {
    while (said_.find('c') == std::string::npos && hear()) {
    }
  }

  // Waits until the writer ends by itself.
  void wait() {
    while (hear()) {
    }
    kill();
  }

  void kill() {
    ::kill(pid_, SIGKILL);
    while (hear()) {
    }
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
    close(reports_);
  }

  // After kill or wait. Adds what each commit added, calling visit() after each; true where there may be
  // one more, which was committed, or not, before the writer could say so.
  template <class Visit>
  bool replay(Contents& contents, Visit&& visit) {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = said_.find('c', begin)) != std::string::npos; begin = end + 1) {
      add_taken(contents, script_.next(), std::string_view(said_).substr(begin, end - begin));
      visit();
    }
    unsaid_ = said_.substr(begin);
    return !unsaid_.empty();
  }
  void add_unsaid(Contents& contents) { add_taken(contents, script_.next(), unsaid_); }

 private:
  bool hear() {
    char bytes[4096];
    const ssize_t n = read(reports_, bytes, sizeof bytes);
    if (n > 0) said_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  Script script_;
  pid_t pid_ = 0;
  int reports_ = -1;
  std::string said_, unsaid_;
};

}  // namespace batchscope::storage::test
