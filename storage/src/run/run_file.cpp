// SPDX-License-Identifier: Apache-2.0
//
// The column `value` has the type ANY, because a REAL column would take -0 for 0. NaN is NULL.
#include "batchscope/storage/run_file.h"

#include <limits>
#include <set>

#include "batchscope/protocol/error.h"
#include "database/database.h"

namespace batchscope::storage {
namespace {

constexpr int kBlockSamples = 4096;
constexpr std::int64_t kRowsPerCommit = 100'000;
constexpr int kMostGeneration = 1'000'000'000;

// The statements as SQLite repeats them in its schema, by which a reader knows the file for one of ours.
constexpr char kDescription[] = "CREATE TABLE description (text TEXT NOT NULL) STRICT";
constexpr char kSample[] =
    "CREATE TABLE sample (series TEXT NOT NULL, generation INTEGER NOT NULL, step INTEGER NOT NULL, value "
    "ANY) STRICT";
constexpr char kIndex[] = "CREATE INDEX sample_by_series ON sample (series, generation, step)";

const Schema& run_file_schema() {
  static const Schema schema{0x42537266,  // "BSrf"
                             "an exported run",
                             {std::string(kDescription) + ";" + kSample + ";" + kIndex}};
  return schema;
}

const std::filesystem::path& refuse_existing(const std::filesystem::path& file) {
  if (std::filesystem::exists(file))
    throw Error(ErrorKind::conflict, file.string() + " exists already: name another file");
  return file;
}

}  // namespace

struct RunFileWriter::Impl {
  explicit Impl(const std::filesystem::path& file)
      : database(refuse_existing(file), run_file_schema(), Access::write) {}

  Database database;
};

RunFileWriter::RunFileWriter(const std::filesystem::path& file, std::string_view description)
    : impl_(std::make_unique<Impl>(file)) {
  impl_->database.write([&] {
    impl_->database.execute("INSERT INTO description (text) VALUES (?)", std::string(description));
  });
}

RunFileWriter::~RunFileWriter() = default;

void RunFileWriter::append(std::string_view series, int generation, std::span<const Sample> samples) {
  const std::string name(series);
  while (!samples.empty()) {
    const auto part = samples.first(std::min<std::size_t>(samples.size(), kRowsPerCommit));
    impl_->database.write([&] {
      for (const Sample& sample : part)
        impl_->database.execute("INSERT INTO sample (series, generation, step, value) VALUES (?, ?, ?, ?)",
                                name, generation, sample.step, sample.value);
    });
    samples = samples.subspan(part.size());
  }
}

// Out of the write-ahead log, so that one file is all.
void RunFileWriter::finish() {
  impl_->database.checkpoint();
  impl_->database.execute("PRAGMA journal_mode = DELETE");
}

struct RunFileReader::Impl {
  explicit Impl(const std::filesystem::path& file) : database(file, run_file_schema(), Access::read) {
    database.execute("PRAGMA trusted_schema = OFF");
    database.execute("PRAGMA cell_size_check = ON");
    check_schema();
    database.quick_check();
    database.read([&] {
      Query row = database.query("SELECT text FROM description");
      if (!row.next()) refuse("it has no description");
      description = row.text(0);
    });
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::corrupt, database.file().string() + " is not an exported run: " + why);
  }

  // Nothing but what we make: a view could compute for ever.
  void check_schema() {
    const std::set<std::string> expected{kDescription, kSample, kIndex};
    std::set<std::string> found;
    database.read([&] {
      Query row = database.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");
      while (row.next()) found.insert(row.text(0));
    });
    if (found != expected) refuse("it has other tables");
  }

  Database database;
  std::string description;
  std::int64_t last_row = 0;
};

RunFileReader::RunFileReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}

RunFileReader::~RunFileReader() = default;

const std::string& RunFileReader::description() const { return impl_->description; }

std::int64_t RunFileReader::count() {
  return impl_->database.read([&] {
    Query row = impl_->database.query("SELECT count(*) FROM sample");
    row.next();
    return row.integer(0);
  });
}

RunFileReader::Block RunFileReader::next() {
  Impl& impl = *impl_;
  return impl.database.read([&] {
    Block block;
    Query row = impl.database.query(
        "SELECT rowid, series, generation, step, value, typeof(value) FROM sample WHERE rowid > ? ORDER BY "
        "rowid"
        " LIMIT ?",
        impl.last_row, kBlockSamples);
    while (row.next()) {
      const std::int64_t generation = row.integer(2);
      if (generation < 0 || generation > kMostGeneration) impl.refuse("a generation is out of range");
      if (const std::string type = row.text(5); type != "real" && type != "null")
        impl.refuse("a value is " + type);
      if (block.samples.empty()) {
        block.series = row.text(1);
        block.generation = static_cast<int>(generation);
      } else if (generation != block.generation || row.text(1) != block.series) {
        break;
      }
      block.samples.push_back({row.integer(3), row.real(4)});
      impl.last_row = row.integer(0);
    }
    return block;
  });
}

}  // namespace batchscope::storage
