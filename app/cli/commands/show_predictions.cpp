// SPDX-License-Identifier: Apache-2.0
#include "commands/show_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "batchscope/run/forecast.h"
#include "batchscope/run/number_text.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using Align = Table::Align;

struct Restart : run::Forecast {
  const storage::Generation* generation;
};

std::vector<Restart> restartsOf(const std::vector<storage::Generation>& generations) {
  std::vector<Restart> restarts;
  for (const storage::Generation& generation : generations)
    if (const auto forecast = run::forecast_of(generation)) restarts.push_back({*forecast, &generation});
  return restarts;
}

struct Record {
  int measured = 0, ranged = 0, held = 0;
  std::optional<double> median_error;
};

Record recordOf(const std::vector<Restart>& restarts) {
  Record record;
  std::vector<double> errors;
  for (const Restart& restart : restarts) {
    if (const auto change = restart.change()) errors.push_back(std::abs(*change));
    if (const auto held = restart.held()) ++record.ranged, record.held += *held;
  }
  record.measured = static_cast<int>(errors.size());
  if (errors.empty()) return record;
  const auto middle = errors.begin() + std::ssize(errors) / 2;
  std::nth_element(errors.begin(), middle, errors.end());
  record.median_error = *middle;
  return record;
}

template <class T>
protocol::Json orNull(const std::optional<T>& value) {
  return value ? protocol::Json(*value) : protocol::Json();
}

}  // namespace

protocol::Json predictionsJson(const std::vector<storage::Generation>& generations) {
  const auto restarts = restartsOf(generations);
  const Record record = recordOf(restarts);
  protocol::Json list = protocol::Json::array();
  for (const Restart& restart : restarts) {
    const bool isSure = restart.error > 0;
    list.push_back({{"generation", restart.generation->number},
                    {"replicas", restart.generation->replicas},
                    {"what", restart.is_goodput ? "goodput" : "throughput"},
                    {"predicted", restart.predicted},
                    {"low", isSure ? protocol::Json(restart.low()) : protocol::Json()},
                    {"high", isSure ? protocol::Json(restart.high()) : protocol::Json()},
                    {"obtained", orNull(restart.obtained)},
                    {"change", orNull(restart.change())},
                    {"held", orNull(restart.held())}});
  }
  return {{"restarts", list},
          {"measured", record.measured},
          {"held", record.ranged > 0 ? protocol::Json(record.held) : protocol::Json()},
          {"median_error", orNull(record.median_error)}};
}

void showPredictions(const std::vector<storage::Generation>& generations, const Style& style) {
  const auto restarts = restartsOf(generations);
  if (restarts.empty()) {
    fmt::print(
        "nothing was predicted: a run predicts a restart once it has a model, after some dozens of steps\n");
    return;
  }
  Table table({{"#", Align::right},
               {"replicas", Align::right},
               {"samples/s of"},
               {"predicted", Align::right},
               {"expected", Align::right},
               {"obtained", Align::right},
               {"off by", Align::right}});
  for (const Restart& restart : restarts) {
    const auto change = restart.change();
    const bool isOutside = restart.held() == false;
    table.addRow({std::to_string(restart.generation->number),
                  std::to_string(restart.generation->replicas),
                  restart.is_goodput ? "goodput" : "throughput",
                  run::number_text(restart.predicted),
                  restart.error > 0 ? fmt::format("{} to {}", run::number_text(restart.low()),
                                                  run::number_text(restart.high()))
                                    : "",
                  restart.obtained                ? run::number_text(*restart.obtained)
                  : restart.generation->ended > 0 ? "never steady"
                                                  : "not yet",
                  {change ? run::change_text(*change) : "", isOutside ? Colour::yellow : Colour::none}});
  }
  fmt::print("{}", table.text(style));
  const Record record = recordOf(restarts);
  if (!record.median_error) return;
  fmt::print("\n{} measured, off by {:.0f} % at the median", record.measured, 100 * *record.median_error);
  if (record.ranged > 0)
    fmt::print("; {} of {} came out as expected, and nine of ten should", record.held, record.ranged);
  fmt::print("\n");
}

}  // namespace batchscope::cli
