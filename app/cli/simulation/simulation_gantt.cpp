// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulation_gantt.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "plot/svg.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr std::array kGanttColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                   "#E69F00", "#56B4E9", "#F0E442"};
constexpr int kGanttLeft = 84, kGanttRight = 40, kGanttTop = 44, kGanttBottom = 44, kWidth = 1200;
constexpr int kLegend = 34;
constexpr int kTallest = 600;  // pixels of a panel's lines
constexpr int kMostLine = 14;  // pixels of a device
constexpr double kEdge = 0.6;  // pixels of a start, and of the shortest bar
constexpr int kTicks = 8;

// Devices of one tenure: which of each node's it has. The lowest free ones.
struct Bar {
  const policy::JobOutcome* job;
  const policy::Tenure* tenure;
  std::vector<int> lines;
};

std::vector<Bar> barsOf(const policy::Outcome& outcome, const policy::Cluster& cluster) {
  std::vector<Bar> bars;
  for (const policy::JobOutcome& job : outcome.jobs)
    for (const policy::Tenure& tenure : job.tenures) bars.push_back({&job, &tenure, {}});
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.tenure->since < b.tenure->since; });
  std::vector<int> first;  // line of each node
  int lines = 0;
  for (const policy::Node& node : cluster) {
    first.push_back(lines);
    lines += node.devices;
  }
  std::vector<double> until(static_cast<std::size_t>(lines));
  for (Bar& bar : bars)
    for (const policy::Share& share : bar.tenure->placement) {
      const auto node = static_cast<std::size_t>(share.node);
      int left = share.devices;
      for (int line = first[node]; left > 0 && line < first[node] + cluster[node].devices; ++line) {
        if (until[static_cast<std::size_t>(line)] > bar.tenure->since) continue;
        until[static_cast<std::size_t>(line)] = bar.tenure->until;
        bar.lines.push_back(line);
        --left;
      }
    }
  return bars;
}

class Gantt {
 public:
  Gantt(const std::vector<policy::Outcome>& outcomes, const policy::Cluster& cluster)
      : outcomes_(outcomes),
        cluster_(cluster),
        lines_(std::accumulate(cluster.begin(), cluster.end(), 0,
                               [](int sum, const policy::Node& node) { return sum + node.devices; })),
        line_(std::clamp(static_cast<double>(kTallest) / std::max(lines_, 1), 1.0, double{kMostLine})),
        panel_(static_cast<int>(std::ceil(line_ * lines_)) + kGanttTop + kGanttBottom),
        height_(panel_ * static_cast<int>(outcomes.size()) + kLegend),
        svg_(kWidth, height_) {
    for (const policy::Outcome& outcome : outcomes)
      for (const policy::JobOutcome& job : outcome.jobs) {
        end_ = std::max(end_, job.completed);
        colours_.try_emplace(job.application, kGanttColours[colours_.size() % kGanttColours.size()]);
      }
  }

  std::string draw() {
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      drawPanel(outcomes_[i], static_cast<int>(i) * panel_ + kGanttTop);
    drawLegend(height_ - kLegend / 2);
    return svg_.finish();
  }

 private:
  double x(double seconds) const {
    return kGanttLeft + (kWidth - kGanttLeft - kGanttRight) * seconds / std::max(end_, 1.0);
  }

  void drawPanel(const policy::Outcome& outcome, int top) {
    const double bottom = top + line_ * lines_, right = kWidth - kGanttRight;
    svg_.text(
        {kGanttLeft, top - 12.0},
        say("{}: mean completion time {}", outcome.policy, formatClock(outcome.mean_completion_time())),
        {{"font-size", "15"}, {"font-weight", "bold"}});
    for (int tick = 0; tick <= kTicks; ++tick) {
      const double at = end_ * tick / kTicks;
      svg_.text({x(at), bottom + 18}, formatClock(at), {{"text-anchor", "middle"}});
    }
    double y = top;
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
      const double height = cluster_[node].devices * line_;
      if (height >= 12)
        svg_.text({kGanttLeft - 8, y + height / 2 + 4}, say("node {}", node + 1), {{"text-anchor", "end"}});
      svg_.line({kGanttLeft, y}, {right, y}, {{"stroke", "#e0e0e0"}});
      y += height;
    }
    for (const Bar& bar : barsOf(outcome, cluster_)) drawBar(bar, top);
    svg_.rectangle({kGanttLeft, static_cast<double>(top)}, right - kGanttLeft, bottom - top,
                   {{"fill", "none"}, {"stroke", "#808080"}});
  }

  // Neighbouring lines are one rectangle.
  void drawBar(const Bar& bar, int top) {
    const double from = x(bar.tenure->since), width = std::max(x(bar.tenure->until) - from, kEdge);
    svg_.beginGroup(
        fmt::format("{}: {}", bar.job->name, plural(policy::replicas(bar.tenure->placement), "replica")),
        {{"fill", colours_.at(bar.job->application)}});
    for (std::size_t i = 0; i < bar.lines.size();) {
      std::size_t next = i + 1;
      while (next < bar.lines.size() && bar.lines[next] == bar.lines[next - 1] + 1) ++next;
      const double y = top + bar.lines[i] * line_, height = static_cast<double>(next - i) * line_;
      svg_.rectangle({from, y}, width, height, {{"fill-opacity", "0.85"}});
      svg_.rectangle({from, y}, kEdge, height, {{"fill", "#202020"}});
      i = next;
    }
    svg_.endGroup();
  }

  void drawLegend(double y) {
    double at = kGanttLeft;
    for (const auto& [application, colour] : colours_) {
      svg_.rectangle({at, y - 10}, 12, 12, {{"fill", colour}});
      svg_.text({at + 18, y}, application);
      at += 40 + 8.0 * displayWidth(application);
    }
  }

  const std::vector<policy::Outcome>& outcomes_;
  const policy::Cluster& cluster_;
  std::map<std::string, const char*> colours_;
  double end_ = 0;
  int lines_;    // of a panel, one a device
  double line_;  // its height, as those below
  int panel_, height_;
  Svg svg_;
};

}  // namespace

std::string simulationGantt(const std::vector<policy::Outcome>& outcomes, const policy::Cluster& cluster) {
  return Gantt(outcomes, cluster).draw();
}

}  // namespace batchscope::cli
