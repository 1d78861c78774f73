// SPDX-License-Identifier: Apache-2.0
#include "follow/record_tail.h"

#include <fmt/core.h>

#include <QProcess>
#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "follow/remote.h"
#include "records/record_file.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kPollInterval = std::chrono::milliseconds(250);

[[noreturn]] void throwFileReplaced(const std::string& name) {
  throw Error(ErrorKind::corrupt, say("{} was replaced by another file", name));
}

// Opens the file anew with each read: a shared file system then says what others have written.
class FolderTail : public RecordTail {
 public:
  FolderTail(fs::path file, std::int64_t offset) : file_(std::move(file)), offset_(offset) {}

  std::string read(std::chrono::milliseconds patience) override {
    std::error_code fault;
    const auto size = fs::file_size(file_, fault);
    if (fault) throw Error(ErrorKind::io, fmt::format("{}: {}", file_.string(), fault.message()));
    if (static_cast<std::int64_t>(size) < offset_ || (isFirst_ && !beginsLine(file_, offset_)))
      throwFileReplaced(file_.string());
    isFirst_ = false;
    std::string bytes = readSome(file_, offset_);
    offset_ += static_cast<std::int64_t>(bytes.size());
    isAtEnd_ = bytes.empty();
    if (isAtEnd_) std::this_thread::sleep_for(std::min(patience, kPollInterval));
    return bytes;
  }

  bool isAtEnd() const override { return isAtEnd_; }

 private:
  fs::path file_;
  std::int64_t offset_;
  bool isFirst_ = true, isAtEnd_ = false;
};

// Starts one byte early. If that byte is not a newline, the file was replaced.
class SshTail : public RecordTail {
 public:
  SshTail(const RecordPlace& place, std::int64_t offset, bool once)
      : name_(place.host), awaitsNewline_(offset > 0) {
    std::vector<std::string> command{"exec", "tail", "-c",
                                     fmt::format("+{}", std::max<std::int64_t>(offset, 1))};
    if (!once) command.emplace_back("-f");
    command.insert(command.end(), {"--", place.folder + "/" + kRecordFile});
    process_.setStandardInputFile(QProcess::nullDevice());
    const RemoteCommand remote = onHost(place.host, command, Login::mayAsk);
    process_.start(remote.program, remote.arguments, QIODevice::ReadOnly);
  }

  ~SshTail() override {
    process_.kill();
    process_.waitForFinished();
  }

  std::string read(std::chrono::milliseconds patience) override {
    if (process_.bytesAvailable() == 0) process_.waitForReadyRead(static_cast<int>(patience.count()));
    std::string bytes = process_.readAllStandardOutput().toStdString();
    if (!bytes.empty() && awaitsNewline_) {
      if (bytes.front() != '\n') throwFileReplaced(say("{}: the record", name_));
      bytes.erase(0, 1);
      awaitsNewline_ = false;
    }
    if (bytes.empty() && process_.state() == QProcess::NotRunning && process_.bytesAvailable() == 0) {
      isAtEnd_ = process_.error() == QProcess::UnknownError &&
                 process_.exitStatus() == QProcess::NormalExit && process_.exitCode() == 0;
      if (!isAtEnd_) refuse();
    }
    return bytes;
  }

  bool isAtEnd() const override { return isAtEnd_; }

 private:
  [[noreturn]] void refuse() {
    std::string why = process_.readAllStandardError().trimmed().toStdString();
    if (const auto line = why.rfind('\n'); line != std::string::npos) why.erase(0, line + 1);
    if (why.empty()) why = process_.errorString().toStdString();
    throw Error(ErrorKind::io, fmt::format("{}: {}", name_, printable(why)));
  }

  QProcess process_;
  std::string name_;
  bool awaitsNewline_, isAtEnd_ = false;
};

}  // namespace

RecordPlace RecordPlace::parse(const std::string& text) {
  RecordPlace place;
  const auto colon = text.find(':');
  const bool hasHost = colon != std::string::npos && text.find('/') > colon;
  place.host = hasHost ? text.substr(0, colon) : "";
  place.folder = hasHost ? text.substr(colon + 1) : fs::absolute(text).lexically_normal().string();
  while (place.folder.size() > 1 && place.folder.ends_with('/')) place.folder.pop_back();
  place.id = fs::path(place.folder).filename().string();
  const bool isOption = place.host.starts_with('-') || (hasHost && place.folder.starts_with('-'));
  const bool isControl = std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' '; });
  if (isOption || isControl || (hasHost && place.host.empty()) || !protocol::valid_run_id(place.id))
    throw Error(ErrorKind::usage,
                say("'{}' is not the place of a run: write [HOST:]FOLDER/ID, where ID is the run's "
                    "id, and neither HOST nor FOLDER begins with '-'",
                    printable(text)));
  return place;
}

std::unique_ptr<RecordTail> openRecordTail(const RecordPlace& place, std::int64_t offset, bool once) {
  if (place.host.empty()) return std::make_unique<FolderTail>(fs::path(place.folder) / kRecordFile, offset);
  return std::make_unique<SshTail>(place, offset, once);
}

}  // namespace batchscope::cli
