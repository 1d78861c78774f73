// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/sharing.h"

#include <QStringList>
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/policy/decision.h"

namespace batchscope::common {
namespace {

constexpr double kThick = 2.2, kRing = 9;  // pixels

QString timesText(double ratio) { return QStringLiteral("× ") + formatNumber(ratio); }

// Says of a split what each run has of it.
QString splitText(const Sharing& sharing, int first) {
  return tr("%1 and %2 devices\n%3 + %4 = %5 samples/s")
      .arg(first)
      .arg(sharing.devices() - first)
      .arg(formatNumber(sharing.goodput(0, first)), formatNumber(sharing.goodput(1, first)),
           formatNumber(sharing.sum(first)));
}

}  // namespace

SharingRun sharingRun(const QString& name, std::optional<protocol::Model> model, double progress,
                      int devices) {
  if (model) model->devices = devices;  // of those that are shared, each replica has one
  SharingRun run{name, {0}, model ? progress * static_cast<double>(model->init_batch_size) : 0};
  for (int count = 1; count <= devices; ++count) {
    const auto best = model ? bestPoint(*model, count) : std::nullopt;
    run.goodput.push_back(best ? best->goodput : 0);
  }
  return run;
}

Sharing::Sharing(SharingRun first, SharingRun second) : runs_{std::move(first), std::move(second)} {}

double Sharing::goodput(std::size_t which, int first) const {
  return runs_.at(which).goodput.at(static_cast<std::size_t>(share(which, first)));
}

double Sharing::speedup(std::size_t which, int first) const {
  const double fair = goodput(which, devices() / 2);
  return fair > 0 ? goodput(which, first) / fair : 0;
}

int Sharing::mostInSum() const {
  int best = 0;
  for (int first = 1; first <= devices(); ++first)
    if (sum(first) > sum(best)) best = first;
  return best;
}

int Sharing::decided(policy::Objective objective) const {
  std::vector<policy::Job> jobs;
  for (const SharingRun& run : runs_) {
    policy::Job job;
    job.name = run.name.toStdString();
    job.goodput = [&run](int, int, int replicas) {
      return run.goodput.at(std::min(static_cast<std::size_t>(replicas), run.goodput.size() - 1));
    };
    job.max_replicas = job.max_profiled = devices();
    job.remaining = run.work;
    jobs.push_back(std::move(job));
  }
  const policy::Decision decision = policy::decide(jobs, policy::uniform_cluster(1, devices()), objective);
  return policy::replicas(decision.jobs.front().placement);
}

std::vector<SharingChoice> sharingChoices(const Sharing& sharing) {
  return {{tr("Even"), tr("Each has half of the devices"), {}, sharing.devices() / 2},
          {tr("fair"), tr("As the pool would with the policy fair"), tr("fair"),
           sharing.decided(policy::Objective::fair)},
          {tr("fast"), tr("As the pool would with the policy fast: short work first"), tr("fast"),
           sharing.decided(policy::Objective::fast)},
          {tr("Largest sum"), tr("The largest sum of goodput, however it is shared out"), tr("largest sum"),
           sharing.mostInSum()}};
}

FigureData sharingFigure(const Sharing& sharing, int first) {
  FigureData data;
  const int devices = sharing.devices();
  data.isCurve = true;
  data.bottom = {.title = tr("devices of %1").arg(sharing.run(0).name), .low = 0, .high = devices};
  for (int count = 0; count <= devices; ++count)
    data.bottom.ticks.push_back({double(count), QString::number(count)});
  data.left = {.low = 0};

  const auto draw = [&](const QString& name, int colour, double width, auto value) {
    FigureSeries line{.name = name, .ink = {Ink::Series, colour}, .size = width};
    for (int count = 0; count <= devices; ++count) line.points.push_back({double(count), value(count)});
    FigureSeries now{.ink = line.ink,
                     .mark = FigureSeries::Mark::Rings,
                     .points = {line.points[static_cast<std::size_t>(first)]},
                     .size = kRing};
    data.series.push_back(std::move(line));
    data.series.push_back(std::move(now));
  };
  draw(sharing.run(0).name, 0, FigureSeries().size, [&](int count) { return sharing.goodput(0, count); });
  draw(sharing.run(1).name, 1, FigureSeries().size, [&](int count) { return sharing.goodput(1, count); });
  draw(tr("sum"), 2, kThick, [&](int count) { return sharing.sum(count); });
  for (FigurePoint& point : data.series[4].points) point.text = splitText(sharing, static_cast<int>(point.x));

  // Marks of one split share a label.
  const double anywhere = std::numeric_limits<double>::quiet_NaN();
  std::map<int, QStringList> texts;
  for (const SharingChoice& choice : sharingChoices(sharing))
    if (!choice.mark.isEmpty()) texts[choice.first] << choice.mark;
  for (const auto& [count, names] : texts)
    data.notes.push_back({double(count), anywhere, names.join(QStringLiteral(", "))});
  data.notes.push_back({double(first), anywhere, {}, {Ink::Accent}});
  data.description = splitText(sharing, first);
  return data;
}

std::array<std::array<QString, 3>, 3> sharingRows(const Sharing& sharing, int first) {
  std::array<std::array<QString, 3>, 3> rows;
  double speedups = 0;
  for (std::size_t which = 0; which < 2; ++which) {
    const double speedup = sharing.speedup(which, first);
    speedups += speedup;
    rows[which] = {formatCount(sharing.share(which, first)), formatNumber(sharing.goodput(which, first)),
                   timesText(speedup)};
  }
  rows[2] = {formatCount(sharing.devices()), formatNumber(sharing.sum(first)), timesText(speedups / 2)};
  return rows;
}

}  // namespace batchscope::common
