// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/parameter_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <utility>

namespace batchscope::desktop {

ParameterForm::ParameterForm(run::Recipe recipe, const Values& values, QWidget* parent)
    : CheckedForm(parent), recipe_(std::move(recipe)), values_(recipe_.values(values)) {
  for (const run::Parameter& parameter : recipe_.parameters) {
    const QString help = QString::fromStdString(parameter.help);
    QWidget* field = editor(parameter);
    field->setToolTip(help);
    fields_[parameter.name] = field;
    add(QString::fromStdString(parameter.name), field, help);
  }
  check();
}

ParameterForm::Values ParameterForm::changed() const {
  Values changed;
  for (const auto& [name, value] : values_)
    if (const run::Parameter* known = recipe_.parameter(name); known == nullptr || known->value != value)
      changed.emplace(name, value);
  return changed;
}

QWidget* ParameterForm::editor(const run::Parameter& parameter) {
  const QString value = QString::fromStdString(values_.at(parameter.name));
  const auto take = [this, name = parameter.name](const QString& text) {
    values_[name] = text.toStdString();
    check();
    Q_EMIT edited();
  };
  if (parameter.type == run::Parameter::Type::choice) {
    auto* box = new QComboBox(this);
    for (const std::string& choice : parameter.choices) box->addItem(QString::fromStdString(choice));
    if (box->findText(value) < 0) box->addItem(value);  // what a run was started with is shown as it is
    box->setCurrentText(value);
    connect(box, &QComboBox::currentTextChanged, this, take);
    return box;
  }
  if (parameter.type == run::Parameter::Type::flag) {
    auto* box = new QCheckBox(this);
    box->setChecked(value == QLatin1String("true"));
    connect(box, &QCheckBox::toggled, this,
            [take](bool isOn) { take(isOn ? QStringLiteral("true") : QStringLiteral("false")); });
    return box;
  }
  auto* line = new QLineEdit(value, this);
  connect(line, &QLineEdit::textChanged, this, take);
  return line;
}

void ParameterForm::check() {
  const Values complaints = recipe_.complaints(values_);
  for (const auto& [name, field] : fields_) {
    const auto found = complaints.find(name);
    setComplaint(field, found == complaints.end() ? QString() : QString::fromStdString(found->second));
  }
}

}  // namespace batchscope::desktop
