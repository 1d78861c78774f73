// SPDX-License-Identifier: Apache-2.0
//
// The files of `batchscope simulate`: a workload, and a folder of profiles with a folder for each
// application. Their columns are those of the files that were published with Pollux:
//
//     WORKLOAD.csv                  name,time,application,num_replicas,batch_size
//     APPLICATION/placements.csv    placement,local_bsz,step_time,sync_time    "1244": replicas on each node
//     APPLICATION/validation-B.csv  progress,iteration,grad_sqr,grad_var       an epoch a row, batch size B
//     APPLICATION/scalability.csv   num_nodes,num_replicas,local_bsz,step_time,sync_time; may be missing
//     APPLICATION/limits.csv        name,value: max_local_bsz, max_replicas, batch_size, and
//                                   epoch_rounding: s that epochs end in multiples of (1; 0: none); may be
//                                   missing
//     APPLICATION/between.csv      as scalability.csv, of tools/pollux_profiles.py; may be missing
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batchscope/policy/simulation.h"

namespace batchscope::cli {

// Throws Error(usage) with file, line and what was expected, Error(not_found) and Error(io).
std::vector<policy::Submission> readWorkload(const std::filesystem::path& file);
std::vector<policy::Submission> parseWorkload(const std::filesystem::path& name, std::string_view text);

// Reads the profiles of the applications that the workload names. With `interpolate` a fitted model stands in
// for placements that were not measured. Throws as readWorkload.
policy::Applications readProfiles(const std::filesystem::path& folder,
                                  const std::vector<policy::Submission>& workload, bool interpolate);

}  // namespace batchscope::cli
