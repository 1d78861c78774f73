// SPDX-License-Identifier: Apache-2.0
//
// Writes bytes to a target. A file under its final name is complete, or does not exist.
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
  // Puts the file in its place. Without this call an old file stays as it was. Throws Error(io).
  void finish();

 private:
  [[noreturn]] void refuse() const;

  OutputTarget target_;
  std::unique_ptr<QFileDevice> device_;  // none: standard output
};

}  // namespace batchscope::cli
