// SPDX-License-Identifier: Apache-2.0
#include "simulation/workload_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/suggestion.h"
#include "files/csv_file.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostReplicas = 1'000'000;

std::vector<policy::Submission> workloadOf(const CsvFile& csv) {
  std::vector<policy::Submission> workload;
  std::set<std::string> names;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    policy::Submission job{csv.text(row, 0), csv.integer(row, 1), csv.text(row, 2),
                           static_cast<int>(csv.integer(row, 3, 1, kMostReplicas)), csv.integer(row, 4, 1)};
    if (job.name.empty()) csv.refuse(row, say("name is empty; expected one that no other line has"));
    if (!names.insert(job.name).second)
      csv.refuse(row,
                 say("a second job \"{}\"; expected a name that no other line has", printable(job.name)));
    if (job.application.empty() || job.application.find('/') != std::string::npos ||
        job.application.front() == '.')
      csv.refuse(row, say("application is \"{}\"; expected the name of a folder of the profiles",
                          printable(job.application)));
    workload.push_back(std::move(job));
  }
  return workload;
}

const std::vector<std::string> kWorkloadColumns{"name", "time", "application", "num_replicas", "batch_size"};

policy::StepTimes timesOf(const CsvFile& csv, std::size_t row, std::size_t column) {
  const policy::StepTimes times{csv.positive(row, column), csv.number(row, column + 1)};
  if (times.sync < 0 || times.sync >= times.step)
    csv.refuse(row, say("sync_time is {}; expected at least 0 and less than the step_time {}", times.sync,
                        times.step));
  return times;
}

std::vector<int> placementOf(const CsvFile& csv, std::size_t row) {
  std::vector<int> perNode;
  for (const char digit : csv.text(row, 0)) {
    if (digit < '1' || digit > '9' || perNode.size() == 64)
      csv.refuse(row, say("placement is \"{}\"; expected the replicas on each node, such as 1 or 244",
                          cutToWidth(printable(csv.text(row, 0)), 40)));
    perNode.push_back(digit - '0');
  }
  if (perNode.empty()) csv.refuse(row, say("placement is empty; expected the replicas on each node"));
  return policy::smallest_rotation(perNode);
}

void sortBySize(std::vector<policy::MeasuredStep>& steps, const fs::path& file) {
  const auto less = [](auto& a, auto& b) { return a.local_batch_size < b.local_batch_size; };
  const auto same = [](auto& a, auto& b) { return a.local_batch_size == b.local_batch_size; };
  std::sort(steps.begin(), steps.end(), less);
  const auto twice = std::adjacent_find(steps.begin(), steps.end(), same);
  if (twice != steps.end())
    throw Error(ErrorKind::usage,
                say("{}: two rows of {} on {} with local_bsz {}; expected one for each placement",
                    printable(file.string()), plural(twice->num_replicas, "replica"),
                    plural(twice->num_nodes, "node"), twice->local_batch_size));
}

void readPlacements(const fs::path& file, policy::ProfileData& data) {
  const CsvFile csv(file, {"placement", "local_bsz", "step_time", "sync_time"});
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const std::vector<int> perNode = placementOf(csv, row);
    int replicas = 0;
    for (const int count : perNode) replicas += count;
    data.placements[perNode].push_back(
        {static_cast<int>(perNode.size()), replicas, csv.integer(row, 1, 1), timesOf(csv, row, 2)});
  }
  for (auto& [placement, steps] : data.placements) sortBySize(steps, file);
}

std::vector<policy::MeasuredStep> readSteps(const fs::path& file) {
  const CsvFile csv(file, {"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"});
  std::vector<policy::MeasuredStep> steps;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const std::int64_t nodes = csv.integer(row, 0, 1, kMostReplicas);
    steps.push_back({static_cast<int>(nodes), static_cast<int>(csv.integer(row, 1, nodes, kMostReplicas)),
                     csv.integer(row, 2, 1), timesOf(csv, row, 3)});
  }
  return steps;
}

void readBetween(const fs::path& file, policy::ProfileData& data) {
  for (const policy::MeasuredStep& step : readSteps(file))
    data.between[{step.num_nodes, step.num_replicas}].push_back(step);
  for (auto& [where, steps] : data.between) sortBySize(steps, file);
}

