// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <QTemporaryFile>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "text_files.h"

namespace batchscope::testing {

// Keeps what this process writes to stderr, for as long as the object lives.
class StandardError {
 public:
  StandardError() {
    if (!file_.open() || before_ < 0) throw std::runtime_error("stderr cannot be kept");
    dup2(file_.handle(), STDERR_FILENO);
  }
  ~StandardError() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

  std::string text() const { return contents(file_.fileName().toStdString()); }

  int count(const std::string& part) const {
    const std::string all = text();
    int found = 0;
    for (std::size_t at = 0; (at = all.find(part, at)) != std::string::npos; at += part.size()) ++found;
    return found;
  }

 private:
  QTemporaryFile file_;
  const int before_ = dup(STDERR_FILENO);
};

}  // namespace batchscope::testing
