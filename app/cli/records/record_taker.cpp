// SPDX-License-Identifier: Apache-2.0
#include "records/record_taker.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/annotation.h"
#include "records/description.h"
#include "records/run_record_json.h"
#include "records/sample_stretches.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSamplesPerCommit = 200'000;
constexpr std::size_t kPartsPerCommit = 1'000;

}  // namespace

RecordTaker::RecordTaker(std::string id, storage::Origin origin, std::optional<protocol::RunSpec> spec)
    : id_(std::move(id)),
      origin_(std::move(origin)),
      spec_(std::move(spec)),
      origins_(protocol::catalogue_path()) {
  const fs::path file = protocol::run_paths(id_).samples;
  origins_.take(id_, origin_, {});  // refused before anything is written
  writer_ = std::make_unique<storage::SampleWriter>(file);
  counts_ = storedCounts(file);
}

void RecordTaker::readOnFrom(std::int64_t offset) {
  origin_.taken = offset;
  splitter_ = protocol::LineSplitter(kLongestRecordLine);
}

void RecordTaker::feed(std::string_view bytes) {
  // Takes whole lines, so that a commit is up to the end of one.
  for (const std::string& line : splitter_.feed(bytes)) {
    take(line);
    origin_.taken += static_cast<std::int64_t>(line.size()) + 1;
    if (pending_ > kSamplesPerCommit || parts_.size() > kPartsPerCommit) commit();
  }
}

void RecordTaker::commit() {
  writer_->commit();
  origins_.take(id_, origin_, parts_);
  parts_.clear();
  pending_ = 0;
}

void RecordTaker::take(const std::string& line) {
  try {
    const RecordLine parsed = parseRecordLine(line);
    isEnded_ = std::holds_alternative<RecordEnd>(parsed);
    if (const auto* description = std::get_if<protocol::Json>(&parsed))
      describe(*description);
    else if (const auto* block = std::get_if<RecordBlock>(&parsed))
      take(*block);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    pass(error.what());
  }
}

void RecordTaker::describe(const protocol::Json& description) {
  storage::RecordPart part = recordPart(description);
  storage::Run& run = part.record.run;
  if (run.id != id_)
    throw Error(ErrorKind::conflict, say("{} holds the record of a run {}, not of {}",
                                         storage::place_of(origin_), printable(run.id), id_));
  try {
    storage::check_name(run.name);
  } catch (const Error& error) {
    throw Error(ErrorKind::corrupt, fmt::format("run.name {}", error.what()));
  }
  state_ = run.state;
  if (spec_) {
    // A supervisor changes these while the run goes on; the rest was said once.
    spec_->replicas = run.spec.replicas;
    spec_->auto_replicas = run.spec.auto_replicas;
    spec_->group = run.spec.group;
    spec_->name = run.name;
    run.spec = *spec_;
    if (protocol::is_active(run.state) || run.state == protocol::RunState::interrupted)
      run.state = protocol::RunState::stopped;
  }
  parts_.push_back(std::move(part));
}

void RecordTaker::take(const RecordBlock& block) {
  std::int64_t& count = counts_[{block.series, block.generation}];
  const auto size = static_cast<std::int64_t>(block.samples.size());
  const std::int64_t from = block.from < 0 ? count : block.from;
  if (from > count) {
    missing_ += from - count;
    count = from;
  }
  const std::int64_t known = std::min(count - from, size);
  const auto fresh = std::span(block.samples).subspan(static_cast<std::size_t>(known));
  if (fresh.empty()) return;
  count += size - known;
  try {
    appendStretches(*writer_, block.series, block.generation, fresh);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    late_ += static_cast<std::int64_t>(fresh.size());
    return;
  }
  samples_ += static_cast<std::int64_t>(fresh.size());
  pending_ += static_cast<std::int64_t>(fresh.size());
}

void RecordTaker::pass(const std::string& why) {
  if (passed_++ == 0) firstPassed_ = say("at byte {}: {}", origin_.taken, why);
}

std::vector<std::string> RecordTaker::troubles() const {
  std::vector<std::string> list;
  if (passed_ > 0)
    list.push_back(passed_ == 1 ? say("{} of the record could not be read and was skipped, the first {}",
                                      plural(passed_, "line"), firstPassed_)
                                : say("{} of the record could not be read and were skipped, the first {}",
                                      plural(passed_, "line"), firstPassed_));
  if (missing_ > 0)
    list.push_back(missing_ == 1 ? say("{} of the record is missing", plural(missing_, "sample"))
                                 : say("{} of the record are missing", plural(missing_, "sample")));
  if (late_ > 0)
    list.push_back(late_ == 1
                       ? say("{} came too late to get its place in the series", plural(late_, "sample"))
                       : say("{} came too late to get their place in the series", plural(late_, "sample")));
  return list;
}

}  // namespace batchscope::cli
