// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/comparison_bar.h"

#include <QEvent>
#include <QMenu>
#include <QToolButton>

#include "chart/line_look.h"
#include "compare/compared_series.h"
#include "look/box.h"
#include "look/theme.h"
#include "session/comparison.h"

namespace batchscope::desktop {
namespace {

constexpr int kWidestChip = 190, kGap = 6;

}  // namespace

ComparisonBar::ComparisonBar(Comparison* comparison, ComparedSeries* compared, QAction* groups,
                             QAction* clear, QWidget* parent)
    : QWidget(parent),
      comparison_(comparison),
      compared_(compared),
      groups_(buttonOf(groups, this)),
      more_(new QToolButton(this)),
      row_(hbox(this, {}, kGap, {more_, rest(), groups_, buttonOf(clear, this)})) {
  more_->setFocusPolicy(Qt::TabFocus);
  more_->setObjectName(QStringLiteral("link"));
  more_->setAccessibleName(tr("More runs"));
  connect(more_, &QToolButton::clicked, this, &ComparisonBar::moreRequested);
  connect(compared_, &ComparedSeries::changed, this, &ComparisonBar::rebuild);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  hide();
}

QToolButton* ComparisonBar::chip(std::size_t run) {
  const ComparedSeries::Entry& entry = compared_->runs()[run];
  auto* chip = new QToolButton(this);
  chip->setObjectName(QStringLiteral("runChip"));
  chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  chip->setIcon(sampleOfRun(entry.colour));
  chip->setIconSize({12, 12});
  chip->setText(chip->fontMetrics().elidedText(entry.name, Qt::ElideMiddle, kWidestChip - 40));
  chip->setAccessibleName(entry.isOpen ? tr("%1, open").arg(entry.name) : tr("Open %1").arg(entry.name));
  chip->setToolTip(entry.isOpen
                       ? tr("%1 is open: the shaded bands and the controls belong to it").arg(entry.name)
                       : tr("Open %1. Right-click to change its colour or to remove it").arg(entry.name));
  chip->setProperty("isOpen", entry.isOpen);
  chip->setFocusPolicy(Qt::TabFocus);
  chip->setContextMenuPolicy(Qt::CustomContextMenu);
  const std::string id = entry.id;
  connect(chip, &QToolButton::clicked, this, [this, id] { Q_EMIT runOpened(QString::fromStdString(id)); });
  connect(chip, &QWidget::customContextMenuRequested, this, [this, chip, id] { showMenu(chip, id); });
  return chip;
}

void ComparisonBar::showMenu(QToolButton* chip, const std::string& id) {
  QMenu menu(this);
  QMenu* colours = menu.addMenu(tr("Colour"));
  const auto& palette = Theme::current().runs;
  for (int slot = 0; slot < static_cast<int>(palette.size()); ++slot) {
    colours->addAction(QIcon(sampleOfRun(slot)), tr("Colour %1").arg(slot + 1), this,
                       [this, id, slot] { comparison_->setColour(id, slot); });
  }
  menu.addAction(tr("Remove from the comparison"), this, [this, id] { comparison_->choose(id, false); });
  menu.exec(chip->mapToGlobal(QPoint(0, chip->height())));
}

void ComparisonBar::rebuild() {
  for (QToolButton* chip : chips_) {
    row_->removeWidget(chip);
    chip->hide();
    chip->deleteLater();  // it may be the one that was pressed
  }
  chips_.clear();
  for (std::size_t run = 0; run < compared_->runs().size(); ++run) {
    chips_.push_back(chip(run));
    row_->insertWidget(static_cast<int>(run), chips_.back());
  }
  setVisible(!chips_.empty());
  layOut();
}

// Shows as many chips as there is place for; the first is always there.
void ComparisonBar::layOut() {
  int room = width() - groups_->sizeHint().width() - 140;
  std::size_t shown = 0;
  for (QToolButton* chip : chips_) {
    room -= chip->sizeHint().width() + kGap;
    if (room < 0 && shown > 0) break;
    ++shown;
  }
  for (std::size_t i = 0; i < chips_.size(); ++i) chips_[i]->setVisible(i < shown);
  more_->setVisible(shown < chips_.size());
  more_->setText(tr("and %1 more").arg(chips_.size() - shown));
}

void ComparisonBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOut();
}

void ComparisonBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // A palette of which only the series are others is a change of the style alone.
  const bool isLook = event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange;
  if (isLook && !chips_.empty())
    QMetaObject::invokeMethod(this, &ComparisonBar::rebuild, Qt::QueuedConnection);
}

}  // namespace batchscope::desktop
