// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/plain_table.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kPadding = 16;  // of a cell, as the style sheet has it

}  // namespace

PlainTable::PlainTable(const QString& emptyText, QWidget* parent)
    : QTableView(parent), emptyText_(emptyText) {
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTabKeyNavigation(false);
  setWordWrap(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(20);
  verticalHeader()->setMinimumSectionSize(20);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void PlainTable::hideHeader() { horizontalHeader()->hide(); }

void PlainTable::setEmptyText(const QString& text) {
  emptyText_ = text;
  viewport()->update();
}

bool PlainTable::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QModelIndex index = indexAt(help->pos());
    const QString text = index.data(Qt::DisplayRole).toString();
    const bool isCut = fontMetrics().horizontalAdvance(text) + kPadding > columnWidth(index.column());
    if (index.isValid() && isCut && index.data(Qt::ToolTipRole).toString().isEmpty()) {
      QToolTip::showText(help->globalPos(), text, viewport(), visualRect(index));
      return true;
    }
  }
  return QTableView::viewportEvent(event);
}

void PlainTable::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (model() != nullptr && model()->rowCount() > 0) return;
  QPainter painter(viewport());
  painter.setPen(Theme::current().dim);
  const int above = std::clamp((viewport()->height() - fontMetrics().height()) / 2, 0, 12);  // in a low panel
  painter.drawText(viewport()->rect().adjusted(12, above, -12, 0),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, emptyText_);
}

}  // namespace batchscope::desktop
