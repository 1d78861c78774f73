// SPDX-License-Identifier: Apache-2.0
#include "plot/plot_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "batchscope/common/translate.h"
#include "plot/dot_canvas.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr std::array kTextColours{Colour::green, Colour::yellow, Colour::blue, Colour::red, Colour::bold};
constexpr int kNarrowest = 16;  // cells of the plot area
constexpr int kCellsPerXTick = 14;
constexpr int kLinesPerYTick = 3;

Colour colourOf(std::size_t curve) { return kTextColours[curve % kTextColours.size()]; }

void drawCurve(const Plot& plot, const PlotCurve& curve, Colour colour, DotCanvas& canvas) {
  const auto x = [&](const PlotPlace& p) { return canvas.column(p.across); };
  const auto y = [&](const PlotPlace& p) { return canvas.height(p.height); };
  for (const PlotStretch& stretch : curve.stretches)
    for (const std::vector<PlotPlace>& line : plot.linesOf(stretch))
      for (std::size_t i = 0; i < line.size(); ++i) {
        const PlotPlace &from = line[i > 0 ? i - 1 : 0], &to = line[i];
        canvas.line(x(from), y(from), x(to), y(to), colour);
      }
}

// Words at columns, left to right; what would touch the word before it is left out.
class LabelLine {
 public:
  explicit LabelLine(int width) : width_(width) {}

  void add(int column, const std::string& text) {
    const int size = displayWidth(text);
    column = std::clamp(column, 0, std::max(0, width_ - size));
    if (used_ > 0 && column <= used_) return;
    text_ += std::string(static_cast<std::size_t>(column - used_), ' ') + text;
    used_ = column + size;
  }

  const std::string& text() const { return text_; }

 private:
  int width_, used_ = 0;
  std::string text_;
};

std::string generationLine(const Plot& plot, int width, bool utf8) {
  LabelLine line(width);
  const char* times = utf8 ? "×" : "x";
  line.add(0, fmt::format("{}{}", times, plot.firstReplicas));
  for (const PlotRestart& restart : plot.restarts)
    if (restart.x >= plot.x0 && restart.x <= plot.x1)
      line.add(static_cast<int>(plot.across(restart.x) * (width - 1)),
               fmt::format("{}{}", times, restart.replicas));
  return line.text();
}

std::string legend(const Plot& plot, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const PlotCurve& curve = plot.curves[i];
    text += fmt::format(
        "  {} {}  {}\n", style.paint(style.utf8 ? "━━" : "**", colourOf(i)), curve.label,
        say("last {}, {}", formatSeriesValue(curve.series, curve.last), plural(curve.samples, "sample")));
  }
  return text;
}

}  // namespace

int plotTextColumns(int width, bool utf8) { return std::max(width, kNarrowest) * (utf8 ? 2 : 1); }

std::string plotText(const Plot& plot, int height, const Style& style) {
  const int most = std::max(2, height / kLinesPerYTick);
  const std::vector<double> yTicks = plot.valueTicks(most);
  const std::vector<std::string> yLabels = tickLabels(yTicks);
  int labelWidth = displayWidth(plot.unit);
  for (const std::string& label : yLabels) labelWidth = std::max(labelWidth, displayWidth(label));
  const int width = std::max(kNarrowest, style.width - labelWidth - 2);

  DotCanvas canvas(width, height, style.utf8);
  for (const PlotRestart& restart : plot.restarts)
    canvas.rule(canvas.column(plot.across(restart.x)), Colour::dim);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) drawCurve(plot, plot.curves[i], colourOf(i), canvas);

  std::vector<std::string> margin(static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < yTicks.size(); ++i) {
    const double place = plot.height(yTicks[i]);
    if (!(place >= 0 && place <= 1)) continue;
    const int fromTop = canvas.dotHeight() - 1 - canvas.height(place);
    margin[static_cast<std::size_t>(fromTop * height / canvas.dotHeight())] = yLabels[i];
  }

  const std::string indent(static_cast<std::size_t>(labelWidth + 2), ' ');
  std::string text = style.paint(plot.title, Colour::bold) + "\n";
  const std::string above = plot.restarts.empty() ? "" : generationLine(plot, width, style.utf8);
  if (!above.empty() || !plot.unit.empty())
    text += fmt::format("{:>{}}  {}\n", plot.unit, labelWidth, style.paint(above, Colour::dim));
  for (int row = 0; row < height; ++row) {
    const std::string& label = margin[static_cast<std::size_t>(row)];
    const char* edge = style.utf8 ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
    text += fmt::format("{:>{}} {}{}\n", label, labelWidth, edge, canvas.row(row, style));
  }
  text += fmt::format("{:>{}} {}", "", labelWidth, style.utf8 ? "└" : "+");
  for (int column = 1; column < width; ++column) text += style.utf8 ? "─" : "-";
  const std::vector<double> xTicks = roundTicks(plot.x0, plot.x1, std::max(2, width / kCellsPerXTick));
  const std::vector<std::string> xLabels = tickLabels(xTicks);
  const std::string xLabel = tr(plot.xLabel.c_str()).toStdString();
  const int room = width - displayWidth(xLabel) - 2;
  const bool fits = room > width / 2;
  LabelLine numbers(width);
  for (std::size_t i = 0; i < xTicks.size(); ++i) {
    const int column = static_cast<int>(plot.across(xTicks[i]) * (width - 1));
    const int size = displayWidth(xLabels[i]);
    if (!fits || column + size / 2 < room) numbers.add(column - size / 2, xLabels[i]);
  }
  if (fits) numbers.add(width, xLabel);
  text += "\n" + indent + numbers.text() + "\n";
  if (!fits) text += indent + xLabel + "\n";
  return text + legend(plot, style);
}

}  // namespace batchscope::cli
