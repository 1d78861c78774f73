// SPDX-License-Identifier: Apache-2.0
#include "trackers/imported_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "batchscope/common/heard.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/event_file.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/annotation.h"
#include "records/sample_stretches.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using protocol::Json;
using protocol::RunState;

constexpr std::int64_t kSamplesToCommit = 200'000;
constexpr std::size_t kReadBytes = 1 << 16;
constexpr std::size_t kHead = 1024;  // bytes by which a file is known again
constexpr std::size_t kLongestRunName = 200, kLongestTagText = 64, kLongestParameter = 1000;  // bytes
constexpr std::size_t kLongestNoteText = 1'000'000, kMostParameters = 1000;

// At most so many bytes of a text on one line, whole characters of it.
std::string shortened(const std::string& text, std::size_t bytes) {
  std::string line = printable(text);
  if (line.size() <= bytes) return line;
  while (bytes > 0 && (static_cast<unsigned char>(line[bytes]) & 0xC0) == 0x80) --bytes;
  return line.substr(0, bytes);
}

std::string nameOf(const std::string& text) {
  const std::string name = shortened(text, kLongestRunName);
  return name.empty() || name == "latest" ? "imported" : name;
}

// The first of the two that is a time, s since 1970; else 0.
double timeOr(double said, double seen) {
  constexpr double kLast = 1e11;  // in the year 5138
  return said > 0 && said < kLast ? said : seen > 0 && seen < kLast ? seen : 0;
}

std::string headOf(const fs::path& file, std::size_t bytes) {
  std::string head(bytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(bytes));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

// Where a file lies in what is imported.
std::string relativeName(const RunSource& source, const fs::path& file) {
  return file == source.place ? file.filename().string() : file.lexically_relative(source.place).string();
}

}  // namespace

ImportedRun::ImportedRun(storage::Catalogue& catalogue, RunSource source, std::string name)
    : catalogue_(catalogue),
      origins_(protocol::catalogue_path()),
      source_(std::move(source)),
      origin_{.folder = source_.place.string(), .followed = true} {
  run_.name = nameOf(name);
  if (const auto known = find()) {
    run_ = *known;
    if (run_.removed > 0)
      throw Error(ErrorKind::conflict,
                  say("{} was imported as {}, which is in the trash: batchscope restore {}",
                      printable(origin_.folder), title(run_), run_.id));
    readList();
  } else {
    isNew_ = true;
  }
  addNewFiles();
}

// The run that was taken from there before.
std::optional<storage::Run> ImportedRun::find() {
  const auto isTaken = [&](const storage::Origin& origin) {
    return origin.host.empty() && origin.folder == origin_.folder;
  };
  for (const auto& [id, origin] : origins_.followed())
    if (isTaken(origin)) return catalogue_.run(id);
  for (const storage::Run& run : catalogue_.trash())
    if (const auto origin = origins_.find(run.id); origin && isTaken(*origin)) return run;
  return std::nullopt;
}

fs::path ImportedRun::listFile() const { return protocol::run_paths(run_.id).root / "import.json"; }

void ImportedRun::readList() {
  std::ifstream in(listFile());
  const Json list = in ? Json::parse(in, nullptr, false) : Json();
  if (!list.is_object() || !list.contains("files")) return;
  for (const Json& entry : list["files"]) {
    const std::string name = entry.value("file", "");  // empty: the source is the file
    const fs::path file = name.empty() ? source_.place : source_.place / name;
    const std::string head = headOf(file, entry.value("head", std::size_t{0}));
    std::error_code fault;
    if (fs::exists(file, fault) && protocol::masked_crc32c(head) != entry.value("checksum", 0u))
      throw Error(ErrorKind::conflict,
                  say("{} was replaced since it was imported as {}; to import the new one, first "
                      "delete the old: batchscope rm --purge {}",
                      printable(file.string()), title(run_), run_.id));
    files_.push_back({file, source_.reader(file)});
  }
}

