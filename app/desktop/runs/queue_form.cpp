// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/queue_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <cstdlib>

#include "batchscope/protocol/pool.h"

namespace batchscope::desktop {

QueueForm::QueueForm(const std::vector<std::pair<std::string, std::string>>& runs, QWidget* parent)
    : CheckedForm(parent),
      priority_(new QLineEdit(QStringLiteral("0"), this)),
      after_(new QComboBox(this)),
      hold_(new QCheckBox(tr("Hold it until I release it"), this)),
      pin_(new QCheckBox(tr("Pin it: it keeps its devices until it ends"), this)) {
  after_->addItem(tr("no other run"));
  for (const auto& [id, name] : runs)
    after_->addItem(tr("%1 (%2)").arg(QString::fromStdString(name), QString::fromStdString(id)),
                    QString::fromStdString(id));
  add(tr("Priority"), priority_, tr("-10 to 10; larger goes first"));
  add(tr("After"), after_, tr("Waits until that run has finished"));
  hold_->setAccessibleName(hold_->text());
  pin_->setAccessibleName(pin_->text());
  add({}, hold_);
  add({}, pin_);
  connect(priority_, &QLineEdit::textChanged, this, [this] {
    setComplaint(priority_, priority()
                                ? QString()
                                : tr("expected a whole number from -%1 to %1").arg(protocol::kMostPriority));
    Q_EMIT edited();
  });
  connect(after_, &QComboBox::currentIndexChanged, this, &QueueForm::edited);
  for (QCheckBox* box : {hold_, pin_}) connect(box, &QCheckBox::toggled, this, &QueueForm::edited);
}

std::optional<int> QueueForm::priority() const {
  bool isNumber = false;
  const int value = priority_->text().toInt(&isNumber);
  if (!isNumber || std::abs(value) > protocol::kMostPriority) return {};
  return value;
}

pool::JobOptions QueueForm::options() const {
  return {.pin = pin_->isChecked(),
          .priority = priority().value_or(0),
          .after = after_->currentData().toString().toStdString(),
          .held = hold_->isChecked()};
}

}  // namespace batchscope::desktop
