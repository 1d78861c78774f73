// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_list_delegate.h"

#include <QPainter>

#include "look/swatch.h"
#include "look/theme.h"
#include "runs/run_model.h"

namespace batchscope::desktop {
namespace {

constexpr int kRow = 48, kHeading = 30;

bool opensSection(const QModelIndex& index) {
  return index.row() == 0 ||
         index.data(RunModel::SectionRole) != index.siblingAtRow(index.row() - 1).data(RunModel::SectionRole);
}

}  // namespace

QSize RunListDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  return {100, kRow + 2 + (opensSection(index) ? kHeading : 0)};
}

void RunListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  QRect row = option.rect;
  if (opensSection(index)) {
    const QRect heading(row.left(), row.top(), row.width(), kHeading);
    painter->setFont(interfaceFont(11, QFont::Bold));
    painter->setPen(theme.dim);
    painter->drawText(heading.adjusted(0, 4, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      index.data(RunModel::SectionRole).toString());
    row.setTop(row.top() + kHeading);
  }
  row.setHeight(kRow);
  const bool isSelected = option.state.testFlag(QStyle::State_Selected);
  if (isSelected || option.state.testFlag(QStyle::State_MouseOver)) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(isSelected ? theme.selection : theme.grid);
    painter->drawRoundedRect(row, 6, 6);
  }
  if (isSelected && option.state.testFlag(QStyle::State_HasFocus)) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(theme.accent, 1));
    painter->drawRoundedRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  }
  painter->setPen(Qt::NoPen);
  if (const QVariant colour = index.data(RunModel::ColourRole); colour.isValid()) {
    painter->setBrush(colour.value<QColor>());
    painter->drawRoundedRect(QRectF(row.left(), row.top() + 8, 3, row.height() - 16), 1.5, 1.5);
  }
  painter->setBrush(stateColour(index.data(RunModel::StateRole).toString(), theme));
  painter->drawEllipse(QPointF(row.left() + 13, row.top() + 16), 4, 4);

  const QRect text = row.adjusted(27, 8, -10, -8);
  const QString badge = index.data(RunModel::BadgeRole).toString();
  painter->setFont(interfaceFont(11));
  painter->setPen(theme.dim);
  painter->drawText(text, Qt::AlignRight | Qt::AlignTop, badge);
  const QString detail = index.data(RunModel::DetailRole).toString();
  painter->drawText(text, Qt::AlignLeft | Qt::AlignBottom,
                    painter->fontMetrics().elidedText(detail, Qt::ElideRight, text.width()));
  const int room = text.width() - painter->fontMetrics().horizontalAdvance(badge) - 8;
  painter->setFont(interfaceFont(13));
  painter->setPen(theme.text);
  painter->drawText(text.adjusted(0, -2, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                    painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room));
  painter->restore();
}

}  // namespace batchscope::desktop
