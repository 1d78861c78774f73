// SPDX-License-Identifier: GPL-3.0-or-later
//
// A panel at the left and one at the right of the middle. Where there is no room beside the middle they lie
// over it: shown when a person asks for them, and gone with Escape or a press elsewhere.
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;
class QSettings;

namespace batchscope::desktop {

class SidePanels : public QWidget {
  Q_OBJECT
 public:
  SidePanels(QWidget* left, QWidget* middle, QWidget* right, QWidget* parent = nullptr);

  // Show and hide a panel; checked while it is there.
  QAction* leftAction() const { return left_.action; }
  QAction* rightAction() const { return right_.action; }
  // How wide each is.
  void setWidths(int left, int right);
  // The left panel stays beside the middle, however narrow the window.
  void setLeftStays(bool stays);
  // Says whether there is something in the right panel.
  void setHasRight(bool has);
  void showLeft();

  // Keeps which panels are wanted, for the next time.
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Side {
    QWidget* panel;
    QAction* action;
    bool isWanted = true;   // beside the middle
    bool isRaised = false;  // over it
    bool isOver = false;
    bool isAvailable = true;
  };
  void arrange();
  void show(Side& side);
  void toggle(Side& side, bool on);
  void lower();  // what lies over the middle

  QWidget* middle_;
  Side left_, right_;
  QHBoxLayout* row_;
  bool leftStays_ = false;
};

}  // namespace batchscope::desktop
