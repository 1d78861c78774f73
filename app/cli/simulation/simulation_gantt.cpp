// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulation_gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "plot/svg_text.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442"};
constexpr int kLeft = 84, kRight = 40, kTop = 44, kBottom = 44, kWidth = 1200;
constexpr int kLegend = 34;
constexpr int kTallest = 600;  // pixels of a panel's lines
constexpr int kMostLine = 14;  // pixels of a device
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

class Picture {
 public:
  Picture(const std::vector<policy::Outcome>& outcomes, const policy::Cluster& cluster)
      : outcomes_(outcomes), cluster_(cluster) {
    for (const policy::Outcome& outcome : outcomes)
      for (const policy::JobOutcome& job : outcome.jobs) {
        end_ = std::max(end_, job.completed);
        colours_.try_emplace(job.application, kColours[colours_.size() % kColours.size()]);
      }
    for (const policy::Node& node : cluster) lines_ += node.devices;
    line_ = std::clamp(static_cast<double>(kTallest) / std::max(lines_, 1), 1.0, double{kMostLine});
  }

  std::string draw() {
    const int panel = static_cast<int>(std::ceil(line_ * lines_)) + kTop + kBottom;
    const int height = panel * static_cast<int>(outcomes_.size()) + kLegend;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#ffffff\"/>\n",
        kWidth, height);
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      drawPanel(outcomes_[i], static_cast<int>(i) * panel + kTop);
    drawLegend(height - kLegend / 2);
    return std::move(text_) + "</svg>\n";
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  double x(double seconds) const { return kLeft + (kWidth - kLeft - kRight) * seconds / std::max(end_, 1.0); }

  void drawPanel(const policy::Outcome& outcome, int top) {
    const double bottom = top + line_ * lines_;
    add("<text x=\"{}\" y=\"{}\" font-size=\"15\" font-weight=\"bold\">{}</text>\n", kLeft, top - 12,
        svgText(fmt::format("{}: mean completion time {}", outcome.policy,
                            formatDuration(outcome.mean_completion_time()))));
    for (int tick = 0; tick <= kTicks; ++tick) {
      const double at = end_ * tick / kTicks;
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(at), bottom + 18,
          formatClock(at));
    }
    double y = top;
    for (std::size_t node = 0; node < cluster_.size(); ++node) {
      if (cluster_[node].devices * line_ >= 12)
        add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">node {}</text>\n", kLeft - 8,
            y + cluster_[node].devices * line_ / 2 + 4, node + 1);
      add("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#e0e0e0\"/>\n", kLeft, y,
          kWidth - kRight, y);
      y += cluster_[node].devices * line_;
    }
    for (const Bar& bar : barsOf(outcome, cluster_)) drawBar(bar, top);
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#808080\"/>\n", kLeft,
        top, kWidth - kLeft - kRight, bottom - top);
  }

  // Neighbouring lines are one rectangle.
  void drawBar(const Bar& bar, int top) {
    const double from = x(bar.tenure->since), to = x(bar.tenure->until);
    add("<g fill=\"{}\"><title>{}</title>", colours_.at(bar.job->application),
        svgText(fmt::format("{}: {}", bar.job->name,
                            plural(policy::replicas(bar.tenure->placement), "replica"))));
    for (std::size_t i = 0; i < bar.lines.size();) {
      std::size_t next = i + 1;
      while (next < bar.lines.size() && bar.lines[next] == bar.lines[next - 1] + 1) ++next;
      const double y = top + bar.lines[i] * line_, height = static_cast<double>(next - i) * line_;
      add("<rect x=\"{0:.2f}\" y=\"{1:.1f}\" width=\"{2:.2f}\" height=\"{3:.1f}\" fill-opacity=\"0.85\"/>"
          "<rect x=\"{0:.2f}\" y=\"{1:.1f}\" width=\"0.6\" height=\"{3:.1f}\" fill=\"#202020\"/>",
          from, y, std::max(to - from, 0.6), height);
      i = next;
    }
    add("</g>\n");
  }

  void drawLegend(int y) {
    double at = kLeft;
    for (const auto& [application, colour] : colours_) {
      add("<rect x=\"{:.0f}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>", at, y - 10, colour);
      add("<text x=\"{:.0f}\" y=\"{}\">{}</text>\n", at + 18, y, svgText(application));
      at += 40 + 8.0 * displayWidth(application);
    }
  }

  const std::vector<policy::Outcome>& outcomes_;
  const policy::Cluster& cluster_;
  std::map<std::string, const char*> colours_;
  double end_ = 0, line_ = 1;
  int lines_ = 0;
  std::string text_;
};

}  // namespace

std::string simulationGantt(const std::vector<policy::Outcome>& outcomes, const policy::Cluster& cluster) {
  return Picture(outcomes, cluster).draw();
}

}  // namespace batchscope::cli
