// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_delegate.h"

#include <QAbstractItemView>
#include <QPainter>

#include "lessons/lesson_model.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kMargin = 10, kTitle = 20, kTick = 20;

// Of the summary, in a row of this width.
int summaryHeight(const QModelIndex& index, int width) {
  return QFontMetrics(interfaceFont(11))
      .boundingRect(QRect(0, 0, width - 2 * kMargin, 1000), Qt::TextWordWrap,
                    index.data(LessonModel::SummaryRole).toString())
      .height();
}

}  // namespace

QSize LessonDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
  const int width = view != nullptr ? view->viewport()->width() : option.rect.width();
  return {100, 2 * kMargin + kTitle + summaryHeight(index, width)};
}

void LessonDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const bool isCurrent = option.state.testFlag(QStyle::State_HasFocus);
  if (isCurrent || option.state.testFlag(QStyle::State_MouseOver)) {
    painter->setPen(isCurrent ? QPen(theme.accent, 1) : QPen(Qt::NoPen));
    painter->setBrush(isCurrent ? theme.selection : theme.grid);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  }
  const QRect text = option.rect.adjusted(kMargin, kMargin - 2, -kMargin, -kMargin + 2);
  if (index.data(LessonModel::DoneRole).toBool()) {
    painter->setFont(interfaceFont(13));
    painter->setPen(theme.good);
    painter->drawText(text, Qt::AlignRight | Qt::AlignTop, QStringLiteral("✓"));
  }
  painter->setFont(interfaceFont(13, QFont::DemiBold));
  painter->setPen(theme.text);
  painter->drawText(
      text, Qt::AlignLeft | Qt::AlignTop,
      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width() - kTick));
  painter->setFont(interfaceFont(11));
  painter->setPen(theme.dim);
  painter->drawText(text.adjusted(0, kTitle, 0, 0), Qt::TextWordWrap,
                    index.data(LessonModel::SummaryRole).toString());
  painter->restore();
}

}  // namespace batchscope::desktop
