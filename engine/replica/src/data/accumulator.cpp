// SPDX-License-Identifier: Apache-2.0
//
// An accumulator keeps, besides its sums, a history of the epoch: the results that synchronized() gave
// between the loops and how often clear() was called there. A restarted program runs the code between
// finished loops again; these calls are then answered from the history and change nothing.
#include "batchscope/replica/accumulator.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "adapt/loops.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/epoch.h"
#include "checkpoint/json_state.h"
#include "process/session.h"

namespace batchscope {

using namespace replica;
namespace {

using protocol::Json;

struct AccumulatorNumbers : std::map<std::pair<int, std::uint64_t>, int> {};

// Accumulators are known again by the order in which a program makes them, inside an epoch and outside of
// epochs.
std::string next_accumulator_name() {
  if (running_loop())
    throw Error(ErrorKind::usage, "an Accumulator is made inside a loop over data: make it before the loop");
  const int epoch = current_epoch();
  const int number = session().part<AccumulatorNumbers>()[{epoch, epoch < 0 ? 0 : epoch_entry()}]++;
  return "accumulator-" + (epoch < 0 ? std::string() : "epoch" + std::to_string(epoch) + "-") +
         std::to_string(number);
}

}  // namespace

struct AccumulatorHistory::Impl final : JsonState {
  struct Epoch {
    std::vector<Json> results;
    std::size_t clears = 0;
    // How far the program has come in it; from the start again whenever the epoch is entered.
    std::size_t result_at = 0, clear_at = 0;
    std::uint64_t entry = 0;
  };

  std::function<Json()> own;
  std::function<void(const Json&)> restore_sums;
  Json by_rank = Json::array();  // as of the last checkpoint
  std::map<int, Epoch> epochs;   // -1: outside of epochs

  Impl(std::function<Json()> sums, std::function<void(const Json&)> restore)
      : JsonState(next_accumulator_name(), Form::binary),
        own(std::move(sums)),
        restore_sums(std::move(restore)) {
    checkpoint::load_state(*this);
  }

  // Returns the epoch that the program is in; none inside a loop over data, which is never run again.
  Epoch* now() {
    if (running_loop()) return nullptr;
    const int epoch = current_epoch();
    if (epoch < 0) return &epochs[epoch];
    forget_epochs_before(epoch, epochs);
    Epoch& now = epochs[epoch];
    if (now.entry != epoch_entry()) {
      now.entry = epoch_entry();
      now.result_at = now.clear_at = 0;
    }
    return &now;
  }

  void sync() override {
    by_rank = Json::array();
    for (const std::string& sums : collective::gather("accumulator", to_bytes(own())))
      by_rank.push_back(from_bytes<Json>(sums));
  }

  Json contents() const override {
    Json saved = Json::array();
    for (const auto& [epoch, history] : epochs)
      saved.push_back({{"epoch", epoch}, {"results", history.results}, {"clears", history.clears}});
    return {{"sums", by_rank}, {"histories", saved}};
  }

  void restore(const Json& json) override {
    const Json& sums = json.at("sums");
    restore_sums(sums.is_array() ? sums : Json::array({sums}));  // once they were one rank's
    for (const Json& entry : json.at("histories")) {
      Epoch& history = epochs[entry.at("epoch")];
      entry.at("results").get_to(history.results);
      entry.at("clears").get_to(history.clears);
    }
  }
};

AccumulatorHistory::AccumulatorHistory(std::function<Json()> sums, std::function<void(const Json&)> restore)
    : impl_(std::make_unique<Impl>(std::move(sums), std::move(restore))) {}

AccumulatorHistory::~AccumulatorHistory() = default;

bool AccumulatorHistory::replaying() const {
  if (replaying_code(current_epoch())) return true;
  const Impl::Epoch* now = impl_->now();
  return now && (now->result_at < now->results.size() || now->clear_at < now->clears);
}

bool AccumulatorHistory::pass_clear() {
  const bool replayed = replaying();
  if (Impl::Epoch* now = impl_->now()) now->clears = std::max(now->clears, ++now->clear_at);
  return replayed;
}

bool AccumulatorHistory::replays_result() const {
  const Impl::Epoch* now = impl_->now();
  return now && now->result_at < now->results.size();
}

const AccumulatorHistory::Json& AccumulatorHistory::result() const {
  const Impl::Epoch& now = *impl_->now();
  return now.results[now.result_at];
}

void AccumulatorHistory::pass_result(Json sums) {
  Impl::Epoch* now = impl_->now();
  if (!now) return;
  if (now->result_at == now->results.size()) now->results.push_back(std::move(sums));
  ++now->result_at;
}

}  // namespace batchscope
