// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/fork_dialog.h"

#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"
#include "look/format.h"
#include "session/shell_words.h"

namespace batchscope::desktop {

ForkDialog::ForkDialog(const storage::Run& run, const storage::Checkpoint& checkpoint, QWidget* parent)
    : StartDialog(tr("Fork the run"), 1024, parent),
      run_(run.id),
      checkpoint_(checkpoint.name),
      arguments_(run.spec.arguments),
      name_(new QLineEdit(QString::fromStdString(run.name) + tr(" fork"), this)),
      words_(new QLineEdit(shellWords(run.spec.arguments), this)) {
  setWindowTitle(tr("Fork %1").arg(QString::fromStdString(run.name)));
  setMinimumWidth(560);
  QLabel* what = named("dim", this,
                       tr("A new run begins after step %1, with %2. %3 stays as it is.")
                           .arg(formatCount(checkpoint.step), QString::fromStdString(checkpoint.name),
                                QString::fromStdString(run.name)));
  what->setWordWrap(true);
  what->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  replicas_->setValue(std::max(1, run.replicas));
  name_->setAccessibleName(tr("Name"));
  words_->setAccessibleName(tr("Arguments of the program"));

  auto* form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->addRow(tr("Name"), name_);
  form->addRow(tr("Replicas"), replicas_);
  form->addRow(tr("Arguments"), words_);
  layOut({what, form});

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
  judge(complaint, command());
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
