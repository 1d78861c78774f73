// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/segments.h"

#include <QButtonGroup>
#include <QPushButton>

#include "look/box.h"

namespace batchscope::desktop {

Segments::Segments(const QStringList& texts, QWidget* parent)
    : QWidget(parent), buttons_(new QButtonGroup(this)) {
  QHBoxLayout* row = hbox(this, {}, 0, {});
  for (qsizetype i = 0; i < texts.size(); ++i) {
    auto* button = new QPushButton(texts[i], this);
    button->setObjectName(QStringLiteral("segment"));
    button->setProperty("isSmall", true);
    if (i == 0) button->setProperty("place", QStringLiteral("first"));
    if (i + 1 == texts.size()) button->setProperty("place", QStringLiteral("last"));
    button->setCheckable(true);
    button->setMinimumWidth(button->fontMetrics().horizontalAdvance(texts[i]) + 28);
    buttons_->addButton(button, static_cast<int>(i));
    row->addWidget(button, 1);
  }
  choose(0);
  connect(buttons_, &QButtonGroup::idClicked, this, &Segments::chosenByHand);
}

int Segments::chosen() const { return buttons_->checkedId(); }

void Segments::choose(int segment) {
  QAbstractButton* const down = buttons_->checkedButton();
  if (segment >= 0) return buttons_->button(segment)->setChecked(true);
  // An exclusive group does not let its checked button be released.
  buttons_->setExclusive(false);
  if (down) down->setChecked(false);
  buttons_->setExclusive(true);
}

QWidget* Segments::at(int segment) const { return buttons_->button(segment); }

}  // namespace batchscope::desktop
