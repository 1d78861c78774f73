// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/start_dialog.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include "look/theme.h"

namespace batchscope::desktop {

StartDialog::StartDialog(const QString& start, int mostReplicas, QWidget* parent)
    : QDialog(parent),
      replicas_(new QSpinBox(this)),
      complaint_(named("complaint", this)),
      command_(new QLineEdit(this)),
      start_(new QPushButton(start, this)) {
  replicas_->setRange(1, mostReplicas);
  replicas_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  replicas_->setAccessibleName(tr("Replicas"));
  complaint_->setWordWrap(true);
  command_->setReadOnly(true);
  command_->setFont(fixedFont(11));
  command_->setAccessibleName(tr("The same in a terminal"));
  command_->setToolTip(tr("The same in a terminal"));
  start_->setObjectName(QStringLiteral("primary"));
  start_->setDefault(true);
}

void StartDialog::layOut(std::initializer_list<BoxItem> items) {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Cancel)->setIcon({});
  buttons->addButton(start_, QDialogButtonBox::AcceptRole);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  QVBoxLayout* column = vbox(this, {16, 16, 16, 14}, 10, items);
  for (QWidget* widget : std::initializer_list<QWidget*>{complaint_, command_, buttons})
    column->addWidget(widget);
}

void StartDialog::setStartText(const QString& start) { start_->setText(start); }

void StartDialog::judge(const QString& complaint, const QString& command) {
  const bool isWell = complaint.isEmpty();
  complaint_->setText(complaint);
  complaint_->setVisible(!isWell);
  start_->setEnabled(isWell);
  command_->setText(isWell ? command : QString());
  command_->setCursorPosition(0);
}

}  // namespace batchscope::desktop
