// SPDX-License-Identifier: Apache-2.0
//
// The store on the node on which a run trains. It is on the node's own disk, since SQLite is not safe on a
// shared file system, and lives as long as the job. What must last lies in the run's folder, to which the
// store links.
#pragma once

#include <filesystem>

#include "batchscope/storage/catalogue.h"
#include "slurm/job_folder.h"

namespace batchscope::cli::slurm {

class NodeStore {
 public:
  // Makes the store below $TMPDIR, else /tmp, and puts its path into the environment of this process. Throws
  // Error(io).
  explicit NodeStore(const std::string& run, const std::string& job);
  // Removes the store with its content.
  ~NodeStore();
  NodeStore(const NodeStore&) = delete;
  NodeStore& operator=(const NodeStore&) = delete;

  // Imports the run with what its jobs have recorded so far. Throws what import throws.
  storage::Run takeIn(const JobFolder& folder) const;
  storage::Run run() const;

 private:
  std::string id_;
  std::filesystem::path folder_;
};

}  // namespace batchscope::cli::slurm
