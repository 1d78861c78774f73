// SPDX-License-Identifier: Apache-2.0
#include "slurm/job_folder.h"

#include <QString>
#include <algorithm>
#include <fstream>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "records/record_file.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

namespace fs = std::filesystem;
using protocol::Json;

constexpr char kJobs[] = "jobs.jsonl", kWanted[] = "replicas", kChosen[] = "nodes", kOrder[] = "submitted";
constexpr char kNote[] = "slurm";  // in the run's folder of a node's store: a link to the run's folder here
constexpr char kRecalled[] = "recalled";

[[noreturn]] void failToWrite(const fs::path& file) {
  throw Error(ErrorKind::io, say("cannot write {}: check the disk and its permissions", file.string()));
}

void take(const Json& line, Job& job) {
  job.host = line.value("host", job.host);
  job.store = line.value("store", job.store);
  job.cluster = line.value("cluster", job.cluster);
  job.next = line.value("next", job.next);
  job.nodes.least = line.value("nodes", job.nodes.least);
  job.nodes.most = line.value("most_nodes", job.nodes.most);
  job.replicas_per_node = line.value("replicas_per_node", job.replicas_per_node);
  job.how = line.value("how", job.how);
  for (const auto& [name, step] :
       {std::pair("first_step", &job.first_step), std::pair("last_step", &job.last_step)})
    if (line.contains(name)) *step = line.at(name).get<std::int64_t>();
}

}  // namespace

JobFolder::JobFolder(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  path_ = whole.has_filename() ? whole : whole.parent_path();
  if (!protocol::valid_run_id(run()))
    throw Error(ErrorKind::usage,
                say("{} is not a folder of a run: its name must be the run's id, eight of 0-9 and a-z",
                    path_.string()));
  if (!fs::is_directory(path_))
    throw Error(
        ErrorKind::not_found,
        say("there is no folder {}: is it on a file system that this machine shares?", path_.string()));
}

std::string JobFolder::submission() const {
  return common::shellWords(std::vector<std::string>{"sbatch", script()});
}

protocol::RunSpec JobFolder::spec() const { return openRunFolder(path_).spec; }

std::vector<Job> JobFolder::jobs() const {
  std::vector<Job> jobs;
  std::ifstream in(path_ / kJobs);
  for (std::string text; std::getline(in, text);) {
    try {
      const Json line = protocol::parse_object(text);
      const auto number = line.at("job").get<std::string>();
      if (jobs.empty() || jobs.back().number != number) jobs.emplace_back().number = number;
      take(line, jobs.back());
    } catch (const std::exception&) {
    }
  }
  return jobs;
}

void JobFolder::tell(const std::string& number, const Json& news) const {
  Json line{{"job", number}};
  line.update(news);
  const fs::path file = path_ / kJobs;
  bool isBroken = false;  // by a writer that was killed
  if (std::ifstream in(file, std::ios::binary); in.seekg(-1, std::ios::end)) isBroken = in.get() != '\n';
  std::ofstream out(file, std::ios::app);
  out << (isBroken ? "\n" : "") << line.dump() << "\n";
  out.close();
  if (!out) failToWrite(file);
}

std::string JobFolder::word(const char* file) const {
  std::string word;
  std::ifstream(path_ / file) >> word;
  return word;
}

void JobFolder::keep(const char* name, const std::string& word) const {
  const fs::path file = path_ / name, unfinished = file.string() + ".unfinished";
  std::ofstream out(unfinished);
  out << word << "\n";
  out.close();
  std::error_code fault;
  if (out) fs::rename(unfinished, file, fault);
  if (!out || fault) failToWrite(file);
}

protocol::ReplicaCount JobFolder::wanted() const {
  if (const std::string text = word(kWanted); !text.empty()) return protocol::ReplicaCount::parse(text);
  return {.number = std::nullopt, .automatic = spec().auto_replicas};
}

void JobFolder::want(const protocol::ReplicaCount& count) const {
  keep(kWanted, count.automatic ? count.automatic->text() : std::to_string(count.number.value()));
}

void JobFolder::chooseNodes(int nodes) const { keep(kChosen, std::to_string(nodes)); }

// A number that goodput is to choose begins with the least, until there is a model that predicts the goodput
// of more.
NodeRange JobFolder::nextNodes(int replicas_per_node, const NodeRange& range) const {
  const protocol::ReplicaCount count = wanted();
  if (!count.number && !count.automatic) return range;
  const int needed = count.number ? nodesFor(*count.number, replicas_per_node)
                                  : std::max(QString::fromStdString(word(kChosen)).toInt(),
                                             nodesFor(count.automatic->min, replicas_per_node));
  return {range.least, std::clamp(needed, range.least, range.most)};
}

std::optional<JobOrder> JobFolder::order() const {
  std::ifstream in(path_ / kOrder);
  JobOrder order;
  std::string recalled;
  if (!(in >> order.number)) return std::nullopt;
  in >> recalled;
  order.recalled = recalled == kRecalled;
  return order;
}

void JobFolder::keepOrder(const JobOrder& order) const {
  keep(kOrder, order.recalled ? order.number + " " + kRecalled : order.number);
}

void JobFolder::dropOrder() const {
  std::error_code fault;
  fs::remove(path_ / kOrder, fault);
  if (fault) failToWrite(path_ / kOrder);
}

bool isJobFolder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kScript, ignored);
}

int jobsWithoutStep(const std::vector<Job>& jobs) {
  int without = 0;
  std::optional<std::int64_t> later;
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
    const auto reached = job->last_step ? job->last_step : later;
    if (job->first_step && reached && *reached > *job->first_step) break;
    ++without;
    if (job->first_step) later = job->first_step;
  }
  return without;
}

std::optional<JobFolder> jobFolderOf(const std::string& run) {
  std::error_code fault;
  const fs::path folder = fs::read_symlink(protocol::run_paths(run).root / kNote, fault);
  if (fault || !fs::is_directory(folder, fault)) return std::nullopt;
  return JobFolder(folder);
}

void noteJobFolder(const JobFolder& folder) {
  const fs::path link = protocol::run_paths(folder.run()).root / kNote;
  std::error_code fault;
  fs::create_directory_symlink(folder.path(), link, fault);
  if (fault) failToWrite(link);
}

}  // namespace batchscope::cli::slurm
