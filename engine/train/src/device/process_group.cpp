// SPDX-License-Identifier: Apache-2.0
#include "batchscope/train/process_group.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>

#include "adapt/timer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/collective.h"
#include "collective/rendezvous.h"
#include "collective/socket.h"
#include "device/address_space.h"
#include "device/backend.h"
#include "device/device_timer.h"
#include "device/onednn.h"
#include "device/rng_state.h"
#include "device/tensor_group.h"
#include "device/tensor_store.h"
#include "device/threads.h"
#include "session/start.h"

namespace batchscope {

using namespace replica;
using namespace train;
namespace {

void require_known(const std::string& backend) {
  if (backend != "auto" && backend != "gloo" && backend != "nccl")
    throw Error(ErrorKind::usage, "backend '" + backend + "': expected auto, gloo or nccl");
}

std::string choose_backend(const std::string& wanted, const protocol::Environment& environment) {
  const std::string& backend = wanted != "auto" ? wanted : environment.backend;
  require_known(backend);
  if (backend != "auto") return backend;
  return backend_for(collective::gather("GPU", gpu_name(replica_device())));
}

class LibTorch final : public Computing {
 public:
  explicit LibTorch(std::string backend) : backend_(std::move(backend)) {}

  std::string library() const override { return "LibTorch " TORCH_VERSION; }
  std::string device() const override { return replica_device().str(); }

  int set_threads(const protocol::Environment& environment) override {
    limit_onednn();
    return batchscope::set_threads(environment);
  }
  void use_threads(int threads) override { batchscope::use_threads(threads); }

  void take_device() override {
    const c10::Device device = replica_device();
    if (device.is_cpu()) return;
    if (device.is_cuda() && device.index() >= static_cast<int>(torch::cuda::device_count()))
      throw Error(
          ErrorKind::usage,
          "this replica is to compute on " + device.str() + ", but LibTorch " TORCH_VERSION " finds " +
              std::to_string(torch::cuda::device_count()) +
              " GPUs: `batchscope doctor` shows how LibTorch was built and which GPUs the machine has");
    c10::impl::getDeviceGuardImpl(device.type())->setDevice(device);
    if (auto timer = make_device_timer(device)) set_timer(std::move(timer));
  }

  std::string meet(const protocol::Environment& environment, std::chrono::milliseconds timeout) override {
    const std::string backend = choose_backend(backend_, environment);
    TensorGroup::Place place{environment.replica_rank, environment.num_replicas};
    place.timeout = timeout;
    if (!one_machine(environment)) place.address = address_towards(environment.master_address);
    set_tensor_group(make_tensor_group(backend, open_tensor_store(environment, timeout), place));
    return backend;
  }

  void begin(int threads) override { insist_on_room_for_blas(threads); }
  void load_states() override { load_rng_state(); }
  void restore() override { restore_generator(); }

 private:
  std::string backend_;
};

}  // namespace

void init_process_group(const ProcessGroupOptions& options) {
  require_known(options.backend);  // of a lone replica, too, whose run may be rescaled
  start_session(options, std::make_unique<LibTorch>(options.backend));
}

}  // namespace batchscope
