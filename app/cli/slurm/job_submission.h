// SPDX-License-Identifier: Apache-2.0
//
// Makes the folder of a run's jobs from the run's spec and their options, and submits the first job.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"
#include "slurm/job_folder.h"
#include "slurm/job_script.h"
#include "slurm/slurm_options.h"

namespace batchscope::cli::slurm {

// Returns the request for these options. Throws Error(usage) naming an option that cannot be met.
JobRequest requestOf(const SlurmOptions& options, const protocol::RunSpec& spec);
// Throws Error(usage) if an option was given that has no effect without --slurm.
void refuseWithoutSlurm(const SlurmOptions& options);

// Returns the folder in which the folders of runs are made.
std::filesystem::path folderOf(const SlurmOptions& options);

// Returns the number of replicas on which a run begins; 0: as many as there is room for. `said`: the spec's
// number was given by a person. Throws Error(usage) if the jobs have no room for it.
int replicasOf(const protocol::RunSpec& spec, bool said, const JobRequest& request);

// Returns the path of the program `batchscope` that belongs to this process.
std::filesystem::path ownProgram();
// Returns the words in front of a command for a run in this folder (storage::Origin).
std::vector<std::string> controlOf(const std::filesystem::path& place,
                                   const std::filesystem::path& program = ownProgram());

// Returns the script of a run that is to have this folder, FOLDER/ID. Throws as jobScript.
std::string scriptOf(const protocol::RunSpec& spec, const JobRequest& request,
                     const std::filesystem::path& place);

// Throws Error(failure) with Slurm's message if it would not accept such a job, and as told.
void tryScript(const std::string& script);

// Makes that folder, with the spec and the script. Throws Error(io), and as jobScript; then no folder is
// left.
JobFolder makeJobFolder(const protocol::RunSpec& spec, const JobRequest& request, int replicas,
                        const std::filesystem::path& place);

// Submits the next job, with the number of nodes in the folder. Returns its number. Throws as told.
std::string submitJob(const JobFolder& folder, const JobRequest& request);

}  // namespace batchscope::cli::slurm
