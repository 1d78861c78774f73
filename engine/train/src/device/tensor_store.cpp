// SPDX-License-Identifier: Apache-2.0
#include "device/tensor_store.h"

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
#include "batchscope/replica/collective.h"
#include "collective/rendezvous.h"

namespace batchscope::train {

using namespace replica;

namespace {

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

// Named by the generation: a file store must never see the keys of an earlier one.
c10::intrusive_ptr<c10d::Store> in_files(const protocol::Environment& environment) {
  const std::string path = environment.rendezvous_dir + "/store-" + std::to_string(environment.num_restarts);
  std::ofstream(path, std::ios::app);  // c10d looks for a file that is not there every ten milliseconds too
  return c10::make_intrusive<EagerStore>(
      c10::make_intrusive<c10d::FileStore>(path, environment.num_replicas));
}

c10::intrusive_ptr<c10d::Store> at_port(const protocol::Environment& environment,
                                        std::chrono::milliseconds timeout) {
  const bool serves = environment.replica_rank == 0;
  const auto open = [&](std::int64_t port) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(port);
    options.isServer = serves;
    options.waitWorkers = false;
    // LibTorch 2 asks for libuv where it is told nothing, and Debian's was built without.
    [](auto& any) {
      if constexpr (requires { any.useLibUV; }) any.useLibUV = false;
    }(options);
    options.timeout = timeout;
    return c10::make_intrusive<c10d::TCPStore>(environment.master_address, options);
  };
  c10::intrusive_ptr<c10d::TCPStore> store;
  if (serves) store = open(0);
  const auto port = collective::broadcast<std::int64_t>("port of tensors", store ? store->getPort() : 0);
  return store ? store : open(port);
}

}  // namespace

c10::intrusive_ptr<c10d::Store> open_tensor_store(const protocol::Environment& environment,
                                                  std::chrono::milliseconds timeout) try {
  const auto store = in_directory(environment) ? in_files(environment) : at_port(environment, timeout);
  store->setTimeout(timeout);
  return store;
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {
  throw Error(
      ErrorKind::io,
      std::string("the replicas cannot open the store through which they exchange tensors: ") + error.what());
}

}  // namespace batchscope::train
