// SPDX-License-Identifier: GPL-3.0-or-later
//
// A line of text that gives way: where there is no room it ends in an ellipsis instead of widening the
// window.
#pragma once

#include <QLabel>

namespace batchscope::desktop {

class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  using QLabel::QLabel;

  QSize minimumSizeHint() const override { return {48, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace batchscope::desktop
