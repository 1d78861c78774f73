// SPDX-License-Identifier: Apache-2.0
//
// Bytes on their way to a target: a file is complete under its name, or not there.
#pragma once

#include <QFileDevice>
#include <memory>
#include <string_view>

#include "files/output_target.h"

namespace batchscope::cli {

class OutputFile {
 public:
  // Opens it; a pipe waits for its reader. Throws as OutputTarget::requireWritable.
  explicit OutputFile(const OutputTarget& target);

  void write(std::string_view bytes);  // throws Error(io)
  // Throws Error(io). Without it a file is as it was, or not there.
  void finish();

 private:
  [[noreturn]] void refuse() const;

  OutputTarget target_;
  std::unique_ptr<QFileDevice> device_;  // none: standard output
};

}  // namespace batchscope::cli
