// SPDX-License-Identifier: Apache-2.0
#include "records/record_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/node_devices.h"
#include "batchscope/storage/record_json.h"
#include "records/record_file.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using protocol::Json;
using Samples = std::span<const storage::Sample>;

constexpr std::size_t kFlushedAt = 1 << 20;  // bytes
constexpr std::size_t kNewest = 16;          // samples by which a place in a series is known again
constexpr double kProgressInterval = 5;      // s between descriptions in which a run has only come further

// Returns the value as bits, all NaNs being one.
std::uint64_t bits(double value) {
  return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value);
}

bool isSame(const storage::Sample& a, const storage::Sample& b) {
  return a.step == b.step && bits(a.value) == bits(b.value);
}

void keepNewest(std::vector<storage::Sample>& newest, Samples samples) {
  newest.insert(newest.end(), samples.begin(), samples.end());
  if (newest.size() > kNewest) newest.erase(newest.begin(), newest.end() - kNewest);
}

// Returns the samples of a block that the lines before it had not: what two writers wrote at a time readers
// take once. `told`: samples that these lines have or had, and then this one, too.
Samples freshOf(const RecordBlock& block, std::int64_t& told) {
  const auto size = std::ssize(block.samples);
  const std::int64_t known = block.from < 0 ? 0 : std::clamp<std::int64_t>(told - block.from, 0, size);
  told = std::max(told, block.from) + size - known;
  return Samples(block.samples).subspan(static_cast<std::size_t>(known));
}

// Returns the leases of the run, with their node, for other machines must know whose devices they are.
std::vector<storage::LeaseEvent> leasesOf(std::vector<storage::LeaseEvent> leases, const std::string& run) {
  std::erase_if(leases, [&](const storage::LeaseEvent& lease) { return lease.run != run; });
  for (storage::LeaseEvent& lease : leases)
    if (run::node_of_device(lease.device).empty()) lease.device = protocol::node_name() + "/" + lease.device;
  return leases;
}

// Removes what changes with every step.
Json withoutProgress(Json run) {
  for (const char* name : {"step", "fraction", "latest"}) run.erase(name);
  return run;
}

}  // namespace

RecordWriter::RecordWriter(fs::path file, std::string run) : file_(std::move(file)), run_(std::move(run)) {
  protocol::LineSplitter splitter(kLongestRecordLine);
  const auto hearLines = [&](std::string_view bytes) {
    for (const std::string& line : splitter.feed(bytes)) hear(line);
  };
  char last = '\n';
  readFrom(file_, 0, [&](std::string_view bytes) {
    hearLines(bytes);
    last = bytes.back();
  });
  // The line that a killed writer left behind is ended, and may be whole all the same.
  if (last != '\n') {
    hearLines("\n");
    text_ = "\n";
  }
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ < 0) refuse();
}

