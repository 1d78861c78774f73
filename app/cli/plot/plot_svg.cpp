// SPDX-License-Identifier: Apache-2.0
#include "plot/plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "plot/svg_text.h"
#include "text/format.h"

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
        bottom_(size.height - kBottom - kLegendLine * static_cast<int>(plot.curves.size())) {}

  std::string draw() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        size_.width, size_.height);
    add("<text x=\"{}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{}</text>\n", kLeft,
        svgText(plot_.title));
    drawAxes();
    drawRestarts();
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) drawCurve(i);
    drawLegend();
    return std::move(text_) + "</svg>\n";
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  double px(double x) const {
    return kLeft + (x - plot_.x0) / (plot_.x1 - plot_.x0) * (size_.width - kRight - kLeft);
  }
  double py(double value) const { return bottom_ - plot_.height(value) * (bottom_ - kTop); }

  void drawAxes() {
    const std::vector<double> xTicks = roundTicks(plot_.x0, plot_.x1, size_.width / kPixelsPerXTick);
    const std::vector<double> yTicks = plot_.logarithmic
                                           ? logTicks(plot_.y0, plot_.y1, size_.height / kPixelsPerYTick)
                                           : roundTicks(plot_.y0, plot_.y1, size_.height / kPixelsPerYTick);
    const std::vector<std::string> xLabels = tickLabels(xTicks), yLabels = tickLabels(yTicks);
    for (std::size_t i = 0; i < yTicks.size(); ++i) {
      const double y = py(yTicks[i]);
      add("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#e0e0e0\"/>\n", kLeft, y,
          size_.width - kRight, y);
      add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 4, yLabels[i]);
    }
    for (std::size_t i = 0; i < xTicks.size(); ++i)
      add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", px(xTicks[i]), bottom_ + 18,
          xLabels[i]);
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#808080\"/>\n", kLeft,
        kTop, size_.width - kRight - kLeft, bottom_ - kTop);
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + size_.width - kRight) / 2,
        bottom_ + 38, svgText(plot_.xLabel));
    if (!plot_.unit.empty())
      add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, kTop - 10,
          svgText(plot_.unit));
  }

  void drawRestarts() {
    if (plot_.restarts.empty()) return;
    add("<text x=\"{}\" y=\"{}\" fill=\"#808080\">×{}</text>\n", kLeft + 3, kTop - 6, plot_.firstReplicas);
    for (const PlotRestart& restart : plot_.restarts) {
      if (restart.x < plot_.x0 || restart.x > plot_.x1) continue;
      const double x = px(restart.x);
      add("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#a0a0a0\" stroke-dasharray=\"3 "
          "3\"/>\n",
          x, kTop, bottom_);
      add("<text x=\"{:.1f}\" y=\"{}\" fill=\"#808080\">×{}</text>\n", x + 3, kTop - 6, restart.replicas);
    }
  }

  // The lowest and the highest value of each column, in the order that continues the line most closely.
  void drawCurve(std::size_t index) {
    for (const PlotStretch& stretch : plot_.curves[index].stretches) {
      double last = plot_.y0;
      std::string points;
      int count = 0;
      const auto flush = [&] {
        if (count > 0)
          add("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\" "
              "stroke-linejoin=\"round\" "
              "stroke-linecap=\"round\"/>\n",
              points, kColours[index % kColours.size()]);
        points.clear();
        count = 0;
      };
      for (const PlotPoint& point : stretch.points) {
        const double low = std::isnan(plot_.height(point.low)) ? point.high : point.low;
        if (std::isnan(plot_.height(low))) {
          flush();
          continue;
        }
        const bool upwards = std::abs(low - last) <= std::abs(point.high - last);
        const double first = upwards ? low : point.high, second = upwards ? point.high : low;
        points += fmt::format("{:.1f},{:.1f} ", px(point.x), py(first));
        points += fmt::format("{:.1f},{:.1f} ", px(point.x), py(second));
        last = second;
        ++count;
      }
      flush();
    }
  }

  void drawLegend() {
    int y = bottom_ + kBottom + 4;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i, y += kLegendLine) {
      const PlotCurve& curve = plot_.curves[i];
      add("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"3\"/>\n", kLeft, y - 4,
          kLeft + 24, y - 4, kColours[i % kColours.size()]);
      add("<text x=\"{}\" y=\"{}\">{}, last {}</text>\n", kLeft + 32, y, svgText(curve.label),
          svgText(formatSeriesValue(curve.series, curve.last)));
    }
  }

  const Plot& plot_;
  const PictureSize& size_;
  int bottom_;  // of the plot area
  std::string text_;
};

}  // namespace

std::string plotSvg(const Plot& plot, const PictureSize& size) { return Picture(plot, size).draw(); }

}  // namespace batchscope::cli
