// SPDX-License-Identifier: Apache-2.0
//
// The state of a loader that survives a restart: how far its running loop is, how its pass was cut, the size
// of a step, and which of its loops are finished.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "adapt/batch_size.h"
#include "batchscope/replica/data_pass.h"
#include "checkpoint/json_state.h"

namespace batchscope::replica {

class LoaderState final : public JsonState {
 public:
  // dataset_size: 0 for a stream. `before_save` is called on every replica when a checkpoint begins.
  LoaderState(std::string name, std::int64_t dataset_size, std::function<void()> before_save);

  std::int64_t index = 0;        // into the running loop: passes * dataset size + position in the pass
  BatchShape shape;              // for as many replicas as now; otherwise not chosen
  std::int64_t before = 0;       // samples of a step on another number of replicas; 0: there was none
  bool of_one_gradient = false;  // that step, as one replica makes it: the noise was only guessed
  std::vector<Cut> cuts;         // of the pass that the index is in
  std::int64_t length = 0;       // of the last pass of a stream; 0: not known
  std::map<int, int> finished;   // epoch -> position of this loader's last finished loop

  // The pass is cut anew from here on; unless it is how it was cut before.
  void cut(const Cut& cut);

  void sync() override { before_save_(); }

 protected:
  protocol::Json contents() const override;
  void restore(const protocol::Json& json) override;

 private:
  std::int64_t dataset_size_;
  std::function<void()> before_save_;
};

}  // namespace batchscope::replica