RecordWriter::~RecordWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordWriter::hear(std::string_view text) {
  try {
    const RecordLine line = parseRecordLine(text);
    isEnded_ = false;
    if (const auto* description = std::get_if<Json>(&line)) {
      description_.hear(*description);
      if (const Json& id = description_.whole().at("run").at("id"); id != run_)
        throw Error(ErrorKind::conflict,
                    say("{} holds the record of another run; name another file", file_.string()));
    } else if (const auto* block = std::get_if<RecordBlock>(&line)) {
      Track& track = tracks_[{block->series, block->generation}];
      const Samples fresh = freshOf(*block, track.told);
      track.position += std::ssize(fresh);
      end_.samples += std::ssize(block->samples);
      keepNewest(track.newest, fresh);
    } else {
      isEnded_ = true;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;  // else readers pass it over, too
  }
}

void RecordWriter::update(storage::Catalogue& catalogue) {
  updateDescription(catalogue);
  updateSamples();
  flush();
  if (!isSynchronised_) synchronise();
}

void RecordWriter::updateDescription(storage::Catalogue& catalogue) {
  Json now = storage::record_json(catalogue.record(run_));
  now["checkpoints"] = storage::records_json(catalogue.checkpoints(run_));
  now["leases"] = storage::records_json(leasesOf(catalogue.lease_events(now["run"].at("created")), run_));
  const Json& whole = description_.whole();
  if (!whole.is_null() && storage::now() - described_ < kProgressInterval &&
      withoutProgress(now["run"]) == withoutProgress(whole.value("run", Json::object())))
    now["run"] = whole.at("run");
  const std::optional<Json> news = description_.news(now);
  if (!news) return;
  append(recordText(*news));
  described_ = storage::now();
  isSynchronised_ &= !news->contains("checkpoints");
  description_.hear(*news);
}

void RecordWriter::updateSamples() {
  const fs::path samples = protocol::run_paths(run_).samples;
  std::error_code fault;
  if (!fs::exists(samples, fault)) return;
  storage::SampleReader reader(samples);  // opened anew, as a supervisor may set a damaged file aside
  for (const storage::SeriesInfo& info : reader.series()) {
    if (std::int64_t& before = counts_[info.name]; before != info.count) {
      before = info.count;
      for (const int generation : reader.generations(info.name)) updateTrack(reader, {info.name, generation});
    }
  }
}

void RecordWriter::updateTrack(storage::SampleReader& reader, const TrackName& name) {
  Track& track = tracks_[name];
  const auto overlap = static_cast<std::int64_t>(track.newest.size());
  const auto& [series, generation] = name;
  std::vector<storage::Sample> block =
      reader.read_positions(series, generation, track.position - overlap, overlap + kBlockSamples);
  const bool isInPlace = std::ssize(block) >= overlap &&
                         std::equal(track.newest.begin(), track.newest.end(), block.begin(), isSame);
  if (!isInPlace) {  // samples have come late, or a line cannot be read any more
    write(track, name, missing(reader, name));
    return;
  }
  block.erase(block.begin(), block.begin() + overlap);
  while (!block.empty()) {
    write(track, name, block);
    track.position += std::ssize(block);
    keepNewest(track.newest, block);
    block = reader.read_positions(series, generation, track.position, kBlockSamples);
  }
}

// Returns the samples of the store that the file has not; the place in the series is behind all of them then.
std::vector<storage::Sample> RecordWriter::missing(storage::SampleReader& reader, const TrackName& name) {
  flush();
  std::multiset<std::pair<std::int64_t, std::uint64_t>> samples_in_file;
  protocol::LineSplitter splitter(kLongestRecordLine);
  std::int64_t heard_samples = 0;
  const auto hearSamples = [&](const std::string& text) {
    try {
      const RecordLine line = parseRecordLine(text);
      const auto* block = std::get_if<RecordBlock>(&line);
      if (block == nullptr || block->series != name.first || block->generation != name.second) return;
      for (const storage::Sample& sample : freshOf(*block, heard_samples))
        samples_in_file.emplace(sample.step, bits(sample.value));
    } catch (const Error&) {
    }
  };
  readFrom(file_, 0, [&](std::string_view bytes) {
    for (const std::string& line : splitter.feed(bytes)) hearSamples(line);
  });
  Track& track = tracks_[name];
  track.position = 0;
  track.newest.clear();
  std::vector<storage::Sample> fresh;
  for (;;) {
    const auto block = reader.read_positions(name.first, name.second, track.position, kBlockSamples);
    if (block.empty()) return fresh;
    for (const storage::Sample& sample : block)
      if (const auto known = samples_in_file.find({sample.step, bits(sample.value)});
          known != samples_in_file.end())
        samples_in_file.erase(known);
      else
        fresh.push_back(sample);
    track.position += std::ssize(block);
    keepNewest(track.newest, block);
  }
}

void RecordWriter::write(Track& track, const TrackName& name, Samples samples) {
  for (; !samples.empty(); samples = samples.subspan(std::min<std::size_t>(kBlockSamples, samples.size()))) {
    const Samples part = samples.first(std::min<std::size_t>(kBlockSamples, samples.size()));
    append(blockText(name.first, name.second, track.told, part));
    track.told += std::ssize(part);
    end_.samples += std::ssize(part);
  }
}

void RecordWriter::finish() {
  if (!isEnded_) append(endText(end_));
  isEnded_ = true;
  flush();
  synchronise();
}

void RecordWriter::append(const std::string& line) {
  text_ += line;
  text_ += '\n';
  isEnded_ = false;
  if (text_.size() > kFlushedAt) flush();
}

void RecordWriter::flush() {
  for (std::string_view rest = text_; !rest.empty();) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) refuse();
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  text_.clear();
}

void RecordWriter::synchronise() {
  if (::fsync(descriptor_) != 0) refuse();
  isSynchronised_ = true;
}

void RecordWriter::refuse() const {
  throw Error(ErrorKind::io, say("cannot write {}: {}", file_.string(), std::strerror(errno)));
}

}  // namespace batchscope::cli
