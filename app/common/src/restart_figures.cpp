// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/restart_figures.h"

#include <algorithm>
#include <map>

#include "batchscope/common/number_text.h"
#include "batchscope/common/repeated_steps.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

constexpr std::size_t kMostBars = 10;
constexpr int kMostLanes = 16;
constexpr double kRoom = 1.4, kMoreRoom = 3.2;  // for words behind the longest bar
constexpr double kReplicaShare = 0.8;           // of the height that a replica has

constexpr Ink kCompute{Ink::Series, 0}, kSync{Ink::Series, 1}, kOther{Ink::Faint, 0, 0.45},
    kPause{Ink::Warning, 0, 0.35}, kLost{Ink::Bad, 0, 0.55};

}  // namespace

FigureData restartParts(const RunSeries* series) {
  FigureData data;
  data.missing = tr("No restart yet.");
  if (series == nullptr) return data;
  std::vector<GenerationSpan> restarts;
  std::map<int, int> replicas;
  for (const GenerationSpan& span : series->generations()) {
    replicas[span.number] = span.replicas;
    if (span.number > 0 && span.pause >= 0) restarts.push_back(span);
  }
  if (restarts.empty()) return data;
  if (restarts.size() > kMostBars) restarts.erase(restarts.begin(), restarts.end() - kMostBars);

  for (std::size_t part = 0; part < kPauseParts.size(); ++part)
    data.bars.push_back({pausePartText(part), {Ink::Run, static_cast<int>(part)}, {}});
  data.bars.push_back({tr("Other"), {Ink::Faint}, {}});
  FigurePart& other = data.bars.back();
  double total = 0, longest = 0;
  bool isRepeated = false;
  data.table.columns = {"generation", "replicas_before", "replicas", "reason", "pause"};
  for (const char* part : kPauseParts) data.table.columns.emplace_back(part);
  for (const char* more : {"steps_done_again", "seconds_done_again"}) data.table.columns.emplace_back(more);
  for (const GenerationSpan& span : restarts) {
    const int before = replicas.contains(span.number - 1) ? replicas[span.number - 1] : 0;
    std::vector<FigureTable::Cell> row{double(span.number), double(before), double(span.replicas),
                                       span.reason, cellOf(span.pause)};
    double unexplained = span.pause;
    for (std::size_t part = 0; part < kPauseParts.size(); ++part) {
      const auto found = span.parts.find(kPauseParts[part]);
      const double seconds = found == span.parts.end() ? 0 : found->second;
      data.bars[part].values.push_back(seconds);
      row.push_back(found == span.parts.end() ? FigureTable::Cell() : cellOf(seconds));
      unexplained -= seconds;
    }
    other.values.push_back(std::max(0.0, unexplained));
    const Repeated repeated = repeatedBefore(*series, span.number);
    total += span.pause;
    longest = std::max(longest, span.pause);
    const QString name = tr("%1: ×%2 to ×%3").arg(span.number).arg(before).arg(span.replicas);
    data.left.ticks.push_back({static_cast<double>(data.left.ticks.size()), name});
    QString text = tr("Restart %1 (%2): paused for %3")
                       .arg(name, QString::fromStdString(span.reason), formatPause(span.pause));
    const QString parts = describePause(span.parts);
    if (!parts.isEmpty()) text += QLatin1Char('\n') + QString(parts).replace(QStringLiteral(", "), "\n");
    QString behind = formatPause(span.pause);
    if (repeated.steps > 0) {
      isRepeated = true;
      const QString repeatedText =
          (repeated.steps == 1 ? tr("%1 step done again, %2") : tr("%1 steps done again, %2"))
              .arg(formatCount(repeated.steps), formatPause(repeated.seconds));
      text += QLatin1Char('\n') + repeatedText;
      behind += QStringLiteral(" + ") + repeatedText;
    }
    data.notes.push_back({span.pause, static_cast<double>(data.barTexts.size()), behind});
    data.barTexts.push_back(text);
    row.insert(row.end(), {double(repeated.steps), cellOf(repeated.seconds)});
    data.table.rows.push_back(std::move(row));
  }
  std::erase_if(data.bars, [](const FigurePart& part) {
    return std::all_of(part.values.begin(), part.values.end(), [](double value) { return value < 1e-6; });
  });
  if (data.bars.empty()) return data;
  data.bottom = {.title = tr("seconds"), .low = 0, .high = (isRepeated ? kMoreRoom : kRoom) * longest};
  data.description =
      restarts.size() == 1
          ? tr("1 restart, paused for %1").arg(formatPause(total))
          : tr("%1 restarts, paused for %2 in all").arg(restarts.size()).arg(formatPause(total));
  return data;
}

