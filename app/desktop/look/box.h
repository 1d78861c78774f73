// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows and columns of widgets, each with its margins, spacing and contents in one expression; and the labels
// and buttons in them.
#pragma once

#include <QBoxLayout>
#include <QLabel>
#include <initializer_list>

class QToolButton;

namespace batchscope::desktop {

// An item of a row or column.
struct BoxItem {
  BoxItem(QWidget* what, int share = 0, Qt::Alignment at = {}) : widget(what), stretch(share), place(at) {}
  BoxItem(QLayout* what, int share = 0) : layout(what), stretch(share) {}

  QWidget* widget = nullptr;
  QLayout* layout = nullptr;
  int stretch = 0;
  Qt::Alignment place = {};
  int gap = -1;  // pixels, where it is neither

 private:
  BoxItem() = default;
  friend BoxItem gap(int pixels);
  friend BoxItem rest();
};

BoxItem gap(int pixels);
BoxItem rest();  // takes what room is left

// `parent` may be null: then another layout takes it.
QHBoxLayout* hbox(QWidget* parent, const QMargins& margins, int spacing,
                  std::initializer_list<BoxItem> items);
QVBoxLayout* vbox(QWidget* parent, const QMargins& margins, int spacing,
                  std::initializer_list<BoxItem> items);

// The page, which is scrolled where there is less room than it needs.
QWidget* scrolled(QWidget* page, QWidget* parent);
// The same for one that takes the width that there is.
QWidget* scrolledDown(QWidget* page, QWidget* parent);
// A frame that the style sheet draws as a card.
QFrame* card(QWidget* parent);
// The style sheet knows it by its name.
QLabel* named(const char* name, QWidget* parent, const QString& text = {});
// Presses the action, also by keyboard.
QToolButton* buttonOf(QAction* action, QWidget* parent);

}  // namespace batchscope::desktop
