// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a careful eye looks for in a window, as functions that name the first fault: text that does not fit
// its widget, widgets that lie over one another.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QTableView>
#include <QWidget>

#include "chart/plot_view.h"
#include "look/elided_label.h"
#include "look/unit_label.h"

namespace batchscope::desktop::test {

// Empty where all text of the window that can be seen has the room it needs.
inline QString clippedText(const QWidget& window) {
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    if (!label->isVisible() || label->text().isEmpty() || label->visibleRegion().isEmpty()) continue;
    if (dynamic_cast<const ElidedLabel*>(label) != nullptr) continue;  // it says so by an ellipsis
    if (dynamic_cast<const UnitLabel*>(label) != nullptr) continue;    // it goes as a whole
    const int needed =
        label->wordWrap() ? label->heightForWidth(label->width()) : label->fontMetrics().height();
    if (label->height() < needed)
      return QStringLiteral("\"%1\" is %2 high, not %3").arg(label->text()).arg(label->height()).arg(needed);
    if (!label->wordWrap() && label->width() < label->sizeHint().width())
      return QStringLiteral("\"%1\" is %2 wide, not %3")
          .arg(label->text())
          .arg(label->width())
          .arg(label->sizeHint().width());
  }
  for (const QTableView* table : window.findChildren<QTableView*>()) {
    if (!table->isVisible() || table->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff) continue;
    if (table->horizontalHeader()->length() > table->viewport()->width())
      return QStringLiteral("the table \"%1\" is %2 wide, not %3")
          .arg(table->accessibleName())
          .arg(table->viewport()->width())
          .arg(table->horizontalHeader()->length());
  }
  for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || button->text().isEmpty()) continue;
    if (button->width() < button->minimumSizeHint().width())
      return QStringLiteral("the button \"%1\" is %2 wide, not %3")
          .arg(button->text())
          .arg(button->width())
          .arg(button->minimumSizeHint().width());
  }
  return {};
}

// Empty where nothing that a person reads or presses lies over another such thing.
inline QString overlap(const QWidget& window) {
  QList<const QWidget*> pieces;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    const auto* label = qobject_cast<const QLabel*>(widget);
    const bool isPiece = (label != nullptr && !label->text().isEmpty()) ||
                         qobject_cast<const QAbstractButton*>(widget) != nullptr ||
                         qobject_cast<const QLineEdit*>(widget) != nullptr ||
                         qobject_cast<const QComboBox*>(widget) != nullptr ||
                         qobject_cast<const QSlider*>(widget) != nullptr ||
                         qobject_cast<const QAbstractItemView*>(widget) != nullptr ||
                         qobject_cast<const PlotView*>(widget) != nullptr;
    if (isPiece && widget->isVisible() && widget->window() == &window) pieces << widget;
  }
  // What of it its ancestors do not cut off, in the window.
  const auto place = [&](const QWidget* widget) {
    QRect seen = widget->rect();
    for (const QWidget* at = widget; at != &window; at = at->parentWidget())
      seen = seen.translated(at->pos()) & at->parentWidget()->rect();
    return seen;
  };
  for (qsizetype i = 0; i < pieces.size(); ++i) {
    for (qsizetype j = 0; j < i; ++j) {
      if (pieces[i]->isAncestorOf(pieces[j]) || pieces[j]->isAncestorOf(pieces[i])) continue;
      const QRect both = place(pieces[i]) & place(pieces[j]);
      if (both.isEmpty()) continue;
      const auto name = [](const QWidget* widget) {
        const QString text = widget->property("text").toString();
        return QStringLiteral("%1 %2 \"%3\"")
            .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                 text.isEmpty() ? widget->accessibleName() : text);
      };
      return QStringLiteral("%1 lies over %2 at %3, %4, %5 by %6")
          .arg(name(pieces[i]), name(pieces[j]))
          .arg(both.x())
          .arg(both.y())
          .arg(both.width())
          .arg(both.height());
    }
  }
  return {};
}

}  // namespace batchscope::desktop::test
