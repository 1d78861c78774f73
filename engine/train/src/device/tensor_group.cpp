// SPDX-License-Identifier: Apache-2.0
//
// Gloo and NCCL behind TensorGroup. A process group is held by its own type, so that this file reads the
// same for LibTorch 1.13 (ProcessGroup) and 2.x (Backend).
#include "device/tensor_group.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#if defined(USE_C10D_GLOO) && __has_include(<gloo/rendezvous/store.h>)
#define BATCHSCOPE_GLOO 1
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "batchscope/protocol/error.h"
#include "process/session.h"
#include "report/failure.h"
#include "report/telemetry_client.h"

namespace batchscope::train {

using namespace replica;

namespace {

// c10d throws std::runtime_error for both; only the text tells a time-out.
[[noreturn]] void rethrow(const std::exception& error) {
  const std::string text = error.what();
  const bool timeout = text.find("imed out") != std::string::npos || text.find("imeout") != std::string::npos;
  const Error named(timeout ? ErrorKind::timeout : ErrorKind::failure,
                    std::string(timeout ? "another replica did not join the exchange of tensors in time: "
                                        : "the exchange of tensors with another replica failed: ") +
                        text);
  tell_peer_failure(named);
  throw named;
}

template <class Group>
class GroupOf : public TensorGroup {
 public:
  GroupOf(c10::intrusive_ptr<Group> group, std::string backend)
      : group_(std::move(group)), backend_(std::move(backend)) {}

  Pending all_reduce(at::Tensor tensor) override {
    return start(std::move(tensor), [this](auto& tensors) { return group_->allreduce(tensors); });
  }
  Pending broadcast(at::Tensor tensor, int from) override {
    return start(std::move(tensor), [this, from](auto& tensors) {
      c10d::BroadcastOptions options;
      options.rootRank = from;
      return group_->broadcast(tensors, options);
    });
  }
  std::string backend() const override { return backend_; }

 private:
  template <class Collective>
  Pending start(at::Tensor tensor, Collective collective) {
    std::vector<at::Tensor> tensors{std::move(tensor)};
    try {
      return Pending([work = collective(tensors)] {
        const WaitScope scope("an exchange of tensors");
        try {
          work->wait();
        } catch (const std::exception& error) {
          rethrow(error);
        }
      });
    } catch (const std::exception& error) {
      rethrow(error);
    }
  }

  c10::intrusive_ptr<Group> group_;
  std::string backend_;
};

#ifdef BATCHSCOPE_GLOO
std::shared_ptr<TensorGroup> make_gloo(const c10::intrusive_ptr<c10d::Store>& store,
                                       const TensorGroup::Place& place) {
  using c10d::ProcessGroupGloo;
  auto options = ProcessGroupGloo::Options::create();
  options->timeout = place.timeout;
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"))
    options->devices.push_back(ProcessGroupGloo::createDeviceForInterface(interface));
  else
    options->devices.push_back(ProcessGroupGloo::createDeviceForHostname(place.address));
  return std::make_shared<GroupOf<ProcessGroupGloo>>(
      c10::make_intrusive<ProcessGroupGloo>(store, place.rank, place.size, options), "gloo");
}
#endif

#ifdef USE_C10D_NCCL
std::shared_ptr<TensorGroup> make_nccl(const c10::intrusive_ptr<c10d::Store>& store,
                                       const TensorGroup::Place& place) {
  using c10d::ProcessGroupNCCL;
  if (place.address.starts_with("127.")) setenv("NCCL_SOCKET_IFNAME", "lo", 0);
  auto options = ProcessGroupNCCL::Options::create();
  options->timeout = place.timeout;
  return std::make_shared<GroupOf<ProcessGroupNCCL>>(
      c10::make_intrusive<ProcessGroupNCCL>(store, place.rank, place.size, options), "nccl");
}
#endif

}  // namespace

const std::shared_ptr<TensorGroup>& tensor_group() { return session().part<std::shared_ptr<TensorGroup>>(); }

void set_tensor_group(std::shared_ptr<TensorGroup> group) {
  session().part<std::shared_ptr<TensorGroup>>() = std::move(group);
}

std::shared_ptr<TensorGroup> make_tensor_group(const std::string& backend,
                                               const c10::intrusive_ptr<c10d::Store>& store,
                                               const TensorGroup::Place& place) {
  try {
#ifdef BATCHSCOPE_GLOO
    if (backend == "gloo") return make_gloo(store, place);
#endif
#ifdef USE_C10D_NCCL
    if (backend == "nccl") return make_nccl(store, place);
#endif
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    rethrow(error);
  }
  throw Error(ErrorKind::usage, "backend '" + backend + "': this LibTorch was built without it");
}

// Their number first.
std::string broadcast_bytes(std::string bytes, int from, at::Device device) {
  const c10::NoGradGuard no_grad;
  const at::Tensor size = at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong).to(device);
  tensor_group()->broadcast(size, from).wait();
  bytes.resize(static_cast<std::size_t>(size.item<std::int64_t>()));
  const at::Tensor here = at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte);
  const at::Tensor there = here.to(device);
  tensor_group()->broadcast(there, from).wait();
  if (!there.is_same(here)) here.copy_(there);
  return bytes;
}

}  // namespace batchscope::train
