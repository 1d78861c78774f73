// SPDX-License-Identifier: Apache-2.0
//
// Opening the store and meeting through it.
#include "device/rendezvous.h"

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "batchscope/protocol/error.h"
#include "collective/star.h"

namespace batchscope {
namespace {

constexpr char kStarKey[] = "batchscope/star";

std::string seconds(std::chrono::milliseconds timeout) {
  return std::to_string(std::chrono::duration<double>(timeout).count()) + " s";
}

// Looks for what is not there yet every fifth of a millisecond. A file store by itself looks every ten, and a
// group needs several keys.
class EagerStore final : public c10d::PrefixStore {
 public:
  explicit EagerStore(c10::intrusive_ptr<c10d::Store> store) : PrefixStore("batchscope", std::move(store)) {}

  std::vector<std::uint8_t> get(const std::string& key) override {
    await({key}, getTimeout());
    return PrefixStore::get(key);
  }
  void wait(const std::vector<std::string>& keys) override { wait(keys, getTimeout()); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    await(keys, timeout);
    PrefixStore::wait(keys, timeout);
  }

 private:
  void await(const std::vector<std::string>& keys, std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!check(keys) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
};

// Whoever made the rendezvous directory removes it, and with it what a hub that was killed leaves.
std::string hub_place(const protocol::Environment& environment) {
  if (environment.rendezvous_dir.empty() || environment.num_nodes > 1)
    return "tcp:" + environment.master_address;
  const std::string path = environment.rendezvous_dir + "/star-" + std::to_string(environment.num_restarts);
  return fits_unix_socket(path) ? "unix:" + path : "tcp:127.0.0.1";
}

}  // namespace

bool one_machine(const protocol::Environment& environment) {
  const std::string& master = environment.master_address;
  return environment.num_nodes == 1 && (!environment.rendezvous_dir.empty() || master == "localhost" ||
                                        master == "::1" || master.starts_with("127."));
}

c10::intrusive_ptr<c10d::Store> open_store(const protocol::Environment& environment,
                                           std::chrono::milliseconds timeout) {
  namespace variable = protocol::variable;
  c10::intrusive_ptr<c10d::Store> store;
  if (!environment.rendezvous_dir.empty() && environment.num_nodes == 1) {
    // Named by the generation: a file store must never see the keys of an earlier one.
    const std::string path =
        environment.rendezvous_dir + "/store-" + std::to_string(environment.num_restarts);
    std::ofstream(path, std::ios::app);  // c10d looks for a file that is not there every ten milliseconds too
    try {
      store = c10::make_intrusive<EagerStore>(
          c10::make_intrusive<c10d::FileStore>(path, environment.num_replicas));
    } catch (const std::exception& error) {
      throw Error(ErrorKind::io,
                  std::string(variable::kRendezvousDir) + ": cannot meet at " + path + ": " + error.what());
    }
  } else {
    if (environment.master_port == 0)
      throw Error(ErrorKind::usage, std::string(variable::kNumReplicas) + "=" +
                                        std::to_string(environment.num_replicas) +
                                        " needs a place to meet: set " + variable::kMasterPort + " (or " +
                                        variable::kRendezvousDir + " on one machine)");
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(environment.master_port);
    options.isServer = environment.replica_rank == 0;
    options.waitWorkers = false;
    options.timeout = timeout;
    const std::string place = environment.master_address + ":" + std::to_string(environment.master_port);
    try {
      store = c10::make_intrusive<c10d::TCPStore>(environment.master_address, options);
    } catch (const std::exception& error) {
      if (options.isServer)
        throw Error(ErrorKind::io, "replica 0 cannot listen at " + place + ": " + error.what());
      throw Error(ErrorKind::timeout, "replica 0 did not appear at " + place + " within " + seconds(timeout) +
                                          ": " + error.what());
    }
  }
  store->setTimeout(timeout);
  return store;
}

std::shared_ptr<Star> meet(c10d::Store& store, const protocol::Environment& environment,
                           std::chrono::milliseconds timeout) {
  Star::Meeting meeting;
  meeting.rank = environment.replica_rank;
  meeting.size = environment.num_replicas;
  meeting.hub = hub_place(environment);
  meeting.timeout = timeout;
  meeting.publish = [&](const std::string& address) {
    store.set(kStarKey, std::vector<std::uint8_t>(address.begin(), address.end()));
  };
  meeting.look_up = [&] {
    try {
      const auto address = store.get(kStarKey);
      return std::string(address.begin(), address.end());
    } catch (const std::exception&) {
      throw Error(ErrorKind::timeout, "replica 0 did not appear within " + seconds(timeout) +
                                          ": see its log for why it did not start");
    }
  };
  return std::make_shared<Star>(meeting);
}

}  // namespace batchscope
