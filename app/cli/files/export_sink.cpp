// SPDX-License-Identifier: Apache-2.0
#include "files/export_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "batchscope/common/data_forms.h"
#include "batchscope/common/goodput_json.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/event_file.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/record_json.h"
#include "files/output_file.h"
#include "files/unfinished.h"
#include "records/record_line.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using protocol::Json;
using Samples = std::span<const storage::Sample>;

constexpr std::size_t kFlushedAt = 1 << 20;  // bytes

// Returns all that import reads, and the model as people read it, which follows from the rest.
std::string wholeText(const storage::RunRecord& record) {
  Json json = storage::record_json(record);
  json["goodput"] = common::goodputJson(record.run, record.model, record.generations);
  return recordText(json);
}

// How many samples of each series and generation there were before.
class Positions {
 public:
  std::int64_t advance(const std::string& series, int generation, std::size_t count) {
    std::int64_t& position = positions_[{series, generation}];
    return std::exchange(position, position + static_cast<std::int64_t>(count));
  }

 private:
  std::map<std::pair<std::string, int>, std::int64_t> positions_;
};

// Text that grows.
class TextOutput {
 public:
  explicit TextOutput(const OutputTarget& target) : file_(target) {}

  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    if (text_.size() > kFlushedAt) flush();
  }

  void finish() {
    flush();
    file_.finish();
  }

 private:
  void flush() {
    file_.write(text_);
    text_.clear();
  }

  OutputFile file_;
  std::string text_;
};

// series,generation,step,value: a line a sample.
class CsvSink : public ExportSink {
 public:
  explicit CsvSink(const OutputTarget& target) : out_(target) { out_.add("series,generation,step,value\n"); }

  void add(const std::string& series, int generation, Samples samples) override {
    const std::string name = common::csvCell(series);
    for (const storage::Sample& sample : samples)
      out_.add("{},{},{},{}\n", name, generation, sample.step, common::csvCell(sample.value));
  }
  void finish() override { out_.finish(); }

 private:
  TextOutput out_;
};

// The record with one member more, "samples": [{"series", "generation", "steps", "values"}, ..].
class JsonSink : public ExportSink {
 public:
  JsonSink(const OutputTarget& target, const storage::RunRecord& record) : out_(target) {
    std::string text = wholeText(record);
    text.pop_back();  // the brace
    out_.add("{},\"samples\":[", text);
  }

  void add(const std::string& series, int generation, Samples samples) override {
    const std::int64_t from = positions_.advance(series, generation, samples.size());
    out_.add("{}\n{}", isFirst_ ? "" : ",", blockText(series, generation, from, samples));
    isFirst_ = false;
  }

  void finish() override {
    out_.add("\n]}}\n");
    out_.finish();
  }

 private:
  TextOutput out_;
  Positions positions_;
  bool isFirst_ = true;
};

// A line with the record, a line a block of samples, and a last one that says how many there were.
class JsonLinesSink : public ExportSink {
 public:
  JsonLinesSink(const OutputTarget& target, const storage::RunRecord& record) : out_(target) {
    out_.add("{}\n", wholeText(record));
  }

  void add(const std::string& series, int generation, Samples samples) override {
    const std::int64_t from = positions_.advance(series, generation, samples.size());
    out_.add("{}\n", blockText(series, generation, from, samples));
    end_.samples += static_cast<std::int64_t>(samples.size());
  }

  void finish() override {
    out_.add("{}\n", endText(end_));
    out_.finish();
  }

 private:
  TextOutput out_;
  Positions positions_;
  RecordEnd end_;
};

class SqliteSink : public ExportSink {
 public:
  SqliteSink(const OutputTarget& target, const storage::RunRecord& record)
      : unfinished_(target),
        writer_(std::make_unique<storage::RunFileWriter>(unfinished_.path(), wholeText(record))) {}

  void add(const std::string& series, int generation, Samples samples) override {
    writer_->append(series, generation, samples);
  }

  void finish() override {
    writer_->finish();
    writer_.reset();
    unfinished_.finish();
  }

 private:
  Unfinished unfinished_;
  std::unique_ptr<storage::RunFileWriter> writer_;
};

// A folder with one event file. Its values are of single precision, and each has a wall time: that of its
// step.
class TensorboardSink : public ExportSink {
 public:
  TensorboardSink(const OutputTarget& target, const storage::RunRecord& record,
                  storage::SampleReader* samples)
      : folder_(target.path()),
        unfinished_(target),
        record_(record),
        samples_(samples),
        file_(unfinished_.path()) {}

  void add(const std::string& series, int generation, Samples samples) override {
    const std::vector<storage::Sample> times =
        samples_->read(protocol::series::kTime, generation, samples.front().step, samples.back().step);
    for (const storage::Sample& sample : samples)
      file_.add(sample.step, timeOf(times, generation, sample.step), {{series, sample.value}});
  }

  void finish() override {
    std::error_code fault;
    fs::remove_all(folder_, fault);  // --force was said, and it held event files alone
    unfinished_.finish();
  }

 private:
  double timeOf(const std::vector<storage::Sample>& times, int generation, std::int64_t step) const {
    const auto found = std::lower_bound(
        times.begin(), times.end(), step,
        [](const storage::Sample& sample, std::int64_t wanted) { return sample.step < wanted; });
    if (found != times.end()) return found->value;
    for (const storage::Generation& known : record_.generations)
      if (known.number == generation) return known.started;
    return record_.run.created;
  }

  fs::path folder_;
  Unfinished unfinished_;
  const storage::RunRecord& record_;
  storage::SampleReader* samples_;
  protocol::EventFile file_;
};

}  // namespace

std::unique_ptr<ExportSink> makeExportSink(const std::string& format, const OutputTarget& target,
                                           const storage::RunRecord& record, storage::SampleReader* samples) {
  if (format == "csv") return std::make_unique<CsvSink>(target);
  if (format == "json") return std::make_unique<JsonSink>(target, record);
  if (format == "jsonl") return std::make_unique<JsonLinesSink>(target, record);
  target.requirePlace(format);
  if (format == "sqlite") return std::make_unique<SqliteSink>(target, record);
  return std::make_unique<TensorboardSink>(target, record, samples);
}

}  // namespace batchscope::cli
