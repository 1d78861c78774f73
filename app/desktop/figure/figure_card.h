// SPDX-License-Identifier: GPL-3.0-or-later
//
// One figure as a card: title and unit above, and below a line that says how to read it.
#pragma once

#include <QFrame>

namespace batchscope::desktop {

class Figure;

class FigureCard : public QFrame {
  Q_OBJECT
 public:
  FigureCard(const QString& title, const QString& unit, const QString& caption, QWidget* parent = nullptr);

  Figure* figure() const { return figure_; }
  const QString& title() const { return title_; }

 private:
  QString title_;
  Figure* figure_;
};

}  // namespace batchscope::desktop
