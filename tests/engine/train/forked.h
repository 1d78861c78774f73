// SPDX-License-Identifier: Apache-2.0
//
// Generations of replicas, forked from the program that calls this as a fork server forks them: loading
// LibTorch takes half a second, forking a loaded program some milliseconds. The program must have a single
// thread (OPENBLAS_NUM_THREADS=1) and have run no tensor operation.
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "batchscope/protocol/environment.h"
#include "replica_main.h"

namespace batchscope::testing {

struct Generation {
  int number = 0, replicas = 1;
  std::string triggers = {};
};

// Returns for each rank {"code": exit code, -1 for a signal; "lines": the JSON objects it printed}. They
// share the program's checkpoint path; `work` is replica_main's.
template <class Work>
protocol::Json fork_replicas(const Generation& generation, Work work) {
  std::string meeting = (std::filesystem::temp_directory_path() / "meeting-XXXXXX").string();
  if (!mkdtemp(meeting.data())) throw Error(ErrorKind::io, "no directory to meet in: " + meeting);
  std::vector<pid_t> children;
  std::vector<int> outputs;
  for (int rank = 0; rank < generation.replicas; ++rank) {
    protocol::Environment environment = protocol::Environment::from_process();
    environment.num_replicas = generation.replicas;
    environment.replica_rank = rank;
    environment.num_restarts = generation.number;
    environment.triggers = generation.triggers;
    environment.rendezvous_dir = meeting;
    outputs.push_back(memfd_create("output", 0));
    children.push_back(fork());
    if (children.back() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(outputs.back(), STDOUT_FILENO);
    for (const auto& [name, value] : environment.to_variables()) setenv(name.c_str(), value.c_str(), 1);
    end_process(replica_main(work));
  }
  protocol::Json all = protocol::Json::array();
  for (std::size_t rank = 0; rank < children.size(); ++rank) {
    int status = 0;
    waitpid(children[rank], &status, 0);
    if (WIFSIGNALED(status))
      std::fprintf(stderr, "replica %zu ended by a signal: %s\n", rank, strsignal(WTERMSIG(status)));
    std::string text(static_cast<std::size_t>(lseek(outputs[rank], 0, SEEK_END)), '\0');
    if (pread(outputs[rank], text.data(), text.size(), 0) < 0) text.clear();
    close(outputs[rank]);
    protocol::Json lines = protocol::Json::array();
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(protocol::Json::parse(line));
    all.push_back({{"code", WIFEXITED(status) ? WEXITSTATUS(status) : -1}, {"lines", lines}});
  }
  std::filesystem::remove_all(meeting);
  return all;
}

}  // namespace batchscope::testing
