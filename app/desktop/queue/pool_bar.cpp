// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/pool_bar.h"

#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <initializer_list>

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "look/quiet_wheel.h"
#include "look/segments.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostDevices = 4096, kHeight = 30;

QStringList titlesOf(const std::vector<common::PolicyText>& policies) {
  QStringList titles;
  for (const common::PolicyText& policy : policies) titles << policy.title;
  return titles;
}

}  // namespace

PoolBar::PoolBar(QWidget* parent)
    : QWidget(parent),
      count_(named("dim", this)),
      chip_(named("chip", this)),
      policy_name_(named("dim", this)),
      policy_(new Segments(titlesOf(policies_), this)),
      pause_(new QPushButton(tr("Pause"), this)),
      drain_(new QPushButton(tr("Drain"), this)),
      devices_(new QSpinBox(this)) {
  for (std::size_t i = 0; i < policies_.size(); ++i)
    policy_->at(static_cast<int>(i))->setToolTip(policies_[i].meaning);
  pause_->setToolTip(tr("Runs keep the devices they have, and nothing new is started"));
  drain_->setToolTip(tr("Nothing new is started; runs that train still get devices"));
  pause_->setCheckable(true);
  drain_->setCheckable(true);
  for (QPushButton* button : {pause_, drain_}) button->setObjectName(QStringLiteral("toggle"));
  devices_->setRange(0, kMostDevices);
  devices_->setSpecialValueText(tr("all"));
  devices_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  devices_->setKeyboardTracking(false);
  devices_->setFixedWidth(56);
  devices_->setAccessibleName(tr("Devices of each kind that the pool may give away"));
  devices_->setToolTip(tr("The most devices of each kind that runs may have; 0: all of them"));
  ignoreWheel(devices_);
  auto* add = new QPushButton(tr("Add a run …"), this);
  add->setObjectName(QStringLiteral("primary"));
  add->setProperty("isSmall", true);

  hbox(this, {}, 8,
       {named("runName", this, tr("Queue")),
        count_,
        {chip_, 0, Qt::AlignVCenter},
        rest(),
        policy_name_,
        policy_,
        gap(6),
        named("dim", this, tr("Devices")),
        devices_,
        gap(6),
        pause_,
        drain_,
        gap(6),
        add});
  for (QWidget* widget :
       std::initializer_list<QWidget*>{policy_->at(0), policy_->at(1), pause_, drain_, devices_, add})
    widget->setFixedHeight(kHeight);

  connect(policy_, &Segments::chosenByHand, this, [this](int segment) {
    Q_EMIT policyChosen(QString::fromStdString(policies_[static_cast<std::size_t>(segment)].name));
  });
  connect(pause_, &QPushButton::clicked, this, &PoolBar::pauseChosen);
  connect(drain_, &QPushButton::clicked, this, &PoolBar::drainChosen);
  // Not every value on the way is meant: one step up from "all" would leave all runs but one without devices.
  connect(devices_, &QSpinBox::editingFinished, this, &PoolBar::chooseLimit);
  connect(add, &QPushButton::clicked, this, &PoolBar::newRunRequested);
  policy_name_->setText(tr("Policy"));
  chip_->hide();
  devices_->clear();
  for (QWidget* widget : std::initializer_list<QWidget*>{policy_, pause_, drain_, devices_})
    widget->setEnabled(false);
}

void PoolBar::setSettings(const protocol::PoolSettings& settings) {
  const QString policy = QString::fromStdString(settings.policy);
  const auto found = std::ranges::find(policies_, settings.policy, &common::PolicyText::name);
  const int segment = found == policies_.end() ? -1 : static_cast<int>(found - policies_.begin());
  policy_name_->setText(segment >= 0 ? tr("Policy") : tr("Policy: %1").arg(policy));
  policy_->choose(segment);
  pause_->setChecked(settings.paused);
  drain_->setChecked(settings.draining);
  for (QWidget* widget : std::initializer_list<QWidget*>{policy_, pause_, drain_, devices_})
    widget->setEnabled(true);
  // The value does not change while a person edits it.
  const bool isModified = devices_->findChild<QLineEdit*>()->isModified() || devices_->value() != limit_;
  if (!devices_->hasFocus() || !isModified) devices_->setValue(settings.devices);
  limit_ = settings.devices;
  chip_->setText(settings.paused ? tr("Paused") : tr("Draining"));
  chip_->setVisible(settings.paused || settings.draining);
  setStyleProperty(chip_, "tone", QStringLiteral("warning"));
}

void PoolBar::chooseLimit() {
  devices_->findChild<QLineEdit*>()->setModified(false);
  if (devices_->value() == limit_) return;
  limit_ = devices_->value();
  Q_EMIT limitChosen(limit_);
}

void PoolBar::setCounts(std::size_t holding, std::size_t waiting) {
  count_->setText(holding + waiting == 0 ? tr("empty")
                                         : tr("%1 with devices, %2 waiting")
                                               .arg(common::formatCount(static_cast<std::int64_t>(holding)),
                                                    common::formatCount(static_cast<std::int64_t>(waiting))));
}

}  // namespace batchscope::desktop
