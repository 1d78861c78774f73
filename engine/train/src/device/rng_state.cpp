// SPDX-License-Identifier: Apache-2.0
//
// Format: the number of ranks, then length and bytes of each one's state, all numbers little-endian u64. A
// rank's state is that of the CPU's generator, with that of its GPU's behind it where it has one.
#include "device/rng_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <istream>
#include <iterator>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/protocol/bytes.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/train/replica_device.h"
#include "process/session.h"

namespace batchscope::train {

using namespace replica;

namespace {

std::vector<at::Generator> generators() {
  std::vector<at::Generator> all{at::detail::getDefaultCPUGenerator()};
  if (const c10::Device device = replica_device(); device.is_cuda())
    all.push_back(at::globalContext().defaultGenerator(device));
  return all;
}

std::string generator_state() {
  std::string bytes;
  for (at::Generator generator : generators()) {
    const std::lock_guard lock(generator.mutex());
    const at::Tensor state = generator.get_state();
    bytes.append(static_cast<const char*>(state.data_ptr()), static_cast<std::size_t>(state.numel()));
  }
  return bytes;
}

// Restores the generators. A GPU's state is left out where there is no GPU now, or was none before.
void set_generator_state(std::string_view bytes) {
  for (at::Generator generator : generators()) {
    const std::lock_guard lock(generator.mutex());
    const at::Tensor state = at::empty_like(generator.get_state());
    const auto size = static_cast<std::size_t>(state.numel());
    if (bytes.size() < size) return;
    std::memcpy(state.data_ptr(), bytes.data(), size);
    generator.set_state(state);
    bytes.remove_prefix(size);
  }
}

// FNV-1a: the same on every machine and in every version.
std::uint64_t hash(const std::string& bytes) {
  std::uint64_t value = 14695981039346656037u;
  for (const char byte : bytes) value = (value ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return value;
}

class RngState final : public checkpoint::State {
 public:
  RngState() : State("rng") {}

  void sync() override { gathered_ = collective::gather("rng", generator_state()); }

  void save(std::ostream& out) override {
    std::string bytes;
    protocol::put<std::uint64_t>(bytes, gathered_.size());
    for (const std::string& state : gathered_) {
      protocol::put<std::uint64_t>(bytes, state.size());
      bytes += state;
    }
    out << bytes;
  }

  void load(std::istream& in) override {
    constexpr std::uint64_t kMost = 1 << 20;
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::string_view left = bytes;
    const auto damaged = [] { return Error(ErrorKind::corrupt, "the state \"rng\" is damaged"); };
    const auto take = [&](std::uint64_t size) {
      if (size > std::min<std::uint64_t>(kMost, left.size())) throw damaged();
      const std::string_view taken = left.substr(0, size);
      left.remove_prefix(size);
      return taken;
    };
    const auto take_number = [&] { return protocol::get<std::uint64_t>(take(sizeof(std::uint64_t)), 0); };
    const std::uint64_t ranks = take_number();
    if (ranks == 0) throw damaged();
    loaded_.clear();
    while (loaded_.size() < ranks) loaded_.emplace_back(take(take_number()));
  }

  void restore() {
    const auto rank = static_cast<std::size_t>(replica_rank());
    if (rank < loaded_.size()) {
      set_generator_state(loaded_[rank]);
    } else if (rank > 0) {
      const std::uint64_t seed = hash((loaded_.empty() ? generator_state() : loaded_.front()) + "/" +
                                      std::to_string(rank) + "/" + std::to_string(num_restarts()));
      for (at::Generator generator : generators()) {
        const std::lock_guard lock(generator.mutex());
        generator.set_current_seed(seed);
      }
    }
    loaded_.clear();
  }

 private:
  std::vector<std::string> gathered_, loaded_;
};

RngState& rng_state() { return session().part<RngState>(); }

}  // namespace

void load_rng_state() { checkpoint::load_state(rng_state()); }

void restore_generator() { rng_state().restore(); }

}  // namespace batchscope::train
