// SPDX-License-Identifier: Apache-2.0
//
// TensorBoard's event files: scalars as simple_value (PyTorch, tensorboardX, TensorFlow 1) and as tensors
// (TensorFlow 2), and the hyperparameters of its plugin `hparams`. The framing is that of
// protocol/event_file.h, the messages are event.proto, summary.proto and plugin_data.proto.
#pragma once

#include <string>

#include "trackers/findings.h"

namespace batchscope::cli {

class EventFileReader : public FileReader {
 public:
  void feed(std::string_view bytes, Findings& findings) override;
  std::string trouble() const override;

 private:
  std::string waiting_;         // the beginning of a record
  std::uint64_t toSkip_ = 0;    // bytes of a record that is too long to hold scalars
  std::uint64_t position_ = 0;  // of the next record in the file
  std::string damage_;
};

}  // namespace batchscope::cli
