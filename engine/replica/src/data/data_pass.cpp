// SPDX-License-Identifier: Apache-2.0
#include "batchscope/replica/data_pass.h"

#include <utility>

#include "data/pass_plan.h"

namespace batchscope {

using namespace replica;

DataPass::DataPass(std::vector<std::int64_t> order, std::vector<Cut> cuts, const PassPlan& plan, int rank,
                   bool training)
    : order_(std::move(order)),
      cuts_(std::move(cuts)),
      plan_(std::make_unique<PassPlan>(plan)),
      rank_(rank),
      micro_batches_(plan_->micro_batches()) {
  // Only in training do all replicas step together.
  if (!training && count(micro_batches_ - 1) == 0) --micro_batches_;
}

DataPass::~DataPass() = default;

std::int64_t DataPass::count(std::int64_t number) const { return plan_->count(plan_->at(number), rank_); }

std::vector<std::int64_t> DataPass::positions(std::int64_t number) const {
  return plan_->positions(plan_->at(number), rank_);
}

std::vector<std::int64_t> DataPass::ids(std::int64_t number) const {
  std::vector<std::int64_t> ids = positions(number);
  if (order_.empty()) {  // a stream
    if (ids.empty()) ids.push_back(plan_->at(number).from);
    return ids;
  }
  for (std::int64_t& id : ids) id = order_[static_cast<std::size_t>(id)];
  if (ids.empty()) ids.push_back(order_[static_cast<std::size_t>(rank_) % order_.size()]);
  return ids;
}

}  // namespace batchscope
