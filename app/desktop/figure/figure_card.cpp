// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure_card.h"

#include "figure/figure.h"
#include "look/box.h"
#include "look/elided_label.h"

namespace batchscope::desktop {

FigureCard::FigureCard(const QString& title, const QString& unit, const QString& caption, QWidget* parent)
    : QFrame(parent), title_(title), figure_(new Figure(this)) {
  setObjectName(QStringLiteral("card"));
  figure_->setAccessibleName(title);
  QLabel* words = named("hint", this, caption);
  words->setWordWrap(true);
  QLayout* head =
      hbox(nullptr, {12, 0, 12, 0}, 7, {named("chartTitle", this, title), {new UnitLabel(unit, this), 1}});
  vbox(this, {1, 8, 1, 9}, 2, {head, {figure_, 1}, hbox(nullptr, {12, 0, 12, 0}, 0, {{words, 1}})});
}

}  // namespace batchscope::desktop
