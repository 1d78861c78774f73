// SPDX-License-Identifier: Apache-2.0
#include "data/loader_state.h"

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"

namespace batchscope::replica {
namespace {

std::string described(std::int64_t size) {
  return size == 0 ? "a stream" : std::to_string(size) + " samples";
}

}  // namespace

LoaderState::LoaderState(std::string name, std::int64_t dataset_size, std::function<void()> before_save)
    : JsonState(std::move(name)), dataset_size_(dataset_size), before_save_(std::move(before_save)) {}

void LoaderState::cut(const Cut& cut) {
  while (!cuts.empty() && cuts.back().start >= cut.start) cuts.pop_back();
  if (cuts.empty() || cuts.back().width != cut.width || cuts.back().replicas != cut.replicas)
    cuts.push_back(cut);
}

protocol::Json LoaderState::contents() const {
  protocol::Json loops = protocol::Json::array();
  for (const auto& [epoch, position] : finished) loops.push_back({{"epoch", epoch}, {"position", position}});
  protocol::Json passed = protocol::Json::array();
  for (const Cut& cut : cuts) passed.push_back({cut.start, cut.width, cut.replicas});
  return {{"index", index},
          {"dataset_size", dataset_size_},
          {"replicas", num_replicas()},
          {"local_batch_size", shape.local_batch_size},
          {"accumulation_steps", shape.accumulation_steps},
          {"cuts", passed},
          {"length", length},
          {"finished", loops}};
}

void LoaderState::restore(const protocol::Json& json) {
  json.at("index").get_to(index);
  const std::int64_t size = json.at("dataset_size");
  if (index > 0 && size != dataset_size_)
    throw Error(ErrorKind::conflict,
                "the checkpoint was made in the middle of a loop over " + described(size) +
                    ", the dataset is " + described(dataset_size_) +
                    " now: give the program the same data, or start it without the checkpoint");
  const BatchShape saved{json.at("local_batch_size"), json.at("accumulation_steps")};
  const int replicas = json.at("replicas");
  if (replicas == num_replicas()) {
    shape = saved;
  } else {
    before = saved.batch_size(replicas);
    of_one_gradient = before > 0 && replicas == 1 && saved.accumulation_steps == 0;
  }
  length = json.value("length", std::int64_t{0});
  cuts.clear();
  for (const protocol::Json& cut : json.value("cuts", protocol::Json::array()))
    cuts.push_back({cut.at(0), cut.at(1), cut.at(2)});
  for (const protocol::Json& loop : json.at("finished")) finished[loop.at("epoch")] = loop.at("position");
}

}  // namespace batchscope::replica
