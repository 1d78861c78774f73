// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/empty_page.h"

#include <QLabel>
#include <QPushButton>
#include <QSvgWidget>
#include <QVBoxLayout>

namespace batchscope::desktop {

EmptyPage::EmptyPage(QWidget* parent)
    : QWidget(parent), demo_(new QPushButton(tr("Start the demo run"), this)) {
  auto* icon = new QSvgWidget(QStringLiteral(":/icons/batchscope.svg"), this);
  icon->setFixedSize(96, 96);
  auto* title = new QLabel(tr("No runs yet"), this);
  title->setObjectName(QStringLiteral("runName"));
  auto* text =
      new QLabel(tr("The demo trains a small network on drawn digits with two replicas on this machine. "
                    "Watch its gain and goodput, and restart it on another number of replicas "
                    "while it learns."),
                 this);
  text->setObjectName(QStringLiteral("dim"));
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignHCenter);
  text->setFixedSize(420, text->heightForWidth(420));
  demo_->setObjectName(QStringLiteral("primary"));
  demo_->setFixedWidth(240);
  auto* other = new QPushButton(tr("Choose a recipe …"), this);
  other->setFixedWidth(240);
  auto* lessons = new QPushButton(tr("Take a lesson"), this);
  lessons->setFixedWidth(240);
  auto* hint = new QLabel(tr("Or from a terminal: batchscope run PROGRAM --replicas 2"), this);
  hint->setObjectName(QStringLiteral("dim"));
  hint->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* column = new QVBoxLayout(this);
  column->setSpacing(0);
  column->addStretch(2);
  const auto add = [column](QWidget* widget, int gap) {
    column->addWidget(widget, 0, Qt::AlignHCenter);
    column->addSpacing(gap);
  };
  add(icon, 20);
  add(title, 8);
  add(text, 22);
  add(demo_, 8);
  add(other, 8);
  add(lessons, 22);
  add(hint, 0);
  column->addStretch(3);

  connect(demo_, &QPushButton::clicked, this, &EmptyPage::demoRequested);
  connect(lessons, &QPushButton::clicked, this, &EmptyPage::lessonsRequested);
  connect(other, &QPushButton::clicked, this, &EmptyPage::recipeRequested);
}

}  // namespace batchscope::desktop
