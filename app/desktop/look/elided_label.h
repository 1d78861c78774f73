// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lines of text that give way where there is no room, instead of widening the window.
#pragma once

#include <QLabel>
#include <algorithm>

namespace batchscope::desktop {

// Ends in an ellipsis.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  using QLabel::QLabel;

  QSize minimumSizeHint() const override {
    return {std::min(48, sizeHint().width()), QLabel::minimumSizeHint().height()};
  }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

// A label that is there whole or not at all: the unit beside a chart's title, the first to go on a narrow
// card. A note behind it goes before it.
class UnitLabel : public QLabel {
  Q_OBJECT
 public:
  UnitLabel(const QString& text, QWidget* parent = nullptr);

  void setNote(const QString& note);

  QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString unit_, note_;
};

}  // namespace batchscope::desktop
