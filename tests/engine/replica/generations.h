// SPDX-License-Identifier: Apache-2.0
//
// A program, the replicas of each generation in processes of their own that are forked from the test.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/process_group.h"
#include "session/leave.h"

namespace batchscope::testing {

class Program {
 public:
  using Json = protocol::Json;

  struct Ended {
    int code = -1;           // -1: by a signal
    std::vector<Json> said;  // by say()
  };

  // Runs this as the next generation. What it throws is said as {"error": ..}, and it ends with exit code 1.
  template <class Work>
  Ended run(Work work, const ProcessGroupOptions& options = {}) {
    return run_replicas(1, work, options).front();
  }

  // The same on so many replicas, by rank.
  template <class Work>
  std::vector<Ended> run_replicas(int replicas, Work work, const ProcessGroupOptions& options = {}) {
    const std::string meeting = path(("meeting-" + std::to_string(generation_)).c_str());
    std::filesystem::create_directory(meeting);
    std::fflush(nullptr);  // the processes share what is not written yet
    std::vector<pid_t> children;
    std::vector<int> lines;
    for (int rank = 0; rank < replicas; ++rank) {
      int line[2];
      if (::pipe2(line, O_CLOEXEC) != 0) qFatal("no pipe");
      children.push_back(::fork());
      if (children.back() == 0) {
        line_ = line[1];
        variables[protocol::variable::kCheckpointPath] = path("checkpoints");
        variables[protocol::variable::kNumRestarts] = std::to_string(generation_);
        variables[protocol::variable::kNumReplicas] = std::to_string(replicas);
        variables[protocol::variable::kReplicaRank] = std::to_string(rank);
        if (replicas > 1) variables[protocol::variable::kRendezvousDir] = meeting;
        for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
        try {
          start(options);
          work();
        } catch (const std::exception& error) {
          say({{"error", error.what()}});
          replica::leave(1);
        }
        replica::leave(0);
      }
      ::close(line[1]);
      lines.push_back(line[0]);
    }
    ++generation_;
    std::vector<Ended> all;
    for (std::size_t rank = 0; rank < children.size(); ++rank)
      all.push_back(ended(children[rank], lines[rank]));
    return all;
  }

  // In the process of a generation.
  static void say(const Json& json) {
    const std::string text = json.dump() + "\n";
    if (::write(line_, text.data(), text.size()) != std::ssize(text)) ::_exit(99);
  }

  std::string path(const char* name) const { return directory_.filePath(name).toStdString(); }
  protocol::Manifest newest() const {
    return protocol::verify_checkpoint(protocol::list_checkpoints(path("checkpoints")).at(0));
  }

  std::map<std::string, std::string> variables;  // of the next generations
  std::function<void(const ProcessGroupOptions&)> start = [](const auto& options) { init_replica(options); };

 private:
  static Ended ended(pid_t child, int line) {
    std::string text;
    char block[65536];
    for (ssize_t n = 0; (n = ::read(line, block, sizeof block)) > 0;) text.append(block, block + n);
    ::close(line);
    int status = 0;
    ::waitpid(child, &status, 0);
    Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}};
    std::istringstream said(text);
    for (std::string one; std::getline(said, one);) ended.said.push_back(Json::parse(one));
    return ended;
  }

  static inline int line_ = -1;
  QTemporaryDir directory_;
  int generation_ = 0;
};

// Returns the error of a program that does this.
inline std::string refusal(const std::function<void()>& work) {
  const auto ended = Program().run(work);
  return ended.said.empty() ? "nothing was thrown" : ended.said.back().value("error", "nothing was thrown");
}

// The same inside an epoch.
inline std::string refusal_in_epoch(const std::function<void()>& work) {
  return refusal([&] {
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) work();
  });
}

}  // namespace batchscope::testing
