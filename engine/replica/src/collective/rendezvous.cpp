// SPDX-License-Identifier: Apache-2.0
//
// The rendezvous of hub and spokes. In a directory the hub leaves its address and a token in a file named by
// the generation, since no generation may see an earlier one's. Whoever made the directory removes it, and
// with it what a hub that was killed leaves. At a port there is nothing to leave: the hub listens there. The
// token is a secret from the environment, where there is one, and what generation this is, so that nobody
// joins another one's; without a secret it keeps out nobody else.
#include "collective/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/time_outs.h"
#include "collective/small_collectives.h"

namespace batchscope::replica {
namespace {

namespace fs = std::filesystem;
namespace variable = protocol::variable;

// A spoke looks for the hub so often where there are few of them; where there are more, all together look no
// more often, since they would take the processors from the hub that they wait for.
constexpr std::chrono::microseconds kLook{200};
constexpr int kLookers = 8;

class Directory {
 public:
  explicit Directory(const protocol::Environment& environment)
      : folder_(environment.rendezvous_dir),
        file_(folder_ / fmt::format("hub-{}", environment.num_restarts)),
        pause_(kLook * std::max(1, environment.num_replicas / kLookers)) {
    std::error_code error;
    if (!fs::is_directory(folder_, error)) refuse(error ? error.message() : "it is not a directory");
  }

  std::string hub(int generation) const {
    const std::string path = folder_ / fmt::format("hub-{}.socket", generation);
    return fits_unix_socket(path) ? "unix:" + path : "tcp:127.0.0.1";
  }

  // Whole or not at all.
  void publish(const std::string& address) const {
    const fs::path half = file_.string() + ".partial";
    std::error_code error;
    if (!(std::ofstream(half) << address).flush()) refuse("it cannot be written");
    fs::permissions(half, fs::perms::owner_read | fs::perms::owner_write, error);
    fs::rename(half, file_, error);
    if (error) refuse(error.message());
  }

  std::string look_up(std::chrono::milliseconds timeout) const {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (std::chrono::steady_clock::now() < deadline) {
      std::string address;
      if (std::getline(std::ifstream(file_), address)) return address;
      std::this_thread::sleep_for(pause_);
    }
    throw Error(ErrorKind::timeout,
                fmt::format("replica 0 did not appear within {} s: see its log for why it did not start",
                            std::chrono::duration<double>(timeout).count()));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot meet at {}: {}", variable::kRendezvousDir, file_.string(), why));
  }

  fs::path folder_, file_;
  std::chrono::microseconds pause_;  // between two looks for the hub
};

SmallCollectives::Rendezvous at_port(const protocol::Environment& environment) {
  if (environment.master_port == 0)
    throw Error(ErrorKind::usage, fmt::format("{}={} needs a place to meet: set {} (or {} on one machine)",
                                              variable::kNumReplicas, environment.num_replicas,
                                              variable::kMasterPort, variable::kRendezvousDir));
  SmallCollectives::Rendezvous rendezvous;
  rendezvous.hub = "tcp:" + environment.master_address;
  rendezvous.port = environment.master_port;
  rendezvous.token = fmt::format("{} generation {} of {}", environment.rendezvous_token,
                                 environment.num_restarts, environment.num_replicas);
  rendezvous.publish = [](const std::string&) {};
  rendezvous.look_up = [all = fmt::format("{} {}:{}", rendezvous.token, rendezvous.hub, rendezvous.port)] {
    return all;
  };
  return rendezvous;
}

}  // namespace

bool one_machine(const protocol::Environment& environment) {
  const std::string& master = environment.master_address;
  return environment.num_nodes == 1 && (!environment.rendezvous_dir.empty() || master == "localhost" ||
                                        master == "::1" || master.starts_with("127."));
}

bool in_directory(const protocol::Environment& environment) {
  return environment.num_nodes == 1 && !environment.rendezvous_dir.empty();
}

std::chrono::milliseconds meeting_time(const protocol::Environment& environment,
                                       std::chrono::milliseconds timeout) {
  if (environment.meeting_timeout > 0)
    return std::chrono::milliseconds(std::llround(environment.meeting_timeout * 1000));
  return one_machine(environment)
             ? timeout
             : std::max<std::chrono::milliseconds>(timeout, protocol::time_out::kMeeting);
}

std::shared_ptr<SmallCollectives> meet(const protocol::Environment& environment,
                                       std::chrono::milliseconds timeout) {
  SmallCollectives::Rendezvous rendezvous;
  const std::chrono::milliseconds meeting = meeting_time(environment, timeout);
  if (in_directory(environment)) {
    const Directory directory(environment);
    rendezvous.hub = directory.hub(environment.num_restarts);
    rendezvous.publish = [=](const std::string& address) { directory.publish(address); };
    rendezvous.look_up = [=] { return directory.look_up(meeting); };
  } else {
    rendezvous = at_port(environment);
  }
  rendezvous.rank = environment.replica_rank;
  rendezvous.size = environment.num_replicas;
  rendezvous.meeting = meeting;
  rendezvous.timeout = timeout;
  try {
    return std::make_shared<SmallCollectives>(rendezvous);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::timeout || environment.num_nodes == 1 ||
        !leads_to_loopback(environment.master_address))
      throw;
    throw Error(error.kind(),
                fmt::format("{} ({}={} is an address of this machine alone, which other nodes cannot reach: "
                            "set one that they reach)",
                            error.what(), variable::kMasterAddress, environment.master_address));
  }
}

}  // namespace batchscope::replica
