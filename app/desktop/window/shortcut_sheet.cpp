// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/shortcut_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <utility>
#include <vector>

#include "look/box.h"

namespace batchscope::desktop {
namespace {

struct Shortcut {
  QString keys, text;
};

QString plain(QString text) { return text.remove(QLatin1Char('&')); }

// What lies in a menu below says so: "X axis: Step".
void collect(const QMenu* menu, const QString& path, std::vector<Shortcut>& found) {
  for (const QAction* action : menu->actions()) {
    if (const QMenu* below = action->menu()) {
      collect(below, ShortcutSheet::tr("%1: ").arg(plain(below->title())), found);
    } else if (!action->shortcut().isEmpty()) {
      found.push_back({action->shortcut().toString(QKeySequence::NativeText), path + plain(action->text())});
    }
  }
}

struct Section {
  QString title;
  std::vector<Shortcut> shortcuts;
  std::size_t rows() const { return shortcuts.size() + 1; }
};

QLayout* sectionLayout(const Section& section, QWidget* parent) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(20);
  grid->setVerticalSpacing(7);
  grid->addWidget(named("section", parent, section.title), 0, 0, 1, 2);
  for (const Shortcut& shortcut : section.shortcuts) {
    const int row = grid->rowCount();
    grid->addWidget(named("keys", parent, shortcut.keys), row, 0, Qt::AlignLeft);
    grid->addWidget(new QLabel(shortcut.text, parent), row, 1);
  }
  grid->setColumnStretch(1, 1);
  return grid;
}

}  // namespace

// Short sections stand below one another, in columns no higher than the longest.
ShortcutSheet::ShortcutSheet(const QMenuBar* menus, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keyboard shortcuts"));
  std::vector<Section> sections;
  std::size_t highest = 0;
  for (const QAction* top : menus->actions()) {
    Section section{plain(top->text()), {}};
    if (top->menu() != nullptr) collect(top->menu(), {}, section.shortcuts);
    if (section.shortcuts.empty()) continue;
    highest = std::max(highest, section.rows());
    sections.push_back(std::move(section));
  }
  QHBoxLayout* columns = hbox(this, {24, 20, 24, 24}, 40, {});
  QVBoxLayout* column = nullptr;
  std::size_t rows = 0;
  for (const Section& section : sections) {
    if (column == nullptr || rows + section.rows() > highest) {
      if (column != nullptr) column->addStretch(1);
      column = new QVBoxLayout;
      column->setSpacing(18);
      columns->addLayout(column);
      rows = 0;
    }
    column->addLayout(sectionLayout(section, this));
    rows += section.rows();
  }
  if (column != nullptr) column->addStretch(1);
}

}  // namespace batchscope::desktop
