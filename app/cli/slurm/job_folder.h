// SPDX-License-Identifier: Apache-2.0
//
// The folder of a run on Slurm, FOLDER/ID on the shared file system, which its jobs keep: the script of every
// job, the jobs so far (jobs.jsonl), the number of replicas that a person asked for, and the number of nodes
// that goodput chose. Only one job writes at a time, which Slurm ensures (--dependency=singleton).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/protocol/run_spec.h"
#include "slurm/job_script.h"

namespace batchscope::cli::slurm {

// How a job of ours ends.
namespace end {
inline constexpr char kFinished[] = "finished", kFailed[] = "failed";
inline constexpr char kStopped[] = "stopped";    // by a person: nobody goes on
inline constexpr char kTime[] = "time limit";    // told by Slurm beforehand
inline constexpr char kAsked[] = "told to end";  // by SIGTERM; only the next job can learn who sent it
inline constexpr char kNodes[] = "other nodes";  // for a job on more of them
inline constexpr char kLost[] = "supervisor lost";
inline constexpr char kRecalled[] = "recalled";  // by the sweep whose trial it was
}  // namespace end

struct Job {
  std::string number;
  std::string host;   // its first node
  std::string store;  // BATCHSCOPE_DB there
  std::string cluster;
  std::string next;  // the job that waits to go on; empty: none does
  NodeRange nodes;   // it has the least, and the next may have the most
  int replicas_per_node = 1;
  std::optional<std::int64_t> first_step,
      last_step;    // of the run when it began and ended, where it came so far
  std::string how;  // it ended; empty: it has not, or it had no time to say
};

// The order for a run's jobs that are submitted from outside: the job that was submitted last. It is kept
// until the end of that job and of its successors is known, so that a driver that is killed neither submits
// another job nor forgets this one.
struct JobOrder {
  std::string number;
  bool recalled = false;  // the submitter cancelled it: its end is not a person's scancel
};

class JobFolder {
 public:
  // Throws Error(usage) if its name is not a run's id, Error(not_found) if it does not exist.
  explicit JobFolder(const std::filesystem::path& folder);

  const std::filesystem::path& path() const { return path_; }
  std::string run() const { return path_.filename(); }
  std::filesystem::path script() const { return path_ / kScript; }
  std::string submission() const;  // the command, "sbatch FOLDER/ID/job.sh"

  // Returns the run's spec. Throws what openRunFolder throws.
  protocol::RunSpec spec() const;

  // Returns the jobs in the order in which they began. Skips the rest of a line that a killed writer left.
  std::vector<Job> jobs() const;
  // Adds a line about a job. Throws Error(io).
  void tell(const std::string& number, const protocol::Json& news) const;

  // Returns the number of replicas that a person has asked for last, else the submitted number, else as many
  // as there is room for.
  protocol::ReplicaCount wanted() const;
  void want(const protocol::ReplicaCount& count) const;
  // Returns the nodes that goodput has chosen, if the number of replicas is automatic.
  void chooseNodes(int nodes) const;

  // Returns the nodes that the next job is to ask for, within the range.
  NodeRange nextNodes(int replicas_per_node, const NodeRange& range) const;

  std::optional<JobOrder> order() const;  // none: no job is ordered
  void keepOrder(const JobOrder& order) const;
  void dropOrder() const;

 private:
  std::string word(const char* file) const;  // empty where there is none
  void keep(const char* file, const std::string& word) const;

  std::filesystem::path path_;
};

// Returns whether the run in this folder trains in jobs, and is reached by `batchscope slurm-job FOLDER --
// COMMAND`.
bool isJobFolder(const std::filesystem::path& folder);

// Returns how many of the last jobs have not made a step.
int jobsWithoutStep(const std::vector<Job>& jobs);

// Returns the folder of a run in a store, as the job which trains it has noted it there.
std::optional<JobFolder> jobFolderOf(const std::string& run);
void noteJobFolder(const JobFolder& folder);

}  // namespace batchscope::cli::slurm
