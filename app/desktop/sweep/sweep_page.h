// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sweep in place of the charts: its totals, parallel coordinates of its trials, their results in four
// figures, and the table of the trials. Brushes and the text above the table hide trials in both. Selected
// trials are strong in the plot, and Compare shows them on the charts.
#pragma once

#include <QTimer>
#include <QWidget>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sweep/trial_axis.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace batchscope::desktop {

class Comparison;
class Figure;
class ParallelPlot;
class PlainTable;
class Segments;
class SweepBar;
class SweepSession;
class SweepStarter;
class SweepTotals;
class TrialFilter;
class TrialModel;
struct SweepSnapshot;

class SweepPage : public QWidget {
  Q_OBJECT
 public:
  SweepPage(SweepSession* session, Comparison* comparison, QWidget* parent = nullptr);

  QTableView* table() const;
  ParallelPlot* plot() const { return plot_; }
  SweepStarter* starter() const { return starter_; }
  void focusFilter();

 Q_SIGNALS:
  void runOpened(const QString& id);
  void said(const QString& message);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* buildInvitation();
  QWidget* buildPlot();
  QWidget* buildFigures();
  QWidget* buildTable();
  QFrame* figureCard(const QString& title, const QString& how, Figure*& figure, QWidget* choice);
  void connectBar();
  void arrange(int columns);
  void showPage(QWidget* page);
  void refresh();
  void layOutColumns();
  void refreshFigures();
  void fillQuantities();
  void applyFilter();
  void updateActions();
  std::vector<std::size_t> selectedTrials() const;
  int rowOf(std::size_t trial) const;  // of the table; -1: it is filtered out
  void hover(std::optional<std::size_t> trial);
  void select(std::size_t trial, bool isAdded);
  void open(std::size_t trial);
  void openCurrent();
  void compare();
  void copyBest();
  void showContextMenu(const QPoint& place);

  SweepSession* session_;
  Comparison* comparison_;
  SweepStarter* starter_;
  std::shared_ptr<const SweepSnapshot> shown_;
  std::string sorted_;  // the sweep that the table was made for
  std::vector<double> ranks_;
  std::vector<TrialAxis> quantities_;  // parameters, metric, device time
  TrialModel* model_;
  TrialFilter* filter_;
  SweepBar* bar_;
  SweepTotals* totals_;
  QStackedWidget* pages_;
  QWidget *invitation_, *content_;
  QLabel *fault_, *count_;
  ParallelPlot* plot_;
  PlainTable* table_;
  QLineEdit* text_;
  QToolButton *clear_, *compare_, *open_;
  Segments* budget_;
  QComboBox *x_, *y_;
  Figure *curves_, *best_, *scatter_, *importance_;
  std::vector<QWidget*> cards_;
  QWidget* figures_;
  QGridLayout* grid_;
  int columns_ = 0;
  QTimer timer_;
};

}  // namespace batchscope::desktop
