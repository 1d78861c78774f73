// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/queue_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <initializer_list>

#include "batchscope/protocol/pool.h"
#include "look/box.h"
#include "look/quiet_wheel.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostReplicas = 64;

QSpinBox* number(int low, int high, int value, const QString& name, QWidget* parent) {
  auto* box = new QSpinBox(parent);
  box->setRange(low, high);
  box->setValue(value);
  box->setButtonSymbols(QAbstractSpinBox::NoButtons);
  box->setAccessibleName(name);
  ignoreWheel(box);
  return box;
}

}  // namespace

QueueForm::QueueForm(const QueueOffer& offer, QWidget* parent)
    : QWidget(parent),
      fewest_(number(1, kMostReplicas, 1, tr("Fewest replicas"), this)),
      most_(number(1, kMostReplicas, std::clamp(offer.devices, 1, kMostReplicas), tr("Most replicas"), this)),
      after_(new QComboBox(this)),
      hold_(new QCheckBox(tr("Hold it until I release it"), this)),
      pin_(new QCheckBox(tr("Pin it: it keeps the devices that it gets to its end"), this)) {
  auto* fold = new QToolButton(this);
  auto* more = new QWidget(this);
  priority_ = number(-protocol::kMostPriority, protocol::kMostPriority, 0, tr("Priority"), more);
  priority_->setToolTip(tr("-10 to 10; larger goes first"));
  after_->setAccessibleName(tr("After"));
  after_->setToolTip(tr("It waits until this run has finished"));
  after_->addItem(tr("nobody"));
  for (const auto& [id, name] : offer.runs)
    after_->addItem(tr("%1 (%2)").arg(QString::fromStdString(name), QString::fromStdString(id)),
                    QString::fromStdString(id));
  ignoreWheel(after_);
  auto* rows = new QFormLayout(more);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  rows->addRow(tr("Priority"), priority_);
  rows->addRow(tr("After"), after_);
  rows->addRow(QString(), hold_);
  rows->addRow(QString(), pin_);

  fold->setObjectName(QStringLiteral("link"));
  fold->setText(tr("Priority, order, hold and pin …"));
  fold->setCheckable(true);
  fold->setFocusPolicy(Qt::TabFocus);
  more->hide();
  connect(fold, &QToolButton::toggled, more, &QWidget::setVisible);
  QLayout* range =
      hbox(nullptr, {}, 8,
           {named("dim", this, tr("from")), {fewest_, 1}, named("dim", this, tr("to")), {most_, 1}});
  vbox(this, {}, 8, {range, {fold, 0, Qt::AlignLeft}, more});

  // One follows the other, so that they never contradict one another.
  connect(fewest_, &QSpinBox::valueChanged, this,
          [this](int value) { most_->setValue(std::max(value, most_->value())); });
  connect(most_, &QSpinBox::valueChanged, this,
          [this](int value) { fewest_->setValue(std::min(value, fewest_->value())); });
  for (QSpinBox* box : {fewest_, most_, priority_})
    connect(box, &QSpinBox::valueChanged, this, &QueueForm::changed);
  connect(after_, &QComboBox::currentIndexChanged, this, &QueueForm::changed);
  for (QCheckBox* box : {hold_, pin_}) connect(box, &QCheckBox::toggled, this, &QueueForm::changed);
}

pool::JobOptions QueueForm::options() const {
  return {.pin = pin_->isChecked(),
          .priority = priority_->value(),
          .after = after_->currentData().toString().toStdString(),
          .held = hold_->isChecked()};
}

void QueueForm::apply(protocol::RunSpec& spec) const {
  spec.replicas = fewest_->value();
  spec.auto_replicas.reset();
  if (fewest_->value() < most_->value())
    spec.auto_replicas = protocol::AutoReplicas{fewest_->value(), most_->value()};
}

std::vector<std::string> QueueForm::words() const {
  const std::string fewest = std::to_string(fewest_->value()), most = std::to_string(most_->value());
  std::vector<std::string> words{"--replicas", fewest == most ? fewest : fewest + "-" + most};
  const pool::JobOptions asked = options();
  if (asked.priority != 0) words.insert(words.end(), {"--priority", std::to_string(asked.priority)});
  if (!asked.after.empty()) words.insert(words.end(), {"--after", asked.after});
  if (asked.held) words.emplace_back("--hold");
  if (asked.pin) words.emplace_back("--pin");
  return words;
}

}  // namespace batchscope::desktop
