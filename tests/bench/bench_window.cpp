// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures a frame of the window, drawn offscreen at 1920 x 1080: twelve live charts of eight series each
// over a history of a million steps, to which a writer appends between frames as a supervisor would. The
// charts share eight recorded series; each draws all of them, at its own size. window.frame is the frame over
// bare drawPolyline calls of the same points with the same pens in the same run. window.idle is the share of
// a core that a whole window takes while nothing changes. window.memory is what the history costs.
//
// Why dense live charts have an own painter: window.qtcharts is a frame of one such chart drawn by QChartView
// over the same drawn by that painter, to which it is given the points that the painter has thinned;
// window.qtcharts.fps and window.qtcharts.own.fps are the frames a second of either. window.qtcharts.part is
// the number of points from which a chart of Qt Charts takes more than the time that it has as one of twelve
// at 60 frames a second.
#include <sys/resource.h>
#include <unistd.h>

#include <QApplication>
#include <QChartView>
#include <QElapsedTimer>
#include <QGridLayout>
#include <QLineSeries>
#include <QPainter>
#include <QTemporaryDir>
#include <QTimer>
#include <QValueAxis>
#include <cmath>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "batchscope/storage/samples.h"
#include "bench.h"
#include "chart/plot_view.h"
#include "look/theme.h"
#include "session/catalogue_watcher.h"
#include "synthetic_run.h"
#include "tools/grab.h"
#include "window/main_window.h"

namespace {

using namespace batchscope;
using namespace batchscope::desktop;

constexpr std::int64_t kHistory = 1'000'000;  // steps
constexpr int kCharts = 12, kSeries = 8, kColumns = 3;
constexpr std::int64_t kStepsPerFrame = 10;
constexpr int kFrames = 10;
constexpr QSize kSize(1920, 1080);
constexpr int kIdleSeconds = 5;

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double residentMegabytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6;
}

std::string nameOf(int series) { return "series" + std::to_string(series); }

// The run that is drawn, and its writer.
class History {
 public:
  explicit History(const std::filesystem::path& file) : writer_(file) { append(kHistory); }

  void append(std::int64_t steps) {
    std::vector<double> values(static_cast<std::size_t>(steps));
    const auto write = [&](const std::string& name, auto value) {
      for (std::int64_t i = 0; i < steps; ++i) values[static_cast<std::size_t>(i)] = value(next_ + i);
      writer_.append(0, name, next_, values);
    };
    for (const char* clock : {"time", "progress", "samples", "epoch"})
      write(clock, [](std::int64_t step) { return 0.01 * static_cast<double>(step); });
    for (int series = 0; series < kSeries; ++series) {
      write(nameOf(series), [series](std::int64_t step) {
        const double x = static_cast<double>(step);
        return 2 + series + std::sin(x / (40'000.0 + 7'000 * series)) + 0.3 * std::sin(x * (1.7 + series));
      });
    }
    next_ += steps;
    writer_.commit();
  }

  std::int64_t last() const { return next_ - 1; }

 private:
  storage::SampleWriter writer_;
  std::int64_t next_ = 1;
};

class Charts {
 public:
  Charts() : folder_(QStringLiteral("/tmp/bsXXXXXX")) {
    const std::filesystem::path file = folder_.filePath(QStringLiteral("samples.db")).toStdString();
    history_ = std::make_unique<History>(file);
    model_ = std::make_unique<SeriesModel>(file);
    const double written = residentMegabytes();
    auto* grid = new QGridLayout(&window_);
    common::ChartSpec spec;
    for (int series = 0; series < kSeries; ++series)
      spec.lines.push_back({.series = nameOf(series), .label = {}, .colour = series % 4, .isSmoothed = true});
    model_->want(spec.series());
    for (int chart = 0; chart < kCharts; ++chart) {
      plots_.push_back(new PlotView(spec, &view_, &window_));
      grid->addWidget(plots_.back(), chart / kColumns, chart % kColumns);
      plots_.back()->setModel(model_.get());
    }
    window_.resize(kSize);
    window_.show();
    frame();
    spin(200);
    megabytes_ = residentMegabytes() - written;
  }
  ~Charts() {
    for (PlotView* plot : plots_) plot->setModel(nullptr);
  }

