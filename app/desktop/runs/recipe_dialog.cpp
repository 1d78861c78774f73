// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/recipe_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>
#include <utility>

#include "batchscope/protocol/error.h"
#include "look/theme.h"
#include "session/shell_words.h"

namespace batchscope::desktop {
RecipeDialog::RecipeDialog(std::vector<run::Recipe> recipes, QWidget* parent)
    : QDialog(parent),
      recipes_(std::move(recipes)),
      recipe_(new QComboBox(this)),
      description_(new QLabel(this)),
      replicas_(new QSpinBox(this)),
      complaint_(new QLabel(this)),
      command_(new QLineEdit(this)) {
  setWindowTitle(tr("New run"));
  setMinimumSize(460, 480);
  recipe_->setAccessibleName(tr("Recipe"));
  for (const run::Recipe& recipe : recipes_) recipe_->addItem(QString::fromStdString(recipe.title));
  description_->setObjectName(QStringLiteral("hint"));
  description_->setWordWrap(true);
  replicas_->setRange(1, 64);
  replicas_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  replicas_->setAccessibleName(tr("Replicas"));
  complaint_->setObjectName(QStringLiteral("complaint"));
  complaint_->setWordWrap(true);
  command_->setReadOnly(true);
  command_->setFont(fixedFont(11));
  command_->setAccessibleName(tr("The same in a terminal"));
  command_->setToolTip(tr("The same in a terminal"));

  auto* scroll = new QScrollArea(this);
  scroll->setObjectName(QStringLiteral("form"));
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Cancel)->setIcon({});
  start_ = new QPushButton(tr("Start the run"), this);
  start_->setObjectName(QStringLiteral("primary"));
  start_->setDefault(true);
  buttons->addButton(start_, QDialogButtonBox::AcceptRole);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

  auto* head = new QFormLayout;
  head->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  head->addRow(tr("Recipe"), recipe_);
  head->addRow(QString(), description_);
  head->addRow(tr("Replicas"), replicas_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 14);
  column->setSpacing(10);
  column->addLayout(head);
  column->addWidget(scroll, 1);
  column->addWidget(complaint_);
  column->addWidget(command_);
  column->addWidget(buttons);

  connect(replicas_, &QSpinBox::valueChanged, this, &RecipeDialog::validate);
  connect(recipe_, &QComboBox::currentIndexChanged, this, &RecipeDialog::showRecipe);
  showRecipe(0);
}

void RecipeDialog::showRecipe(int row) {
  const run::Recipe& recipe = recipes_.at(static_cast<std::size_t>(row));
  values_.clear();
  description_->setText(QString::fromStdString(recipe.description));
  replicas_->setValue(recipe.replicas);
  form_ = new QWidget(this);
  auto* form = new QFormLayout(form_);
  form->setContentsMargins(0, 0, 8, 0);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  for (const run::Parameter& parameter : recipe.parameters) {
    QWidget* field = editor(parameter);
    field->setToolTip(QString::fromStdString(parameter.help));
    field->setAccessibleName(QString::fromStdString(parameter.name));
    field->setAccessibleDescription(QString::fromStdString(parameter.help));
    form->addRow(QString::fromStdString(parameter.name), field);
    if (parameter.help.empty()) continue;
    auto* help = new QLabel(QString::fromStdString(parameter.help), form_);
    help->setObjectName(QStringLiteral("hint"));
    help->setWordWrap(true);
    help->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    form->addRow(QString(), help);
  }
  findChild<QScrollArea*>(QStringLiteral("form"))->setWidget(form_);
  validate();
}

QWidget* RecipeDialog::editor(const run::Parameter& parameter) {
  const std::string name = parameter.name;
  const QString value = QString::fromStdString(parameter.value);
  const auto changed = [this, name](const QString& text) {
    values_[name] = text.toStdString();
    validate();
  };
  if (parameter.type == run::Parameter::Type::choice) {
    auto* box = new QComboBox(form_);
    for (const std::string& choice : parameter.choices) box->addItem(QString::fromStdString(choice));
    box->setCurrentText(value);
    connect(box, &QComboBox::currentTextChanged, this, changed);
    return box;
  }
  if (parameter.type == run::Parameter::Type::flag) {
    auto* box = new QCheckBox(form_);
    box->setChecked(value == QLatin1String("true"));
    connect(box, &QCheckBox::toggled, this,
            [changed](bool isOn) { changed(isOn ? QStringLiteral("true") : QStringLiteral("false")); });
    return box;
  }
  auto* line = new QLineEdit(value, form_);
  connect(line, &QLineEdit::textChanged, this, changed);
  return line;
}

void RecipeDialog::validate() {
  QStringList complaints;
  const run::Recipe& recipe = recipes_.at(static_cast<std::size_t>(recipe_->currentIndex()));
  for (const run::Parameter& parameter : recipe.parameters) {
    const auto typed = values_.find(parameter.name);
    if (typed == values_.end()) continue;
    const std::string complaint = parameter.complaint(typed->second);
    if (!complaint.empty()) {
      complaints << tr("%1: %2").arg(QString::fromStdString(parameter.name),
                                     QString::fromStdString(complaint));
    }
  }
  QString line;
  try {
    if (complaints.isEmpty()) line = command();
  } catch (const Error& error) {  // such as a program that is not built
    complaints << QString::fromUtf8(error.what());
  }
  complaint_->setText(complaints.join(QLatin1Char('\n')));
  complaint_->setVisible(!complaints.isEmpty());
  start_->setEnabled(complaints.isEmpty());
  command_->setText(line);
  command_->setCursorPosition(0);
}

QString RecipeDialog::command() const {
  const run::Recipe& recipe = recipes_.at(static_cast<std::size_t>(recipe_->currentIndex()));
  std::vector<std::string> words{"batchscope", "run", recipe.name, "--replicas",
                                 std::to_string(replicas_->value())};
  const std::vector<std::string> arguments = spec().arguments;
  if (!arguments.empty()) words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  return shellWords(words);
}

protocol::RunSpec RecipeDialog::spec() const {
  protocol::RunSpec spec = recipes_.at(static_cast<std::size_t>(recipe_->currentIndex())).spec(values_);
  spec.replicas = replicas_->value();
  return spec;
}

}  // namespace batchscope::desktop
