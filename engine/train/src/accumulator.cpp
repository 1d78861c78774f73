// SPDX-License-Identifier: Apache-2.0
//
// An accumulator is the replica's own sums, saved as their total over all replicas (rank 0 carries it after a
// restart), and a history of the epoch: the results that synchronized() gave between the loops and how often
// clear() was called there. A restarted program runs the code between finished loops again; these calls are
// then answered from the history and change nothing.
#include "batchscope/train/accumulator.h"

#include <algorithm>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/train/collective.h"
#include "batchscope/train/epoch.h"
#include "batchscope/train/process_group.h"
#include "json_state.h"
#include "loops.h"

namespace batchscope {
namespace {

using protocol::Json;
using Sums = std::map<std::string, double>;

Json to_json(const Sums& sums) {
  Json json = Json::object();
  for (const auto& [key, value] : sums) json[key] = protocol::encode_number(value);
  return json;
}

Sums from_json(const Json& json) {
  Sums sums;
  for (const auto& [key, value] : json.items()) sums[key] = protocol::decode_number(value);
  return sums;
}

Sums total(const Sums& own) {
  const auto add = [](const collective::Bytes& a, const collective::Bytes& b) {
    Sums sums = from_json(Json::parse(a));
    for (const auto& [key, value] : from_json(Json::parse(b))) sums[key] += value;
    return to_json(sums).dump();
  };
  return from_json(Json::parse(collective::all_reduce("accumulator", to_json(own).dump(), add)));
}

// Accumulators are known again by the order in which a program makes them, inside an epoch and outside of
// epochs.
std::string next_name() {
  static std::map<std::pair<int, std::uint64_t>, int> made;
  const int epoch = current_epoch();
  const int number = made[{epoch, epoch < 0 ? 0 : epoch_entry()}]++;
  return "accumulator-" + (epoch < 0 ? std::string() : "epoch" + std::to_string(epoch) + "-") +
         std::to_string(number);
}

}  // namespace

struct Accumulator::Impl final : JsonState {
  struct History {
    std::vector<Sums> results;
    std::size_t clears = 0;
    // How far the program has come in it; from the start again whenever the epoch is entered.
    std::size_t result_at = 0, clear_at = 0;
    std::uint64_t entry = 0;

    bool replaying() const { return result_at < results.size() || clear_at < clears; }
  };

  Sums own, saved_total;
  std::map<int, History> histories;  // by epoch; -1: outside of epochs
  Sums ignored;                      // takes what replayed code adds

  Impl() : JsonState(next_name()) { checkpoint::load_state(*this); }

  History& history() {
    const int epoch = current_epoch();
    if (epoch < 0) return histories[epoch];
    histories.erase(histories.lower_bound(0),
                    histories.lower_bound(epoch));  // finished: never replayed again
    History& history = histories[epoch];
    if (history.entry != epoch_entry()) {
      history.entry = epoch_entry();
      history.result_at = history.clear_at = 0;
    }
    return history;
  }

  void sync() override { saved_total = total(own); }

  Json contents() const override {
    Json saved = Json::array();
    for (const auto& [epoch, history] : histories) {
      Json values = Json::array();
      for (const Sums& sums : history.results) values.push_back(to_json(sums));
      saved.push_back({{"epoch", epoch}, {"results", values}, {"clears", history.clears}});
    }
    return {{"sums", to_json(saved_total)}, {"histories", saved}};
  }

  void restore(const Json& json) override {
    if (replica_rank() == 0) own = from_json(json.at("sums"));
    for (const Json& entry : json.at("histories")) {
      History& history = histories[entry.at("epoch")];
      for (const Json& sums : entry.at("results")) history.results.push_back(from_json(sums));
      entry.at("clears").get_to(history.clears);
    }
  }
};

Accumulator::Accumulator() {
  if (running_loop())
    throw Error(ErrorKind::usage, "an Accumulator is made inside a loop over data: make it before the loop");
  impl_ = std::make_unique<Impl>();
}

Accumulator::~Accumulator() = default;

double& Accumulator::operator[](const std::string& key) {
  const bool replaying = !running_loop() && impl_->history().replaying();
  return replaying ? impl_->ignored[key] : impl_->own[key];
}

void Accumulator::update(const Sums& values) {
  for (const auto& [key, value] : values) (*this)[key] += value;
}

void Accumulator::subtract(const Sums& values) {
  for (const auto& [key, value] : values) (*this)[key] -= value;
}

void Accumulator::clear() {
  if (!running_loop()) {
    Impl::History& history = impl_->history();
    const bool replaying = history.replaying();
    history.clears = std::max(history.clears, ++history.clear_at);
    if (replaying) return;
  }
  impl_->own.clear();
}

std::map<std::string, double> Accumulator::synchronized() {
  if (running_loop()) return total(impl_->own);
  Impl::History& history = impl_->history();
  if (history.result_at == history.results.size()) history.results.push_back(total(impl_->own));
  return history.results[history.result_at++];
}

}  // namespace batchscope
