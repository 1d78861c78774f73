// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/fork_dialog.h"

#include <QLineEdit>
#include <algorithm>

#include "batchscope/common/number_text.h"
#include "batchscope/protocol/replicas.h"
#include "batchscope/storage/annotation.h"
#include "runs/parameter_form.h"
#include "session/shell_words.h"

namespace batchscope::desktop {

ForkDialog::ForkDialog(const storage::Run& run, const storage::Checkpoint& checkpoint,
                       const std::vector<run::Recipe>& recipes, QWidget* parent)
    : StartDialog(tr("Fork the run"), parent),
      run_(run.id),
      checkpoint_(checkpoint.name),
      arguments_(run.spec.arguments),
      form_(new CheckedForm(this)),
      name_(new QLineEdit(QString::fromStdString(run.name) + tr(" fork"), this)),
      replicas_(new QLineEdit(QString::number(std::max(1, run.replicas)), this)),
      words_(new QLineEdit(shellWords(run.spec.arguments), this)) {
  setWindowTitle(tr("Fork %1").arg(QString::fromStdString(run.name)));
  QLabel* what = named("dim", this,
                       tr("A new run goes on from step %1, from %2. %3 stays as it is.")
                           .arg(common::formatCount(checkpoint.step), QString::fromStdString(checkpoint.name),
                                QString::fromStdString(run.name)));
  what->setWordWrap(true);
  what->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  words_->setAccessibleName(tr("Arguments of the program"));
  form_->add(tr("Name"), name_);
  form_->add(tr("Replicas"), replicas_);
  for (const run::Recipe& recipe : recipes) {
    if (!recipe.made(run.spec)) continue;
    if (const auto values = recipe.values_of(run.spec.arguments)) {
      parameters_ = new ParameterForm(recipe, *values, this);
      break;
    }
  }
  if (parameters_ == nullptr) {
    form_->add(tr("Arguments"), words_, tr("As in a shell: quotes keep words together"));
    layOut({what, form_, rest()});
  } else {
    words_->hide();
    connect(parameters_, &ParameterForm::edited, this, &ForkDialog::validate);
    auto* content = new QWidget(this);
    vbox(content, {0, 0, 10, 0}, 12, {form_, parameters_, rest()});
    setMinimumHeight(420);
    layOut({what, {scrolledDown(content, this), 1}}, 680);
  }
  tabAfter(parameters_ == nullptr ? words_ : parameters_->tabAfter(replicas_));
  for (QLineEdit* field : {name_, replicas_, words_})
    connect(field, &QLineEdit::textChanged, this, &ForkDialog::validate);
  validate();
}

int ForkDialog::replicas() const {
  bool isNumber = false;
  const int value = replicas_->text().trimmed().toInt(&isNumber);
  return isNumber && value >= 1 && value <= protocol::kMostReplicas ? value : 0;
}

std::optional<std::vector<std::string>> ForkDialog::arguments() const {
  if (parameters_ == nullptr) return parseShellWords(words_->text());
  if (parameters_->recipe().values_of(arguments_) == parameters_->values()) return arguments_;
  return parameters_->recipe().arguments(parameters_->values());
}

void ForkDialog::validate() {
  form_->setComplaint(name_, complaintOf([&] { storage::check_name(name_->text().toStdString()); }));
  form_->setComplaint(
      replicas_,
      replicas() > 0
          ? QString()
          : tr("expected a whole number from 1 to %1").arg(common::formatCount(protocol::kMostReplicas)));
  if (parameters_ == nullptr)
    form_->setComplaint(words_, parseShellWords(words_->text()) ? QString() : tr("a quote is not closed"));
  QStringList complaints = form_->complaints();
  if (parameters_ != nullptr) complaints << parameters_->complaints();
  judge(complaints, command());
}

run::ForkOptions ForkDialog::options() const {
  run::ForkOptions options{checkpoint_, name_->text().toStdString(), replicas(), {}};
  if (const auto words = arguments(); words && *words != arguments_) options.arguments = words;
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
