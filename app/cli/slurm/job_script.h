// SPDX-License-Identifier: Apache-2.0
//
// The script of each job of a run on Slurm: options for Slurm, and one command. It lies in the run's folder,
// and the next job is the same script.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::cli::slurm {

// The script's name in the run's folder.
inline constexpr char kScript[] = "job.sh";

// A number of nodes, or a range: "2", "1-4".
struct NodeRange {
  int least = 1, most = 1;

  // Throws Error(usage) quoting the text.
  static NodeRange parse(const std::string& text);
  std::string text() const;  // "1-4", "2-2" as "2"
  bool operator==(const NodeRange&) const = default;
};

// Returns the number of nodes that have room for so many replicas.
inline int nodesFor(int replicas, int replicas_per_node) {
  return (replicas + replicas_per_node - 1) / replicas_per_node;
}

struct JobRequest {
  std::string partition;  // empty: the site's default
  NodeRange nodes;
  int gpus_per_node = 0;
  int replicas_per_node = 0;           // 0: one for each GPU, or one
  std::string time;                    // as sbatch takes it; empty: the partition's default
  std::vector<std::string> arguments;  // further arguments of sbatch, from the user

  int replicasPerNode() const {
    return replicas_per_node > 0 ? replicas_per_node : gpus_per_node > 0 ? gpus_per_node : 1;
  }
};

// Throws Error(usage), naming the value, for what sbatch or the script would misunderstand: a value with a
// line break or one that begins with "-", a path with characters that have a meaning there, an argument that
// the hand-over from job to job needs.
void check(const JobRequest& request, const std::filesystem::path& folder);

// Returns "batchscope-ID". Two jobs of one name do not run at the same time.
std::string jobName(const std::string& run);

// Returns the text of the script. `folder` is the run's, FOLDER/ID; `program` is this program's absolute
// path; `title` names the run for people.
std::string jobScript(const JobRequest& request, const std::filesystem::path& folder,
                      const std::filesystem::path& program, const std::string& title);

}  // namespace batchscope::cli::slurm