void ImportedRun::writeList() const {
  Json files = Json::array();
  for (const File& file : files_) {
    const std::string head = headOf(file.path, kHead);
    files.push_back({{"file", file.path == source_.place ? "" : relativeName(source_, file.path)},
                     {"head", head.size()},
                     {"checksum", protocol::masked_crc32c(head)}});
  }
  const fs::path file = listFile(), unfinished = file.string() + ".partial";
  std::ofstream(unfinished) << Json{{"tracker", trackerName(source_.tracker)}, {"files", files}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  if (std::rename(unfinished.c_str(), file.c_str()) != 0)
    throw Error(ErrorKind::io, say("cannot write {}: {}", file.string(), std::strerror(errno)));
}

void ImportedRun::addNewFiles() {
  for (const fs::path& path : source_.files())
    if (std::ranges::find(files_, path, &File::path) == files_.end())
      files_.push_back({path, source_.reader(path)});
  generations_.resize(source_.isGenerationAFile() ? files_.size() : 1);
}

bool ImportedRun::hasGrown() {
  addNewFiles();
  return std::ranges::any_of(files_, [](const File& file) {
    std::error_code fault;
    const auto size = fs::file_size(file.path, fault);
    return !fault && static_cast<std::int64_t>(size) > file.read;
  });
}

void ImportedRun::read(const std::function<void(std::int64_t bytes)>& advance, bool isLive) {
  for (std::size_t i = 0; i < files_.size(); ++i) readFile(i, advance, isLive);
  source_.describe(generations_.front().findings);
  const RunFacts facts = this->facts();
  if (!facts.hyperparameters.empty() || !facts.summary.empty()) open();
  if (!writer_) return;
  writer_->commit();
  pending_ = 0;
  put(isLive);
  writeList();
  isRead_ = true;
}

void ImportedRun::readFile(std::size_t index, const std::function<void(std::int64_t bytes)>& advance,
                           bool isLive) {
  File& file = files_[index];
  const std::size_t generation = source_.isGenerationAFile() ? index : 0;
  Findings& findings = generations_[generation].findings;
  std::ifstream in(file.path, std::ios::binary);
  std::error_code fault;
  if (!in) {
    if (fs::exists(file.path, fault))
      findings.leaveOut(say("files ({}) that cannot be opened", printable(file.path.filename().string())));
    return;
  }
  in.seekg(file.read);
  std::array<char, kReadBytes> bytes;
  while (in.read(bytes.data(), bytes.size()), in.gcount() > 0) {
    file.reader->feed({bytes.data(), static_cast<std::size_t>(in.gcount())}, findings);
    file.read += in.gcount();
    store(static_cast<int>(generation));
    advance(in.gcount());
  }
  if (!isLive) file.reader->end(findings);
  store(static_cast<int>(generation));
}

void ImportedRun::store(int number) {
  Generation& generation = generations_[static_cast<std::size_t>(number)];
  for (const auto& [series, samples] : generation.findings.take()) {
    if (samples.empty()) continue;
    open();
    if (generation.firstStep < 0 || samples.front().step < generation.firstStep)
      generation.firstStep = samples.front().step;
    generation.lastStep = std::max(generation.lastStep, samples.back().step);
    if (series == protocol::series::kTime) {
      if (generation.started == 0) generation.started = samples.front().value;
      generation.ended = samples.back().value;
    }
    latest_[series] = samples.back().value;
    std::int64_t& stored = stored_[{series, number}];
    const auto known = std::min(stored, static_cast<std::int64_t>(samples.size()));
    stored -= known;
    const auto fresh = std::span(samples).subspan(static_cast<std::size_t>(known));
    appendStretches(*writer_, series, number, fresh);
    taken_ += static_cast<std::int64_t>(fresh.size());
    pending_ += static_cast<std::int64_t>(fresh.size());
  }
  if (pending_ <= kSamplesToCommit) return;
  writer_->commit();
  pending_ = 0;
}

// Adds the run to the store before its first sample is written, so that after a kill another import
// continues.
void ImportedRun::open() {
  if (writer_) return;
  if (run_.id.empty()) {
    do run_.id = protocol::new_run_id();
    while (catalogue_.run(run_.id) || fs::exists(protocol::run_paths(run_.id).root));
    put(false);
  }
  const fs::path samples = protocol::run_paths(run_.id).samples;
  writer_ = std::make_unique<storage::SampleWriter>(samples);
  stored_ = storedCounts(samples);
  writeList();
}

RunFacts ImportedRun::facts() const {
  RunFacts all;
  for (const Generation& generation : generations_) {
    const RunFacts& facts = generation.findings.run;
    const auto prefer = [](auto& to, const auto& from) {
      if (from != std::remove_cvref_t<decltype(from)>()) to = from;
    };
    prefer(all.name, facts.name);
    prefer(all.group, facts.group);
    prefer(all.note, facts.note);
    prefer(all.program, facts.program);
    prefer(all.tags, facts.tags);
    prefer(all.state, facts.state);
    prefer(all.started, facts.started);
    prefer(all.ended, facts.ended);
    for (const auto& [name, value] : facts.hyperparameters) all.hyperparameters[name] = value;
    for (const auto& [name, value] : facts.summary) all.summary[name] = value;
  }
  return all;
}

void ImportedRun::put(bool isLive) {
  const RunFacts facts = this->facts();
  if (const auto known = catalogue_.run(run_.id)) run_ = *known;
  storage::RecordPart part;
  for (std::size_t i = 0; i < generations_.size(); ++i) {
    const Generation& generation = generations_[i];
    if (generation.firstStep < 0 && i > 0) continue;
    storage::Generation& row = part.record.generations.emplace_back();
    row.number = static_cast<int>(i);
    row.replicas = 1;
    row.reason = i == 0 ? "start" : "resume";
    row.started = generation.started;
    row.ended = isLive && i + 1 == generations_.size() ? 0 : generation.ended;
    row.first_step = std::max<std::int64_t>(generation.firstStep, 0);
    row.last_step = std::max<std::int64_t>(generation.lastStep, 0);
    run_.step = std::max(run_.step, generation.lastStep);
  }
  const Generation &first = generations_.front(), &last = generations_.back();
  if (isNew_ && !isRead_) annotate(facts);
  run_.spec.name = run_.name;
  run_.state = isLive ? RunState::running : facts.state.value_or(RunState::stopped);
  run_.fraction = run_.state == RunState::finished ? 1 : 0;
  if (const double started = timeOr(facts.started, first.started); started > 0) run_.created = started;
  if (run_.created == 0) run_.created = storage::now();
  run_.ended = isLive ? 0 : timeOr(facts.ended, last.ended);
  for (const auto& [name, value] : facts.summary) run_.latest[printable(name)] = value;
  for (const auto& [name, value] : latest_) run_.latest[name] = value;
  for (const auto& [name, value] : facts.hyperparameters)
    if (run_.hyperparameters.size() < kMostParameters)
      run_.hyperparameters[shortened(name, kLongestParameter)] = shortened(value, kLongestParameter);
  part.record.run = run_;
  origins_.take(run_.id, origin_, {&part, 1});
  if (isLive) common::noteHeard(run_.id);
}

// Sets the tracker's facts about the run; a person's later changes stay.
void ImportedRun::annotate(const RunFacts& facts) {
  if (!facts.name.empty()) run_.name = nameOf(facts.name);
  run_.spec.program = printable(facts.program);
  run_.spec.group = shortened(facts.group, kLongestRunName);
  run_.note = facts.note.size() <= kLongestNoteText ? printable_lines(facts.note) : std::string();
  run_.tags.clear();
  for (std::string tag : facts.tags) {
    std::ranges::replace(tag, ',', ' ');
    tag = shortened(tag, kLongestTagText);
    if (!tag.empty() && std::ranges::find(run_.tags, tag) == run_.tags.end()) run_.tags.push_back(tag);
  }
}

std::vector<std::string> ImportedRun::troubles() const {
  std::vector<std::string> list;
  for (const File& file : files_)
    if (const std::string trouble = file.reader->trouble(); !trouble.empty())
      list.push_back(fmt::format("{}: {}", printable(file.path.string()), trouble));
  std::map<std::string, std::int64_t> leftOut;
  for (const Generation& generation : generations_)
    for (const auto& [what, count] : generation.findings.leftOut) leftOut[what] += count;
  for (const auto& [what, count] : leftOut)
    list.push_back(say("{}: not read: {} {}", printable(source_.place.string()), count, what));
  return list;
}

}  // namespace batchscope::cli
