// SPDX-License-Identifier: Apache-2.0
//
// The store as one thread reads it: a connection to the catalogue, and readers of the runs that were asked
// for last, kept open because opening one costs more than most questions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"

namespace batchscope::web {

class Store {
 public:
  // Opened when it is first asked for. Throws as storage::Catalogue.
  storage::Catalogue& catalogue();

  // Another number after every change of the catalogue.
  std::int64_t version();

  // Throws Error(not_found) where there is none of this id, or it is in the trash.
  storage::Run run(const std::string& id);

  // Returns all runs, newest first; reads them again when the catalogue has changed.
  const std::vector<storage::Run>& runs();

  // Returns the samples of a run; null where nothing was recorded yet. Valid until the next call.
  storage::SampleReader* samples(const std::string& id);

 private:
  struct Reader {
    std::string run;
    dev_t device = 0;  // of the file that is open: another may have taken its place
    ino_t inode = 0;
    std::unique_ptr<storage::SampleReader> samples;
  };

  std::optional<storage::Catalogue> catalogue_;
  std::int64_t version_ = 0;
  std::vector<storage::Run> runs_;
  std::int64_t runs_version_ = -1;  // of which they are
  std::list<Reader> readers_;       // the last used first
};

}  // namespace batchscope::web
