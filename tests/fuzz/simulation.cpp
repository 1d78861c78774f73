// SPDX-License-Identifier: Apache-2.0
//
// The CSV files of `batchscope simulate`: a workload, or one file of a profile whose others are whole. Which
// of them it is, the columns say.
#include <cmath>
#include <set>

#include "fuzz.h"
#include "simulation/workload_files.h"

using namespace batchscope;

namespace {

constexpr char kPlacements[] = "placement,local_bsz,step_time,sync_time\n1,4,1,0\n1,8,2,0\n11,4,1.5,0.5\n";
constexpr char kTraining[] = "progress,iteration,grad_sqr,grad_var\n60,60,1,1\n120,120,1,0.5\n";
constexpr char kWorkload[] = "name,time,application,num_replicas,batch_size\na,0,even,1,8\n";

const char* file_of(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  const auto has = [&](std::string_view column) { return head.find(column) != std::string_view::npos; };
  if (has("placement")) return "even/placements.csv";
  if (has("progress")) return "even/validation-8.csv";
  if (has("num_nodes")) return "even/between.csv";
  if (has("value")) return "even/limits.csv";
  return nullptr;
}

void read_workload(std::string_view text) {
  std::set<std::string> names;
  for (const policy::Submission& job : cli::parseWorkload("workload.csv", text)) {
    fuzz::require(!job.name.empty() && names.insert(job.name).second, "a name is there, once");
    fuzz::require(job.time >= 0 && job.num_replicas >= 1 && job.batch_size >= 1, "numbers are in range");
    fuzz::require(!job.application.empty() && job.application.find('/') == std::string::npos,
                  "an application is not a path");
  }
}

void read_profiles(const std::filesystem::path& folder) {
  const policy::Applications read =
      cli::readProfiles(folder, cli::parseWorkload("workload.csv", kWorkload), true);
  const policy::Application& even = read.at("even");
  fuzz::require(even.epochs() >= 1 && even.progress(even.epochs()) > 0, "there is something to do");
  fuzz::require(
      even.min_local_batch_size() >= 1 && even.min_local_batch_size() <= even.max_local_batch_size(),
      "there is a batch size to do it with");
  fuzz::require(even.max_replicas(even.max_batch_size()) >= 1, "and a replica");
  for (const std::vector<int>& placement : {std::vector{1}, std::vector{1, 1}}) {
    const policy::StepTimes times = even.step_times(placement, even.min_local_batch_size());
    fuzz::require(std::isfinite(times.step) && times.step > 0, "a step takes its time");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  std::filesystem::create_directory(folder.path() / "even");
  const std::string_view text = fuzz::text(data, size);
  const char* const file = file_of(text);
  if (file == nullptr) {
    fuzz::may_refuse_as([&] { read_workload(text); }, ErrorKind::usage);
    return 0;
  }
  folder.write("even/placements.csv", kPlacements);
  folder.write("even/validation-8.csv", kTraining);
  folder.write(file, text);
  fuzz::may_refuse_as([&] { read_profiles(folder.path()); }, ErrorKind::usage);
  for (const char* optional : {"even/between.csv", "even/limits.csv"})
    std::filesystem::remove(folder.path() / optional);
  return 0;
}
