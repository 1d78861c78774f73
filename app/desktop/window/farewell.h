// SPDX-License-Identifier: GPL-3.0-or-later
//
// A note that stays for a few seconds after the window has closed: training goes on.
#pragma once

#include <QLabel>

namespace batchscope::desktop {

class Farewell : public QLabel {
  Q_OBJECT
 public:
  explicit Farewell(const QString& text);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
};

}  // namespace batchscope::desktop
