// SPDX-License-Identifier: Apache-2.0
//
// The store of the node on which a run trains: on its own disk, since SQLite cannot be trusted on a shared
// file system. It lives as long as the job; what lasts lies in the run's folder, to which it links.
#pragma once

#include <filesystem>

#include "batchscope/storage/catalogue.h"
#include "slurm/job_folder.h"

namespace batchscope::cli::slurm {

class NodeStore {
 public:
  // Makes it below $TMPDIR, else /tmp, and names it to this process and all that it starts. Throws Error(io).
  explicit NodeStore(const std::string& run, const std::string& job);
  // Removes the store with all that is in it.
  ~NodeStore();
  NodeStore(const NodeStore&) = delete;
  NodeStore& operator=(const NodeStore&) = delete;

  // The run with what its jobs have recorded so far. Throws what import throws.
  storage::Run takeIn(const JobFolder& folder) const;
  storage::Run run() const;

 private:
  std::string id_;
  std::filesystem::path folder_;
};

}  // namespace batchscope::cli::slurm