FigureData replicaLanes(const std::vector<Slice>& slices) {
  FigureData data;
  data.missing = tr("No step recorded yet.");
  if (slices.empty()) return data;
  int lanes = 0;
  for (const Slice& slice : slices) lanes = std::max(lanes, std::min(slice.replicas, kMostLanes));
  data.bottom = {.kind = FigureAxis::Kind::Time, .low = 0, .high = slices.back().to};
  data.left = {.title = tr("replica"), .low = -0.1, .high = double(lanes)};
  for (int lane = 0; lane < lanes; lane += 1 + (lanes - 1) / 8)
    data.left.ticks.push_back({lane + kReplicaShare / 2, formatCount(lane)});

  data.table.columns = {"from_seconds", "to_seconds", "generation", "replicas",
                        "compute",      "sync",       "other",      "is_lost"};
  const Slice* before = nullptr;
  double paused = 0, compute = 0, sync = 0, all = 0;
  bool isLost = false;
  for (const Slice& slice : slices) {
    if (before != nullptr && before->generation != slice.generation && slice.from > before->to) {
      data.cells.push_back(
          {.box = QRectF(before->to, 0, slice.from - before->to, 0),
           .ink = kPause,
           .text =
               tr("%1: paused for %2").arg(formatClock(before->to), formatPause(slice.from - before->to))});
      paused += slice.from - before->to;
    }
    before = &slice;
    isLost = isLost || slice.isLost;
    const double wide = slice.to - slice.from, rest = std::max(0.0, 1 - slice.compute - slice.sync);
    compute += wide * slice.compute;
    sync += wide * slice.sync;
    all += wide;
    data.table.rows.push_back({slice.from, slice.to, double(slice.generation), double(slice.replicas),
                               slice.compute, slice.sync, rest, slice.isLost ? 1.0 : 0.0});
    const QString text =
        tr("%1, %2\ncompute %3, waiting for others %4\nvalidation, loading and other %5%6")
            .arg(formatClock(slice.from), replicaCount(slice.replicas), formatPercent(slice.compute),
                 formatPercent(slice.sync), formatPercent(rest),
                 slice.isLost ? tr("\nlost: done again after the restart") : QString());
    for (int lane = 0; lane < std::min(slice.replicas, kMostLanes); ++lane) {
      double y = lane;
      const auto add = [&](double share, Ink ink) {
        if (share < 1e-3) return;
        data.cells.push_back({.box = QRectF(slice.from, y, wide, kReplicaShare * share), .ink = ink});
        y += kReplicaShare * share;
      };
      add(slice.compute, kCompute);
      add(slice.sync, kSync);
      add(rest, kOther);
      if (slice.isLost)
        data.cells.push_back({.box = QRectF(slice.from, lane, wide, kReplicaShare), .ink = kLost});
      // An invisible cell on top can be pointed at as a whole.
      data.cells.push_back(
          {.box = QRectF(slice.from, lane, wide, kReplicaShare), .ink = {Ink::Dim, 0, 0}, .text = text});
    }
  }
  // Adds a legend entry for a shade; the series has no points to draw.
  const auto name = [&](const QString& text, Ink ink, bool isThere) {
    if (!isThere) return;
    data.series.push_back({.name = text, .ink = ink, .mark = FigureSeries::Mark::Dots, .size = 9});
  };
  name(tr("compute"), kCompute, true);
  name(tr("waiting for others"), kSync, sync > 0);
  name(tr("validation, loading"), kOther, true);
  name(tr("pause"), kPause, paused > 0);
  name(tr("lost"), kLost, isLost);
  data.description = tr("Of the time between restarts, %1 went into computing and %2 into waiting for others")
                         .arg(formatPercent(compute / all), formatPercent(sync / all));
  return data;
}

}  // namespace batchscope::common