void readTraining(const fs::path& file, policy::ProfileData& data) {
  const std::string stem = file.stem(), digits = stem.substr(stem.find('-') + 1);
  std::int64_t size = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (fault != std::errc() || end != digits.data() + digits.size() || size < 1 || size > CsvFile::kMost)
    throw Error(ErrorKind::usage,
                say("{}: expected validation-B.csv with B the batch size", printable(file.string())));
  const CsvFile csv(file, {"progress", "iteration", "grad_sqr", "grad_var"});
  auto& epochs = data.trainings[size];
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const policy::MeasuredEpoch epoch{
        csv.positive(row, 0), csv.positive(row, 1), {csv.number(row, 2), csv.number(row, 3)}};
    const double sqr = epoch.gradient.sqr, var = epoch.gradient.var;
    if (sqr < 0 || var < 0 || !(sqr + var > 0))
      csv.refuse(row,
                 say("grad_sqr and grad_var are {} and {}; expected at least 0, and one above it", sqr, var));
    if (!epochs.empty() && epoch.progress <= epochs.back().progress)
      csv.refuse(row, say("progress is {}; expected more than the {} of the epoch before", epoch.progress,
                          epochs.back().progress));
    epochs.push_back(epoch);
  }
}

void readLimits(const fs::path& file, policy::ProfileData& data) {
  const CsvFile csv(file, {"name", "value"});
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const std::string& name = csv.text(row, 0);
    if (name == "max_local_bsz")
      data.max_local_batch_size = csv.integer(row, 1, 1);
    else if (name == "batch_size")
      data.batch_size = csv.integer(row, 1, 1);
    else if (name == "epoch_rounding")
      data.epoch_rounding = static_cast<double>(csv.integer(row, 1));
    else if (name == "max_replicas")
      data.max_replicas = static_cast<int>(csv.integer(row, 1, 1, kMostReplicas));
    else
      csv.refuse(row, say("there is no limit \"{}\"; expected max_local_bsz, max_replicas, "
                          "batch_size or epoch_rounding",
                          printable(name)));
  }
}

policy::Application readProfile(const fs::path& folder, bool interpolate) {
  policy::ProfileData data;
  data.name = folder.filename();
  data.measured_only = !interpolate;
  std::vector<fs::path> trainings;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename();
        name.starts_with("validation-") && name.ends_with(".csv"))
      trainings.push_back(entry.path());
  if (trainings.empty())
    throw Error(ErrorKind::usage,
                say("{}: expected a validation-B.csv for some batch sizes B", printable(folder.string())));
  std::sort(trainings.begin(), trainings.end());
  for (const fs::path& file : trainings) readTraining(file, data);
  readPlacements(folder / "placements.csv", data);
  if (const fs::path file = folder / "scalability.csv"; fs::exists(file)) data.elsewhere = readSteps(file);
  if (const fs::path file = folder / "limits.csv"; fs::exists(file)) readLimits(file, data);
  if (const fs::path file = folder / "between.csv"; fs::exists(file)) readBetween(file, data);
  try {
    return policy::Application(std::move(data));
  } catch (const std::invalid_argument& fault) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}", printable(folder.string()), fault.what()));
  }
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<policy::Submission> readWorkload(const fs::path& file) {
  return workloadOf(CsvFile(file, kWorkloadColumns));
}

std::vector<policy::Submission> parseWorkload(const fs::path& name, std::string_view text) {
  return workloadOf(CsvFile(name, text, kWorkloadColumns));
}

policy::Applications readProfiles(const fs::path& folder, const std::vector<policy::Submission>& workload,
                                  bool interpolate) {
  if (!fs::is_directory(folder))
    throw Error(ErrorKind::not_found, say("{} is not a folder of profiles", printable(folder.string())));
  policy::Applications applications;
  for (const policy::Submission& job : workload) {
    if (applications.contains(job.application)) continue;
    const fs::path profile = folder / job.application;
    if (!fs::is_directory(profile)) {
      const std::vector<std::string> known = namesIn(folder);
      throw Error(ErrorKind::not_found,
                  say("{}: job {} needs a profile of \"{}\", a folder with placements.csv{}",
                      printable(folder.string()), printable(job.name), printable(job.application),
                      protocol::did_you_mean(job.application, known)));
    }
    applications.emplace(job.application, readProfile(profile, interpolate));
  }
  return applications;
}

}  // namespace batchscope::cli
