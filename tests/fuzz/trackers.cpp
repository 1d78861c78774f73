// SPDX-License-Identifier: Apache-2.0
//
// Files of other experiment trackers. The first byte says which, and whether the rest is the file or what its
// framing and checksums are put around.
#include <zlib.h>

#include <limits>
#include <memory>

#include "batchscope/protocol/bytes.h"
#include "batchscope/protocol/event_file.h"
#include "fuzz.h"
#include "trackers/csv_series_reader.h"
#include "trackers/event_file_reader.h"
#include "trackers/json_facts.h"
#include "trackers/mlflow_metric_reader.h"
#include "trackers/wandb_log_reader.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

std::string event_record(std::string_view event) {
  std::string record;
  protocol::put(record, static_cast<std::uint64_t>(event.size()));
  protocol::put(record, protocol::masked_crc32c(record));
  record += event;
  protocol::put(record, protocol::masked_crc32c(event));
  return record;
}

std::string wandb_log(std::string_view record) {
  const std::string checked = std::string(1, 1).append(record.substr(0, 30'000));
  std::string log(":W&B\xE1\xBE\0", 7);
  protocol::put(log, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                                      static_cast<uInt>(checked.size()))));
  protocol::put(log, static_cast<std::uint16_t>(checked.size() - 1));
  return log + checked;
}

using Series = std::map<std::string, std::vector<storage::Sample>>;

Series read(std::unique_ptr<FileReader> reader, std::string_view bytes, std::size_t piece) {
  Findings findings;
  for (std::size_t i = 0; i < bytes.size(); i += piece) reader->feed(bytes.substr(i, piece), findings);
  reader->end(findings);
  static_cast<void>(reader->trouble());
  return findings.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest = fuzz::text(data + 1, size - 1);
  const auto make = [&]() -> std::unique_ptr<FileReader> {
    switch (data[0] % 4) {
      case 0: return std::make_unique<EventFileReader>();
      case 1: return std::make_unique<WandbLogReader>();
      case 2: return std::make_unique<CsvSeriesReader>();
      default: return std::make_unique<MlflowMetricReader>("metric");
    }
  };
  const bool isFramed = data[0] >= 128;
  const std::string bytes = isFramed && data[0] % 4 == 0   ? event_record(rest)
                            : isFramed && data[0] % 4 == 1 ? wandb_log(rest)
                                                           : std::string(rest);
  const Series whole = read(make(), bytes, std::numeric_limits<std::size_t>::max() / 2);
  const Series pieces = read(make(), bytes, 7);
  fuzz::require(whole.size() == pieces.size(), "pieces make the same series");
  for (const auto& [name, samples] : whole) {
    fuzz::require(!name.empty() && pieces.contains(name) && pieces.at(name).size() == samples.size(),
                  "pieces make the same samples");
    for (std::size_t i = 0; i < samples.size(); ++i) {
      fuzz::require(samples[i].step >= 0 && samples[i].step <= std::int64_t{1} << 53,
                    "steps are in their range");
      fuzz::require(i == 0 || samples[i].step >= samples[i - 1].step, "steps do not go back");
    }
  }
  static_cast<void>(yamlIn(std::string(rest)));
  return 0;
}
