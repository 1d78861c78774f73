// SPDX-License-Identifier: GPL-3.0-or-later
//
// Why it scaled, in place of the charts: the model's predictions, the run's choices, what replicas and
// restarts brought and cost, and the accuracy that the run reached. Cards of figures, two side by side where
// there is room, each with a line that says how to read it.
#pragma once

#include <QScrollArea>
#include <QTimer>
#include <map>
#include <vector>

class QGridLayout;

namespace batchscope::desktop {

class FigureCard;
class RunSession;
class SeriesModel;

class ScalingPage : public QScrollArea {
  Q_OBJECT
 public:
  explicit ScalingPage(RunSession* session, QWidget* parent = nullptr);

  // A run beside the open one. Its series are borrowed until the next call.
  struct Companion {
    QString name;
    int colour = 0;  // of Theme::runs
    SeriesModel* series = nullptr;
  };
  // The open run first; empty: it is alone.
  void setCompared(std::vector<Companion> runs);
  const std::vector<FigureCard*>& cards() const { return cards_; }
  // The same, by the names that a lesson calls them.
  const std::map<QString, QWidget*>& namedCards() const { return named_; }

  // The series are there, or another run's.
  void sessionOpened();
  // New samples are in the model.
  void refreshSamples();
  // Reads and draws what is known by now, also while it is not looked at, for a picture. Blocks on the disk.
  void draw();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange(int columns);
  void want();
  void refresh();

  RunSession* session_;
  std::vector<Companion> runs_;
  std::vector<FigureCard*> cards_;
  std::map<QString, QWidget*> named_;
  QWidget* content_;
  QGridLayout* grid_;
  int columns_ = 0;
  QTimer timer_;
};

}  // namespace batchscope::desktop