  // Reads what is new, computes every chart and paints it.
  void frame() {
    history_->append(kStepsPerFrame);
    QElapsedTimer clock;
    clock.start();
    storage::Generation generation;
    generation.replicas = 1;
    generation.first_step = 1;
    generation.last_step = history_->last();
    model_->refresh({generation});
    view_.advance(*model_);
    for (PlotView* plot : plots_) plot->refresh();
    for (PlotView* plot : plots_) plot->repaint();
    seconds_ = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
  }

  double frameSeconds() {
    double sum = 0;
    for (int i = 0; i < kFrames; ++i) {
      frame();
      sum += seconds_;
    }
    for (const PlotView* plot : plots_)
      if (plot->painter().scene().left.x1 != view_.range(*model_, view_.axis()).high)
        throw std::runtime_error("a chart was not drawn");
    return sum / kFrames;
  }

  // The same points, and nothing else.
  double bareSeconds() {
    QElapsedTimer clock;
    clock.start();
    for (const PlotView* plot : plots_) {
      const ChartScene& scene = plot->painter().scene();
      if (canvas_.size() != plot->size()) canvas_ = QPixmap(plot->size());
      canvas_.fill(Theme::current().panel);
      QPainter painter(&canvas_);
      painter.setRenderHint(QPainter::Antialiasing);
      for (const SceneLine& line : scene.lines) {
        const QColor colour = Theme::current().series[line.spec % 4];
        for (const ScenePiece& piece : line.pieces) {
          painter.setPen(QPen(colour, 1.0));
          for (const QPolygonF& points : piece.ghost) painter.drawPolyline(points);
          painter.setPen(QPen(colour, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
          for (const QPolygonF& points : piece.ink.smooth.empty() ? piece.ink.raw : piece.ink.smooth)
            painter.drawPolyline(points);
          painter.setPen(Qt::NoPen);
          painter.setBrush(withAlpha(colour, 0.2));
          for (const QPolygonF& band : piece.bands) painter.drawPolygon(band);
          painter.setBrush(Qt::NoBrush);
        }
      }
    }
    return static_cast<double>(clock.nsecsElapsed()) * 1e-9;
  }

  // Returns the points of the first chart, thinned: the outlines of the bands, then the lines of the medians.
  std::vector<QList<QPointF>> points() const {
    std::vector<QList<QPointF>> lines(2 * kSeries);
    for (const SceneLine& line : plots_.front()->painter().scene().lines) {
      for (const ScenePiece& piece : line.pieces) {
        for (const QPolygonF& part : piece.bands) lines[line.spec] << part;
        for (const QPolygonF& part : piece.ink.raw) lines[kSeries + line.spec] << part;
      }
    }
    return lines;
  }

  double megabytes() const { return megabytes_; }

 private:
  QTemporaryDir folder_;
  double megabytes_ = 0;
  std::unique_ptr<History> history_;
  std::unique_ptr<SeriesModel> model_;
  ViewState view_;
  QWidget window_;
  std::vector<PlotView*> plots_;
  QPixmap canvas_;
  double seconds_ = 0;
};

Charts& charts() {
  static auto* charts = new Charts;
  return *charts;
}

// One chart as Qt Charts draws it: lines that are replaced, and axes that move.
class QtChart {
 public:
  explicit QtChart(const QSize& size) {
    auto *x = new QValueAxis, *y = new QValueAxis;
    view_.chart()->addAxis(x, Qt::AlignBottom);
    view_.chart()->addAxis(y, Qt::AlignLeft);
    for (int series = 0; series < 2 * kSeries; ++series) {
      auto* line = new QLineSeries;
      const QColor colour = Theme::current().series[static_cast<std::size_t>(series) % 4];
      line->setPen(series < kSeries ? QPen(withAlpha(colour, 0.3), 1) : QPen(colour, 1.6));
      view_.chart()->addSeries(line);
      line->attachAxis(x);
      line->attachAxis(y);
      lines_.push_back(line);
    }
    view_.chart()->legend()->hide();
    view_.setRenderHint(QPainter::Antialiasing);
    view_.resize(size);
    view_.show();
    spin(50);
  }

  // The same to each line, moved on, as a live chart does.
  double seconds(const std::vector<QList<QPointF>>& points) {
    QElapsedTimer clock;
    clock.start();
    double low = 0, high = 1;
    for (std::size_t series = 0; series < lines_.size(); ++series) {
      const QList<QPointF>& of = points[series % points.size()];
      lines_[series]->replace(of);
      low = of.front().x();
      high = of.back().x();
    }
    view_.chart()->axes(Qt::Horizontal).front()->setRange(low, high + 1e-6 * ++frames_ * (high - low));
    view_.chart()->axes(Qt::Vertical).front()->setRange(0, kHeight);
    view_.viewport()->repaint();
    return static_cast<double>(clock.nsecsElapsed()) * 1e-9;
  }

  static constexpr double kHeight = 12;

 private:
  QChartView view_;
  std::vector<QLineSeries*> lines_;
  int frames_ = 0;
};

QSize chartSize() { return {kSize.width() / kColumns, kSize.height() / (kCharts / kColumns)}; }

QtChart& qtChart() {
  static auto* chart = new QtChart(chartSize());
  return *chart;
}

double qtSeconds() {
  const std::vector<QList<QPointF>> points = charts().points();
  double sum = 0;
  for (int i = 0; i < kFrames; ++i) sum += qtChart().seconds(points);
  return sum / kFrames;
}

double ownSeconds() { return charts().frameSeconds() / kCharts; }

double pointsToPart() {
  constexpr double kShare = 1.0 / 60 / kCharts;
  for (int count = 8;; count *= 2) {
    std::vector<QList<QPointF>> lines(1);
    for (int i = 0; i < count; ++i) lines[0] << QPointF(i, 6 + 5 * std::sin(1.7 * i));
    double least = 1;
    for (int i = 0; i < 5; ++i) least = std::min(least, qtChart().seconds(lines));
    if (least > kShare) return 2 * kSeries * count;
  }
}

// A finished run in the whole window, looked at for a while.
double idleShare() {
  QTemporaryDir folder(QStringLiteral("/tmp/bsXXXXXX"));
  qputenv("BATCHSCOPE_DB", folder.filePath(QStringLiteral("runs.db")).toUtf8());
  storage::Catalogue catalogue(folder.filePath(QStringLiteral("runs.db")).toStdString());
  test::writeSyntheticRun(catalogue);
  CatalogueWatcher watcher(folder.filePath(QStringLiteral("runs.db")).toStdString());
  MainWindow window(&watcher, false);
  window.resize(kSize);
  window.show();
  spin(1000);
  const double before = cpuSeconds();
  spin(1000 * kIdleSeconds);
  return (cpuSeconds() - before) / kIdleSeconds;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  applyTheme(Theme::Mode::Light);
  return bench::run(
      argc, argv,
      {{"window.fps", "frames/s", 30.0, [] { return 1 / charts().frameSeconds(); }, false},
       {"window.frame", "ratio", 3.0, [] { return charts().frameSeconds() / charts().bareSeconds(); }},
       {"window.frame.bare", "s", {}, [] { return charts().bareSeconds(); }},
       {"window.memory", "MB", {}, [] { return charts().megabytes(); }},
       {"window.idle", "cores", 0.01, idleShare},
       {"window.qtcharts", "ratio", {}, [] { return qtSeconds() / ownSeconds(); }},
       {"window.qtcharts.fps", "frames/s", {}, [] { return 1 / qtSeconds(); }, false},
       {"window.qtcharts.own.fps", "frames/s", {}, [] { return 1 / ownSeconds(); }, false},
       {"window.qtcharts.part", "points", {}, pointsToPart, false}},
      5);
}
