// SPDX-License-Identifier: Apache-2.0
#include "files/run_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/text.h"
#include "files/tar_stream.h"

namespace batchscope::web {
namespace {

namespace fs = std::filesystem;
using protocol::Json;

constexpr char kLogs[] = "logs";  // of which only those of replicas count
const std::set<std::string> kFolders{kLogs, "share", "tensorboard"};
constexpr char kCheckpoints[] = "checkpoints", kArchive[] = ".tar";
constexpr std::size_t kMostFiles = 2000;   // of a list
constexpr int kMostSeen = 50'000;          // names that are looked at for it
constexpr int kMostDepth = 8;              // folders below one of ours
constexpr std::size_t kPiece = 256 << 10;  // bytes of an archive

// Hidden files are none of ours: programs keep their secrets in them.
bool is_plain(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         protocol::printable(name) == name;
}

double seconds(fs::file_time_type time) {
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// A checkpoint's files, held open.
struct Archive {
  explicit Archive(const protocol::RunPaths& paths, const std::string& name)
      : folder(paths.checkpoints / name, paths.memory) {
    add(protocol::kManifestFile);
    for (const auto& each : protocol::read_manifest(paths.checkpoints / name, paths.memory).files)
      add(each.name);
  }
  void add(const std::string& name) {
    const auto [path, bytes] = folder.file(name);
    entries.push_back({name, path, bytes});
  }

  protocol::CheckpointFolder folder;
  std::vector<TarStream::Entry> entries;
};

class FileList {
 public:
  explicit FileList(const storage::Run& run) : paths_(protocol::run_paths(run.id)) {
    for (const std::string& folder : kFolders) add_folder(folder);
    for (const fs::path& checkpoint : protocol::list_checkpoints(paths_.checkpoints))
      add_checkpoint(checkpoint);
    std::sort(files_.begin(), files_.end());
  }

  Json json() const {
    Json list = Json::array();
    for (const auto& [path, bytes, time] : files_)
      list.push_back({{"path", path}, {"bytes", bytes}, {"time", time}});
    return {{"files", std::move(list)}, {"left_out", left_out_}};
  }

 private:
  void add_folder(const std::string& name) {
    std::error_code fault;
    if (fs::is_symlink(paths_.root / name, fault)) return;
    fs::recursive_directory_iterator entry(paths_.root / name, fs::directory_options::skip_permission_denied,
                                           fault);
    for (int seen = 0; !fault && entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
      if (++seen > kMostSeen) return void(++left_out_);
      if (name == kLogs && !protocol::parse_log_name(entry->path().filename().native())) continue;
      const fs::file_status status = entry->symlink_status(fault);
      const bool is_named = is_plain(entry->path().filename().string());
      if (fs::is_directory(status)) {
        if (is_named && entry.depth() < kMostDepth) continue;
        entry.disable_recursion_pending();
        ++left_out_;
      } else if (is_named && fs::is_regular_file(status)) {
        add(entry->path(), static_cast<std::int64_t>(entry->file_size(fault)));
      } else {
        ++left_out_;
      }
    }
  }

  void add_checkpoint(const fs::path& checkpoint) {
    try {
      const Archive archive(paths_, checkpoint.filename().string());
      add(checkpoint.string() + kArchive, TarStream::size(archive.entries), checkpoint);
    } catch (const Error&) {  // damaged, or just removed
      ++left_out_;
    }
  }

  void add(const fs::path& path, std::int64_t bytes, const fs::path& dated = {}) {
    if (files_.size() >= kMostFiles) return void(++left_out_);
    std::error_code fault;
    const auto time = fs::last_write_time(dated.empty() ? path : dated, fault);
    files_.push_back({path.lexically_relative(paths_.root).string(), bytes, fault ? 0 : seconds(time)});
  }

  struct File {
    std::string path;
    std::int64_t bytes;
    double time;  // s since 1970
    bool operator<(const File& other) const { return path < other.path; }
  };
  const protocol::RunPaths paths_;
  std::vector<File> files_;
  int left_out_ = 0;
};

[[noreturn]] void refuse(const storage::Run& run, const std::string& path) {
  throw Error(ErrorKind::not_found,
              fmt::format("run {} has no file {} to be downloaded", run.id, protocol::printable(path)));
}

RunFile open_checkpoint(const storage::Run& run, const std::string& name) {
  const auto archive = std::make_shared<Archive>(protocol::run_paths(run.id), name);
  const auto stream = std::make_shared<TarStream>(name, archive->entries);
  return {name + kArchive, TarStream::size(archive->entries),
          [archive, stream] { return stream->read(kPiece); }};  // the archive holds the folder open
}

// Opens one name after another, from the run's folder on, so that no link is followed wherever it stands.
std::shared_ptr<PlainFile> open_below(const fs::path& root, const std::vector<std::string>& names) {
  int folder = ::open(root.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
  for (std::size_t i = 0; i < names.size() && folder >= 0; ++i) {
    const bool is_last = i + 1 == names.size();
    const int found = ::openat(folder, names[i].c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (is_last ? O_NONBLOCK : O_DIRECTORY));
    ::close(folder);
    folder = found;
  }
  return std::make_shared<PlainFile>(folder);
}

}  // namespace

Json files_json(const storage::Run& run) { return FileList(run).json(); }

RunFile open_file(const storage::Run& run, const std::string& path) {
  std::vector<std::string> names;
  std::istringstream text(path + '/');
  for (std::string name; std::getline(text, name, '/');) names.push_back(name);
  if (names.size() < 2 || names.size() > kMostDepth + 2 || !std::all_of(names.begin(), names.end(), is_plain))
    refuse(run, path);
  if (names.front() == kCheckpoints && names.size() == 2 && names[1].ends_with(kArchive)) {
    const std::string name = names[1].substr(0, names[1].size() - (sizeof kArchive - 1));
    if (!protocol::checkpoint_number(name)) refuse(run, path);
    return open_checkpoint(run, name);
  }
  if (!kFolders.contains(names.front())) refuse(run, path);
  if (names.front() == kLogs && !protocol::parse_log_name(names.back())) refuse(run, path);
  const auto file = open_below(protocol::run_paths(run.id).root, names);
  if (!file->is_there()) refuse(run, path);
  return {names.back(), file->size(), pieces_of(file)};
}

}  // namespace batchscope::web
