// SPDX-License-Identifier: Apache-2.0
#include "plot/plot_svg.h"

#include <fmt/core.h>

#include <array>

#include "batchscope/common/translate.h"
#include "plot/svg.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
constexpr int kLeft = 84, kRight = 24, kTop = 56, kBottom = 56;  // margins, pixels
constexpr int kLegendLine = 18;
constexpr int kPixelsPerXTick = 110, kPixelsPerYTick = 60;

class Picture {
 public:
  Picture(const Plot& plot, const PictureSize& size)
      : plot_(plot),
        size_(size),
        right_(size.width - kRight),
        bottom_(size.height - kBottom - kLegendLine * static_cast<int>(plot.curves.size())),
        svg_(size.width, size.height) {}

  std::string draw() {
    svg_.text({kLeft, 24}, plot_.title, {{"font-size", "15"}, {"font-weight", "bold"}});
    drawAxes();
    drawRestarts();
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) drawCurve(plot_.curves[i], colourOf(i));
    drawLegend();
    return svg_.finish();
  }

 private:
  static const char* colourOf(std::size_t curve) { return kColours[curve % kColours.size()]; }

  double px(double across) const { return kLeft + across * (right_ - kLeft); }
  double py(double height) const { return bottom_ - height * (bottom_ - kTop); }

  void drawAxes() {
    const std::vector<double> xTicks = roundTicks(plot_.x0, plot_.x1, size_.width / kPixelsPerXTick);
    const std::vector<double> yTicks = plot_.valueTicks(size_.height / kPixelsPerYTick);
    const std::vector<std::string> xLabels = tickLabels(xTicks), yLabels = tickLabels(yTicks);
    for (std::size_t i = 0; i < yTicks.size(); ++i) {
      const double y = py(plot_.height(yTicks[i]));
      svg_.line({kLeft, y}, {right_, y}, {{"stroke", "#e0e0e0"}});
      svg_.text({kLeft - 8, y + 4}, yLabels[i], {{"text-anchor", "end"}});
    }
    for (std::size_t i = 0; i < xTicks.size(); ++i)
      svg_.text({px(plot_.across(xTicks[i])), bottom_ + 18}, xLabels[i], {{"text-anchor", "middle"}});
    svg_.rectangle({kLeft, kTop}, right_ - kLeft, bottom_ - kTop, {{"fill", "none"}, {"stroke", "#808080"}});
    svg_.text({(kLeft + right_) / 2, bottom_ + 38}, tr(plot_.xLabel.c_str()).toStdString(),
              {{"text-anchor", "middle"}});
    if (!plot_.unit.empty()) svg_.text({kLeft - 8, kTop - 10}, plot_.unit, {{"text-anchor", "end"}});
  }

  void drawRestarts() {
    if (plot_.restarts.empty()) return;
    drawReplicas(kLeft, plot_.firstReplicas);
    for (const PlotRestart& restart : plot_.restarts) {
      if (restart.x < plot_.x0 || restart.x > plot_.x1) continue;
      const double x = px(plot_.across(restart.x));
      svg_.line({x, kTop}, {x, bottom_}, {{"stroke", "#a0a0a0"}, {"stroke-dasharray", "3 3"}});
      drawReplicas(x, restart.replicas);
    }
  }

  void drawReplicas(double x, int replicas) {
    svg_.text({x + 3, kTop - 6}, fmt::format("×{}", replicas), {{"fill", "#808080"}});
  }

  void drawCurve(const PlotCurve& curve, const char* colour) {
    for (const PlotStretch& stretch : curve.stretches) {
      for (const std::vector<PlotPlace>& line : plot_.linesOf(stretch)) {
        std::vector<Svg::Point> points;
        for (const PlotPlace& place : line) points.push_back({px(place.across), py(place.height)});
        svg_.polyline(points, {{"fill", "none"},
                               {"stroke", colour},
                               {"stroke-width", "1.4"},
                               {"stroke-linejoin", "round"},
                               {"stroke-linecap", "round"}});
      }
    }
  }

  void drawLegend() {
    double y = bottom_ + kBottom + 4;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i, y += kLegendLine) {
      const PlotCurve& curve = plot_.curves[i];
      svg_.line({kLeft, y - 4}, {kLeft + 24, y - 4}, {{"stroke", colourOf(i)}, {"stroke-width", "3"}});
      svg_.text({kLeft + 32, y},
                say("{}, last {}", curve.label, formatSeriesValue(curve.series, curve.last)));
    }
  }

  const Plot& plot_;
  const PictureSize& size_;
  double right_, bottom_;  // of the plot area
  Svg svg_;
};

}  // namespace

std::string plotSvg(const Plot& plot, const PictureSize& size) { return Picture(plot, size).draw(); }

}  // namespace batchscope::cli
