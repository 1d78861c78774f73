// SPDX-License-Identifier: Apache-2.0
//
// plot: draws series of a run, or of several over one another, in the terminal or as a picture. PNG is drawn
// from our SVG by batchscope-svg2png, a program that comes with the window: without it this program needs no
// Qt Gui, which would cost every command and every supervisor 7 MB.
#include <fmt/core.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "batchscope/common/charts.h"
#include "batchscope/common/charts_json.h"
#include "batchscope/common/derived_series.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "commands/commands.h"
#include "files/output_file.h"
#include "plot/plot_svg.h"
#include "plot/plot_text.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/terminal.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDefaultWidth = 80;  // cells, where there is no terminal
constexpr int kDefaultHeight = 16;
constexpr int kRasterizerPatienceMs = 60'000;

PlotAxis axisFrom(const std::string& name) {
  if (name == "time") return PlotAxis::time;
  if (name == "progress") return PlotAxis::progress;
  return name == "epoch" ? PlotAxis::epoch : PlotAxis::step;
}

// Reads the runs and the series that the words of the command line name.
void readWords(storage::Catalogue& catalogue, const PlotOptions& options, PlotRequest& request) {
  request.runs.push_back(catalogue.resolve(options.run));
  for (const std::string& other : options.with) request.runs.push_back(catalogue.resolve(other));
  request.series = options.series;
  if (request.series.empty()) request.series = {protocol::series::kLoss};
}

QByteArray rasterized(const std::string& svg) {
  const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/batchscope-svg2png");
  if (!QFileInfo(program).isExecutable())
    throw Error(ErrorKind::not_found,
                say("PNG needs {}, which comes with the window and is missing; write an .svg instead",
                    program.toStdString()));
  QProcess process;
  process.start(program, QStringList());
  process.write(QByteArray::fromStdString(svg));
  process.closeWriteChannel();
  if (!process.waitForFinished(kRasterizerPatienceMs) || process.exitCode() != 0)
    throw Error(ErrorKind::failure, say("{} failed: {}", program.toStdString(),
                                        process.readAllStandardError().trimmed().toStdString()));
  return process.readAllStandardOutput();
}

protocol::Json plotJson(const Plot& plot) {
  using protocol::encode_number;
  using protocol::Json;
  Json curves = Json::array(), restarts = Json::array();
  for (const PlotCurve& curve : plot.curves) {
    Json stretches = Json::array();
    for (const PlotStretch& stretch : curve.stretches) {
      Json points = Json::array();
      for (const PlotPoint& point : stretch.points)
        points.push_back({encode_number(point.x), encode_number(point.low), encode_number(point.high)});
      stretches.push_back({{"generation", stretch.generation}, {"points", std::move(points)}});
    }
    curves.push_back({{"label", curve.label},
                      {"series", curve.series},
                      {"samples", curve.samples},
                      {"last", encode_number(curve.last)},
                      {"stretches", std::move(stretches)}});
  }
  for (const PlotRestart& restart : plot.restarts)
    restarts.push_back(
        {{"x", restart.x}, {"generation", restart.generation}, {"replicas", restart.replicas}});
  return {{"x", plot.xLabel},
          {"unit", plot.unit},
          {"curves", std::move(curves)},
          {"restarts", std::move(restarts)}};
}

// Returns whether the target is a PNG file; standard output gets SVG.
bool isPng(const OutputTarget& target) {
  const std::string ending = fs::path(target.name()).extension();
  if (ending == ".png") return true;
  if (ending != ".svg" && target.kind() == OutputTarget::Kind::file)
    throw Error(ErrorKind::usage, say("--output {}: the name must end in .svg or .png", target.name()));
  return false;
}

// A fault of the place is said before anything is drawn.
int writePicture(storage::Catalogue& catalogue, PlotRequest& request, const PlotOptions& options) {
  const OutputTarget target(options.output);
  const bool toPng = isPng(target);
  target.refuseExisting(options.force);
  target.requireWritable();
  const PictureSize size{options.width.value_or(PictureSize().width),
                         options.height.value_or(PictureSize().height)};
  request.columns = size.width;
  const std::string svg = plotSvg(loadPlot(catalogue, request), size);
  OutputFile file(target);
  file.write(toPng ? rasterized(svg).toStdString() : svg);
  file.finish();
  if (target.kind() == OutputTarget::Kind::standardOutput) return kExitOk;
  return answer(options.json, {{"written", target.name()}}, say("wrote {}", target.name()));
}

// Returns what the run has recorded of a chart's lines; of a chart whose lines are all computed, what they are
// computed from.
std::string recordedOf(const common::ChartSpec& chart, const std::vector<std::string>& recorded) {
  std::set<std::string> inputs;
  const std::vector<std::string> derivable = common::derivedFrom(recorded);
  for (const std::string& name : derivable)
    if (chart.draws(name)) {
      const std::vector<std::string>& from = common::derivedSeries(name)->inputs;
      inputs.insert(from.begin(), from.end());
    }
  const bool isDrawn = std::ranges::any_of(recorded, [&](const auto& name) { return chart.draws(name); });
  std::string names;
  for (const std::string& name : recorded)
    if (isDrawn ? chart.draws(name) : inputs.contains(name)) names += (names.empty() ? "" : " ") + name;
  return names;
}

// Lists the charts of which the run has recorded a line, or what a line is computed from.
int listCharts(const storage::Run& run, bool asJson) {
  std::vector<std::string> recorded;
  const auto samples = protocol::run_paths(run.id).samples;
  if (std::filesystem::exists(samples))  // not before the first one
    for (const storage::SeriesInfo& info : storage::SampleReader(samples).series())
      recorded.push_back(info.name);
  if (asJson) return answer(true, {{"charts", common::chartsJson(recorded)}}, "");
  std::vector<common::ChartSpec> charts = common::chartsOf(recorded);
  std::ranges::move(common::deviceCharts(recorded), std::back_inserter(charts));
  Table table({{say("CHART")}, {say("UNIT")}, {say("SERIES"), Table::Align::left, true}});
  for (const common::ChartSpec& chart : charts) {
    const std::string names = recordedOf(chart, recorded);
    if (!names.empty()) table.addRow({chart.title.toStdString(), chart.unit.toStdString(), names});
  }
  if (table.isEmpty()) throw Error(ErrorKind::not_found, say("run {} has recorded nothing to draw", run.id));
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
  return kExitOk;
}

}  // namespace

int plotRun(const PlotOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  if (options.list) return listCharts(catalogue.resolve(options.run), options.json);
  PlotRequest request;
  readWords(catalogue, options, request);
  request.axis = axisFrom(options.axis);
  request.logarithmic = options.logarithmic;
  request.from = options.from.value_or(0);
  request.to = options.to.value_or(INT64_MAX);
  if (request.from > request.to)
    throw Error(ErrorKind::usage, say("--from {} is after --to {}", request.from, request.to));

  if (!options.output.empty()) return writePicture(catalogue, request, options);

  Style style = terminalStyle(STDOUT_FILENO);
  style.width = options.width.value_or(style.width > 1000 ? kDefaultWidth : style.width);
  const int room = isTerminal(STDOUT_FILENO) ? terminalHeight(STDOUT_FILENO) / 2 : kDefaultHeight;
  request.columns = plotTextColumns(style.width, style.utf8);
  const Plot plot = loadPlot(catalogue, request);
  if (options.json)
    printJson(plotJson(plot));
  else
    fmt::print("{}", plotText(plot, options.height.value_or(std::max(8, room)), style));
  return kExitOk;
}

}  // namespace batchscope::cli
