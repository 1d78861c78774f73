// SPDX-License-Identifier: Apache-2.0
//
// Starting a generation's replicas. The supervisor only knows this interface: the processes it gets are
// its descendants (it is a subreaper), each the leader of a session of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::run {

struct ReplicaOrder {
  std::string program;  // absolute path
  std::vector<std::string> arguments;
  std::string working_directory;
  std::map<std::string, std::string> environment;  // the whole of it
  std::filesystem::path log;                       // standard output and error
  std::string node = {};                           // where, by its name; empty: here
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Process ids in the order of the orders. Throws Error(not_found | io) naming the program or the file; then
  // none is left running.
  virtual std::vector<pid_t> launch(const std::vector<ReplicaOrder>& orders) = 0;
};

// Executes the program once, without a shell. `inherited`: a descriptor of ours, and the number under which
// the program gets it. `blocked`: signals that wait until the program takes them; by the others it is ended
// from its first moment. Throws as launch does.
struct Inherited {
  int ours;
  int its;
};
pid_t spawn(const ReplicaOrder& order, const std::optional<Inherited>& inherited = {},
            const std::vector<int>& blocked = {});

// Executes the program once for each replica, without a shell.
class ExecLauncher final : public Launcher {
 public:
  std::vector<pid_t> launch(const std::vector<ReplicaOrder>& orders) override;
};

}  // namespace batchscope::run
