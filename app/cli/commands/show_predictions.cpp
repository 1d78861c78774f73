// SPDX-License-Identifier: Apache-2.0
#include "commands/show_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "batchscope/run/number_text.h"
#include "text/format.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using Align = Table::Align;

struct Restart {
  const storage::Generation* generation;
  bool isGoodput;
  double predicted, error;
  std::optional<double> obtained;

  double low() const { return predicted / (1 + error); }
  double high() const { return predicted * (1 + error); }
  std::optional<double> change() const {
    return obtained ? std::optional(*obtained / predicted - 1) : std::nullopt;
  }
  std::optional<bool> held() const {
    if (!obtained || !(error > 0)) return std::nullopt;
    return low() <= *obtained && *obtained <= high();
  }
};

std::vector<Restart> restartsOf(const std::vector<storage::Generation>& generations) {
  std::vector<Restart> restarts;
  for (const storage::Generation& generation : generations) {
    const bool isGoodput = generation.predicted_goodput >= 0;
    const double predicted = isGoodput ? generation.predicted_goodput : generation.predicted_throughput;
    const double obtained = isGoodput ? generation.obtained_goodput : generation.obtained_throughput;
    if (predicted > 0)
      restarts.push_back({&generation, isGoodput, predicted, generation.predicted_error,
                          obtained >= 0 ? std::optional(obtained) : std::nullopt});
  }
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
                    {"what", restart.isGoodput ? "goodput" : "throughput"},
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
                  restart.isGoodput ? "goodput" : "throughput",
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
