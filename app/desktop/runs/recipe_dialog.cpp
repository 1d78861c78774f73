// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/recipe_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <initializer_list>
#include <utility>

#include "batchscope/protocol/error.h"
#include "look/quiet_wheel.h"
#include "look/segments.h"
#include "session/shell_words.h"

namespace batchscope::desktop {

RecipeDialog::RecipeDialog(std::vector<run::Recipe> recipes, const QueueOffer& offer, QWidget* parent)
    : StartDialog(tr("Start the run"), 64, parent),
      recipes_(std::move(recipes)),
      recipe_(new QComboBox(this)),
      description_(named("hint", this)),
      when_(new Segments({tr("Start now"), tr("Add to the queue")}, this)),
      queue_(new QueueForm(offer, this)),
      parameters_(new QScrollArea(this)) {
  setWindowTitle(tr("New run"));
  setMinimumSize(460, 480);
  recipe_->setAccessibleName(tr("Recipe"));
  for (const run::Recipe& recipe : recipes_) recipe_->addItem(QString::fromStdString(recipe.title));
  description_->setWordWrap(true);
  parameters_->setObjectName(QStringLiteral("form"));
  parameters_->setWidgetResizable(true);
  parameters_->setFrameShape(QFrame::NoFrame);
  auto* head = new QFormLayout;
  head->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  head->addRow(tr("Recipe"), recipe_);
  head->addRow(QString(), description_);
  head->addRow(QString(), when_);
  auto* replicas = new QWidget(this);  // one of the two is seen
  vbox(replicas, {}, 0, {replicas_, queue_});
  head->addRow(tr("Replicas"), replicas);
  when_->at(0)->setToolTip(tr("On devices that are free; too few is an error"));
  when_->at(1)->setToolTip(tr("The pool starts it, and shares the devices by what runs learn from them"));
  for (QWidget* field : std::initializer_list<QWidget*>{recipe_, replicas_}) ignoreWheel(field);
  layOut({head, {parameters_, 1}});

  connect(replicas_, &QSpinBox::valueChanged, this, &RecipeDialog::validate);
  connect(queue_, &QueueForm::changed, this, &RecipeDialog::validate);
  connect(when_, &Segments::chosenByHand, this, [this](int segment) { setQueued(segment == 1); });
  connect(recipe_, &QComboBox::currentIndexChanged, this, &RecipeDialog::showRecipe);
  showRecipe();
  setQueued(false);
}

void RecipeDialog::setQueued(bool isQueued) {
  when_->choose(isQueued ? 1 : 0);
  replicas_->setVisible(!isQueued);
  queue_->setVisible(isQueued);
  setStartText(isQueued ? tr("Add to the queue") : tr("Start the run"));
  validate();
}

bool RecipeDialog::isQueued() const { return when_->chosen() == 1; }

const run::Recipe& RecipeDialog::recipe() const {
  return recipes_.at(static_cast<std::size_t>(recipe_->currentIndex()));
}

void RecipeDialog::showRecipe() {
  values_.clear();
  description_->setText(QString::fromStdString(recipe().description));
  replicas_->setValue(recipe().replicas);
  auto* parameters = new QWidget(this);
  auto* form = new QFormLayout(parameters);
  form->setContentsMargins(0, 0, 8, 0);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  for (const run::Parameter& parameter : recipe().parameters) {
    const QString name = QString::fromStdString(parameter.name),
                  text = QString::fromStdString(parameter.help);
    QWidget* field = editor(parameter, parameters);
    field->setToolTip(text);
    field->setAccessibleName(name);
    field->setAccessibleDescription(text);
    form->addRow(name, field);
    if (text.isEmpty()) continue;
    QLabel* help = named("hint", parameters, text);
    help->setWordWrap(true);
    help->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    form->addRow(QString(), help);
  }
  parameters_->setWidget(parameters);
  validate();
}

QWidget* RecipeDialog::editor(const run::Parameter& parameter, QWidget* form) {
  const QString value = QString::fromStdString(parameter.value);
  const auto changed = [this, name = parameter.name](const QString& text) {
    values_[name] = text.toStdString();
    validate();
  };
  if (parameter.type == run::Parameter::Type::choice) {
    auto* box = new QComboBox(form);
    for (const std::string& choice : parameter.choices) box->addItem(QString::fromStdString(choice));
    ignoreWheel(box);
    box->setCurrentText(value);
    connect(box, &QComboBox::currentTextChanged, this, changed);
    return box;
  }
  if (parameter.type == run::Parameter::Type::flag) {
    auto* box = new QCheckBox(form);
    box->setChecked(value == QLatin1String("true"));
    connect(box, &QCheckBox::toggled, this,
            [changed](bool isOn) { changed(isOn ? QStringLiteral("true") : QStringLiteral("false")); });
    return box;
  }
  auto* line = new QLineEdit(value, form);
  connect(line, &QLineEdit::textChanged, this, changed);
  return line;
}

void RecipeDialog::validate() {
  QStringList complaints;
  for (const run::Parameter& parameter : recipe().parameters) {
    const auto typed = values_.find(parameter.name);
    if (typed == values_.end()) continue;
    const std::string complaint = parameter.complaint(typed->second);
    if (!complaint.empty())
      complaints << tr("%1: %2").arg(QString::fromStdString(parameter.name),
                                     QString::fromStdString(complaint));
  }
  QString line;
  try {
    if (complaints.isEmpty()) line = command();
  } catch (const Error& error) {  // such as a program that is not built
    complaints << QString::fromUtf8(error.what());
  }
  judge(complaints.join(QLatin1Char('\n')), line);
}

QString RecipeDialog::command() const {
  std::vector<std::string> words{"batchscope", isQueued() ? "submit" : "run", recipe().name};
  const std::vector<std::string> options =
      isQueued() ? queue_->words()
                 : std::vector<std::string>{"--replicas", std::to_string(replicas_->value())};
  words.insert(words.end(), options.begin(), options.end());
  const std::vector<std::string> arguments = spec().arguments;
  if (!arguments.empty()) words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  return shellWords(words);
}

protocol::RunSpec RecipeDialog::spec() const {
  protocol::RunSpec spec = recipe().spec(values_);
  if (isQueued())
    queue_->apply(spec);
  else
    spec.replicas = replicas_->value();
  return spec;
}

}  // namespace batchscope::desktop
