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
#include "look/fit.h"

namespace batchscope::desktop {
namespace {

struct Shortcut {
  QString keys, text;
};

QString plain(QString text) { return text.remove(QLatin1Char('&')); }

struct Section {
  QString title;
  std::vector<Shortcut> shortcuts;
  std::size_t rows() const { return shortcuts.size() + 1; }
};

// A menu below another one is a section of its own, where it is more than a few; else its entries say so:
// "Panels: Runs".
void collect(const QMenu* menu, std::vector<Section>& sections) {
  constexpr std::size_t kFew = 2;
  Section own{plain(menu->title()), {}};
  std::vector<Section> below;
  for (const QAction* action : menu->actions()) {
    if (action->menu() != nullptr) {
      collect(action->menu(), below);
    } else if (!action->shortcut().isEmpty()) {
      own.shortcuts.push_back({action->shortcut().toString(QKeySequence::NativeText), plain(action->text())});
    }
  }
  for (const Section& section : below)
    if (section.shortcuts.size() <= kFew)
      for (const Shortcut& each : section.shortcuts)
        own.shortcuts.push_back({each.keys, ShortcutSheet::tr("%1: %2").arg(section.title, each.text)});
  if (!own.shortcuts.empty()) sections.push_back(std::move(own));
  for (Section& section : below)
    if (section.shortcuts.size() > kFew) sections.push_back(std::move(section));
}

QLayout* sectionLayout(const Section& section, QWidget* parent) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(20);
  grid->setVerticalSpacing(4);
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

// Lays the sections out in three columns, each in the first that has room for it; a low window scrolls them.
ShortcutSheet::ShortcutSheet(const QMenuBar* menus, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keyboard shortcuts"));
  std::vector<Section> sections;
  for (const QAction* top : menus->actions())
    if (top->menu() != nullptr) collect(top->menu(), sections);
  std::size_t all = 0, highest = 0;
  for (const Section& section : sections) {
    all += section.rows();
    highest = std::max(highest, section.rows());
  }
  struct Column {
    QVBoxLayout* layout;
    std::size_t rows = 0;
  };
  std::vector<Column> columns;
  highest = std::max(highest, all / 3 + 1);
  auto* page = new QWidget(this);
  QHBoxLayout* row = hbox(page, {24, 20, 24, 24}, 40, {});
  for (const Section& section : sections) {
    auto column = std::ranges::find_if(
        columns, [&](const Column& each) { return each.rows + section.rows() <= highest; });
    if (column == columns.end()) {
      column = columns.insert(column, {vbox(nullptr, {}, 18, {})});
      row->addLayout(column->layout);
    }
    column->layout->addLayout(sectionLayout(section, page));
    column->rows += section.rows();
  }
  for (const Column& column : columns) column.layout->addStretch(1);
  vbox(this, {}, 0, {scrolled(page, this)});
  constexpr int kScrollBar = 12;
  fit(this, page->sizeHint() + QSize(kScrollBar, kScrollBar));
}

}  // namespace batchscope::desktop
