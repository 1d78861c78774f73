// SPDX-License-Identifier: GPL-3.0-or-later
//
// A label that is there whole or not at all: the unit beside a chart's title, the first to go on a narrow
// card.
#pragma once

#include <QLabel>

namespace batchscope::desktop {

class UnitLabel : public QLabel {
  Q_OBJECT
 public:
  UnitLabel(const QString& text, QWidget* parent = nullptr);

  QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace batchscope::desktop
