// SPDX-License-Identifier: Apache-2.0
#include "files/import_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <optional>

#include "batchscope/protocol/error.h"
#include "records/description.h"
#include "records/record_line.h"
#include "records/run_record_json.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using protocol::Json;
using Block = storage::RunFileReader::Block;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);  // https://sqlite.org/fileformat.html
constexpr std::size_t kReadAtOnce = 1 << 16;                       // bytes

class JsonLinesSource : public ImportSource {
 public:
  explicit JsonLinesSource(const std::filesystem::path& file)
      : file_(file), in_(file, std::ios::binary), size_(std::filesystem::file_size(file)) {}

  storage::RunRecord record() override {
    if (description_.whole().is_null()) {
      const std::optional<std::string> text = line();
      if (!text) refuse(say("it is empty"));
      guarded([&] { description_.hear(protocol::parse_object(*text)); });
    }
    return guarded([&] { return recordFrom(description_.whole()); });
  }

  Block next() override {
    for (;;) {
      const std::optional<std::string> text = line();
      if (!text) {
        if (!isComplete_) refuse(say("it ends in the middle: the last line is missing"));
        return {};
      }
      RecordLine parsed = guarded([&] { return parseRecordLine(*text); });
      isComplete_ = false;  // a run that went on behind its end ends again
      if (const auto* description = std::get_if<Json>(&parsed)) {
        guarded([&] { description_.hear(*description); });
      } else if (const auto* end = std::get_if<RecordEnd>(&parsed)) {
        if (end->samples != count_)
          refuse(say("it has {} samples, but its last line names another number", count_));
        isComplete_ = true;
      } else if (auto& block = std::get<RecordBlock>(parsed); !block.samples.empty()) {
        count_ += static_cast<std::int64_t>(block.samples.size());
        return std::move(block);
      }
    }
  }

  double fraction() const override {
    return static_cast<double>(read_) / static_cast<double>(std::max<std::uintmax_t>(size_, 1));
  }

 private:
  std::optional<std::string> line() {
    while (lines_.empty()) {
      std::array<char, kReadAtOnce> bytes;
      in_.read(bytes.data(), bytes.size());
      if (in_.bad())
        throw Error(ErrorKind::io, say("cannot read {}: {}", file_.string(), std::strerror(errno)));
      if (in_.gcount() == 0) return std::nullopt;
      read_ += static_cast<std::uintmax_t>(in_.gcount());
      for (std::string& text : guarded([&] {
             return splitter_.feed({bytes.data(), static_cast<std::size_t>(in_.gcount())});
           }))
        lines_.push_back(std::move(text));
    }
    std::string text = std::move(lines_.front());
    lines_.pop_front();
    ++number_;
    return text;
  }

  // Turns a parser's complaint into damage with a line.
  template <class Body>
  auto guarded(Body&& body) const -> decltype(body()) {
    try {
      return body();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::version) throw;
      refuse(error.what());
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::corrupt, say("{}, line {}: {}", file_.string(), number_, why));
  }

  std::filesystem::path file_;
  std::ifstream in_;
  std::uintmax_t size_, read_ = 0;
  protocol::LineSplitter splitter_{kLongestRecordLine};
  std::deque<std::string> lines_;
  std::int64_t number_ = 0;  // of the line
  std::int64_t count_ = 0;   // of samples
  Description description_;
  bool isComplete_ = false;
};

class SqliteSource : public ImportSource {
 public:
  explicit SqliteSource(const std::filesystem::path& file)
      : file_(file), reader_(file), total_(reader_.count()) {}

  storage::RunRecord record() override {
    try {
      return recordFrom(protocol::parse_object(reader_.description()));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::version) throw;
      throw Error(ErrorKind::corrupt, fmt::format("{}: {}", file_.string(), error.what()));
    }
  }

  Block next() override {
    Block block = reader_.next();
    done_ += static_cast<std::int64_t>(block.samples.size());
    return block;
  }

  double fraction() const override {
    return static_cast<double>(done_) / static_cast<double>(std::max<std::int64_t>(total_, 1));
  }

 private:
  std::filesystem::path file_;
  storage::RunFileReader reader_;
  std::int64_t total_, done_ = 0;
};

}  // namespace

std::unique_ptr<ImportSource> openImportSource(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw Error(ErrorKind::not_found, say("there is no {}", file.string()));
  if (!std::filesystem::is_regular_file(file))
    throw Error(ErrorKind::usage,
                say("{} is not a file; import what `batchscope export` wrote", file.string()));
  std::ifstream in(file, std::ios::binary);
  std::string magic(kSqliteMagic.size(), '\0');
  if (!in) throw Error(ErrorKind::io, say("cannot open {}: {}", file.string(), std::strerror(errno)));
  in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  magic.resize(static_cast<std::size_t>(in.gcount()));
  in.close();
  if (magic == kSqliteMagic) return std::make_unique<SqliteSource>(file);
  return std::make_unique<JsonLinesSource>(file);
}

}  // namespace batchscope::cli
