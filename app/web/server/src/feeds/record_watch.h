// SPDX-License-Identifier: Apache-2.0
//
// Watches the catalogue for changes of one run, and of the lists. Looks only after a commit. Used on one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/store.h"

namespace batchscope::web {

class Watch {
 public:
  virtual ~Watch() = default;

  // Returns the names of what has changed since the last look; the first look finds nothing. Throws Error.
  std::vector<std::string> look(Store& store);

 protected:
  using Marks = std::map<std::string, std::size_t>;  // a hash of each thing, by its name
  virtual Marks marks(Store& store) = 0;

 private:
  std::int64_t version_ = -1;
  Marks last_;
};

// "run" (but for how far it is, which samples and status say), "generations", "epochs", "checkpoints",
// "events".
class RunWatch : public Watch {
 public:
  explicit RunWatch(const std::string& run) : run_(run) {}

 protected:
  Marks marks(Store& store) override;

 private:
  const std::string run_;
};

// "runs", "queue", "sweeps".
class ListWatch : public Watch {
 protected:
  Marks marks(Store& store) override;
};

}  // namespace batchscope::web
