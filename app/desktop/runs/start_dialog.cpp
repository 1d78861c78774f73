// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/start_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>

#include "look/fit.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kWidth = 560, kLeastWidth = 480;

}  // namespace

StartDialog::StartDialog(const QString& start, QWidget* parent)
    : QDialog(parent),
      complaint_(named("complaint", this)),
      command_(new QLineEdit(this)),
      copy_(new QPushButton(tr("Copy"), this)),
      start_(new QPushButton(start, this)) {
  complaint_->setWordWrap(true);
  command_->setReadOnly(true);
  command_->setFont(fixedFont(11));
  command_->setPlaceholderText(tr("The same in a terminal, once all is right"));
  command_->setAccessibleName(tr("The same in a terminal"));
  command_->setToolTip(tr("The same in a terminal"));
  setMinimumWidth(kLeastWidth);
  copy_->setAccessibleName(tr("Copy the command"));
  copy_->setToolTip(tr("Copies the command, which does the same in a terminal"));
  copy_->setAutoDefault(false);
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command_->text()); });
  start_->setObjectName(QStringLiteral("primary"));
  start_->setDefault(true);
}

void StartDialog::layOut(std::initializer_list<BoxItem> items, int height) {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->addButton(start_, QDialogButtonBox::AcceptRole);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  QVBoxLayout* column = vbox(this, {16, 16, 16, 14}, 10, items);
  column->addWidget(complaint_);
  column->addLayout(hbox(nullptr, {}, 8, {{command_, 1}, copy_}));
  column->addWidget(buttons);
  fit(this, {kWidth, height > 0 ? height : sizeHint().height()});
}

void StartDialog::tabAfter(QWidget* lastField) {
  for (QWidget* next : std::initializer_list<QWidget*>{command_, copy_, start_}) {
    setTabOrder(lastField, next);
    lastField = next;
  }
}

void StartDialog::setStartText(const QString& start) { start_->setText(start); }

void StartDialog::judge(const QStringList& complaints, const QString& command) {
  const bool isWell = complaints.isEmpty();
  QString text = complaints.value(0);
  if (complaints.size() == 2) text += tr("; and one more field is wrong");
  if (complaints.size() > 2) text += tr("; and %1 more fields are wrong").arg(complaints.size() - 1);
  complaint_->setText(text);
  complaint_->setVisible(!isWell);
  start_->setEnabled(isWell);
  start_->setToolTip(complaints.join(QLatin1Char('\n')));
  command_->setText(isWell ? command : QString());
  command_->setCursorPosition(0);
  copy_->setEnabled(isWell);
}

}  // namespace batchscope::desktop
