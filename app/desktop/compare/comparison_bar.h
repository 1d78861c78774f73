// SPDX-License-Identifier: GPL-3.0-or-later
//
// The legend of a comparison, above the charts: each run's colour and name. Pressing a run opens it; its menu
// gives it another colour or takes it out. Groups as bands are switched here. Hidden while nothing is
// compared.
#pragma once

#include <QWidget>
#include <vector>

class QAction;
class QHBoxLayout;
class QToolButton;

namespace batchscope::desktop {

class ComparedSeries;
class Comparison;

class ComparisonBar : public QWidget {
  Q_OBJECT
 public:
  // `groups`: shows the bands of groups; `clear`: compares nothing.
  ComparisonBar(Comparison* comparison, ComparedSeries* compared, QAction* groups, QAction* clear,
                QWidget* parent = nullptr);

 Q_SIGNALS:
  void runOpened(const QString& id);
  void moreRequested();  // there are more runs than have a place

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();
  void layOut();
  QToolButton* chip(std::size_t run);
  void showMenu(QToolButton* chip, const std::string& id);

  Comparison* comparison_;
  ComparedSeries* compared_;
  QToolButton* groups_;
  QToolButton* more_;
  QHBoxLayout* row_;
  std::vector<QToolButton*> chips_;
};

}  // namespace batchscope::desktop
