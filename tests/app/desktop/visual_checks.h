// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks that a careful eye makes of a window, as functions that name the first fault: text that does not fit
// its widget, widgets that lie over one another.
#pragma once

#include <QAbstractButton>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QWidget>
#include <algorithm>
#include <initializer_list>

#include "look/elided_label.h"

namespace batchscope::desktop::test {

inline bool isA(const QWidget* widget, std::initializer_list<const char*> classes) {
  return widget != nullptr && std::any_of(classes.begin(), classes.end(),
                                          [&](const char* name) { return widget->inherits(name); });
}

// Empty where all text of the window that can be seen has the room it needs.
inline QString clippedText(const QWidget& window) {
  const auto tooSmall = [](const QString& what, const char* how, int is, int needed) {
    return QStringLiteral("%1 is %2 %3, not %4").arg(what).arg(is).arg(how).arg(needed);
  };
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    if (!label->isVisible() || label->text().isEmpty() || label->visibleRegion().isEmpty()) continue;
    if (dynamic_cast<const ElidedLabel*>(label) != nullptr) continue;  // it says so by an ellipsis
    if (dynamic_cast<const UnitLabel*>(label) != nullptr) continue;    // it goes as a whole
    const int needed =
        label->wordWrap() ? label->heightForWidth(label->width()) : label->fontMetrics().height();
    if (label->height() < needed) return tooSmall(label->text(), "high", label->height(), needed);
    if (!label->wordWrap() && label->width() < label->sizeHint().width())
      return tooSmall(label->text(), "wide", label->width(), label->sizeHint().width());
  }
  for (const QTableView* table : window.findChildren<QTableView*>()) {
    if (!table->isVisible() || table->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff) continue;
    const int room = table->viewport()->width(), needed = table->horizontalHeader()->length();
    if (needed > room) return tooSmall(table->accessibleName(), "wide", room, needed);
  }
  for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || button->text().isEmpty()) continue;
    const int needed = button->minimumSizeHint().width();
    if (button->width() < needed) return tooSmall(button->text(), "wide", button->width(), needed);
  }
  return {};
}

// Empty where nothing that a person reads or presses lies over another such thing.
inline QString overlap(const QWidget& window) {
  QList<const QWidget*> pieces;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    const auto* label = qobject_cast<const QLabel*>(widget);
    const bool isPiece = (label != nullptr && !label->text().isEmpty()) ||
                         isA(widget, {"QAbstractButton", "QLineEdit", "QComboBox", "QSlider",
                                      "QAbstractItemView", "batchscope::desktop::PlotView"});
    const bool isNotice =
        isA(widget->parentWidget(), {"batchscope::desktop::Toast"});  // lies over all, a while
    if (isPiece && !isNotice && widget->isVisible() && widget->window() == &window) pieces << widget;
  }
  // Returns the part of it that its ancestors do not cut off, in the window.
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

// Empty where the eye finds neither.
inline QString fault(const QWidget& window) {
  const QString clipped = clippedText(window);
  return clipped.isEmpty() ? overlap(window) : clipped;
}

}  // namespace batchscope::desktop::test
