// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/fork_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"
#include "look/format.h"
#include "session/shell_words.h"

namespace batchscope::desktop {

ForkDialog::ForkDialog(const storage::Run& run, const storage::Checkpoint& checkpoint, QWidget* parent)
    : QDialog(parent),
      run_(run.id),
      checkpoint_(checkpoint.name),
      arguments_(run.spec.arguments),
      name_(new QLineEdit(QString::fromStdString(run.name) + tr(" fork"), this)),
      replicas_(new QSpinBox(this)),
      words_(new QLineEdit(shellWords(run.spec.arguments), this)),
      complaint_(new QLabel(this)),
      command_(new QLineEdit(this)),
      start_(new QPushButton(tr("Fork the run"), this)) {
  setWindowTitle(tr("Fork %1").arg(QString::fromStdString(run.name)));
  setMinimumWidth(560);
  auto* what = new QLabel(tr("A new run begins after step %1, with %2. %3 stays as it is.")
                              .arg(formatCount(checkpoint.step), QString::fromStdString(checkpoint.name),
                                   QString::fromStdString(run.name)),
                          this);
  what->setObjectName(QStringLiteral("dim"));
  what->setWordWrap(true);
  what->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  replicas_->setRange(1, 1024);
  replicas_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  replicas_->setValue(std::max(1, run.replicas));
  name_->setAccessibleName(tr("Name"));
  replicas_->setAccessibleName(tr("Replicas"));
  words_->setAccessibleName(tr("Arguments of the program"));
  complaint_->setObjectName(QStringLiteral("complaint"));
  complaint_->setWordWrap(true);
  command_->setReadOnly(true);
  command_->setAccessibleName(tr("The command line that does the same"));
  command_->setToolTip(tr("The command line that does the same"));

  auto* form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->addRow(tr("Name"), name_);
  form->addRow(tr("Replicas"), replicas_);
  form->addRow(tr("Arguments"), words_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Cancel)->setIcon({});
  start_->setObjectName(QStringLiteral("primary"));
  start_->setDefault(true);
  buttons->addButton(start_, QDialogButtonBox::AcceptRole);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 14);
  column->setSpacing(10);
  column->addWidget(what);
  column->addLayout(form);
  column->addWidget(complaint_);
  column->addWidget(command_);
  column->addWidget(buttons);

  connect(name_, &QLineEdit::textChanged, this, &ForkDialog::validate);
  connect(words_, &QLineEdit::textChanged, this, &ForkDialog::validate);
  connect(replicas_, &QSpinBox::valueChanged, this, &ForkDialog::validate);
  validate();
}

void ForkDialog::validate() {
  QString complaint;
  try {
    storage::check_name(name_->text().toStdString());
  } catch (const Error& error) {
    complaint = QString::fromUtf8(error.what());
  }
  if (!parseShellWords(words_->text())) complaint = tr("A quote of the arguments is not closed.");
  complaint_->setText(complaint);
  complaint_->setVisible(!complaint.isEmpty());
  start_->setEnabled(complaint.isEmpty());
  command_->setText(complaint.isEmpty() ? command() : QString());
  command_->setCursorPosition(0);
}

run::ForkOptions ForkDialog::options() const {
  run::ForkOptions options{checkpoint_, name_->text().toStdString(), replicas_->value(), {}};
  const auto words = parseShellWords(words_->text());
  if (words && *words != arguments_) options.arguments = words;
  return options;
}

QString ForkDialog::command() const {
  const run::ForkOptions chosen = options();
  std::vector<std::string> words{"batchscope",
                                 "fork",
                                 run_,
                                 "--checkpoint",
                                 chosen.checkpoint,
                                 "--name",
                                 chosen.name,
                                 "--replicas",
                                 std::to_string(chosen.replicas)};
  if (chosen.arguments) {
    words.emplace_back("--");
    words.insert(words.end(), chosen.arguments->begin(), chosen.arguments->end());
  }
  return shellWords(words);
}

}  // namespace batchscope::desktop
