// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/empty_page.h"

#include <QPushButton>
#include <QSvgWidget>

#include "look/box.h"

namespace batchscope::desktop {

EmptyPage::EmptyPage(QWidget* parent) : QWidget(parent) {
  auto* icon = new QSvgWidget(QStringLiteral(":/icons/batchscope.svg"), this);
  icon->setFixedSize(96, 96);
  QLabel* text = named("dim", this,
                       tr("The demo trains a small model on two replicas, one core each. "
                          "Watch its gain and goodput, and restart it on another number of replicas "
                          "while it learns."));
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignHCenter);
  text->setFixedSize(420, text->heightForWidth(420));
  const auto button = [this](const QString& words, void (EmptyPage::*pressed)()) {
    auto* made = new QPushButton(words, this);
    made->setFixedWidth(240);
    connect(made, &QPushButton::clicked, this, pressed);
    return made;
  };
  QPushButton* demo = button(tr("Start the demo run"), &EmptyPage::demoRequested);
  demo->setObjectName(QStringLiteral("primary"));
  QPushButton* recipe = button(tr("New run …"), &EmptyPage::recipeRequested);
  QPushButton* lessons = button(tr("Take a lesson"), &EmptyPage::lessonsRequested);
  QLabel* hint = named("dim", this,
                       tr("Or from a terminal: batchscope run PROGRAM --replicas 2\n"
                          "Several runs that share the devices: batchscope submit PROGRAM --replicas 1-4"));
  hint->setAlignment(Qt::AlignHCenter);
  hint->setTextInteractionFlags(Qt::TextSelectableByMouse);
  const auto centred = [](QWidget* widget) { return BoxItem(widget, 0, Qt::AlignHCenter); };
  vbox(this, {11, 11, 11, 11}, 0,
       {rest(), rest(), centred(icon), gap(20), centred(named("runName", this, tr("No runs yet"))), gap(8),
        centred(text), gap(22), centred(demo), gap(8), centred(recipe), gap(8), centred(lessons), gap(22),
        centred(hint), rest(), rest(), rest()});
}

}  // namespace batchscope::desktop
