// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/checked_form.h"

#include <QFormLayout>
#include <QPushButton>
#include <algorithm>

#include "batchscope/protocol/error.h"
#include "look/box.h"
#include "look/quiet_wheel.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kNameWidth = 112;  // the same in forms one below the other

}  // namespace

QString complaintOf(const std::function<void()>& check) {
  try {
    check();
    return {};
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
}

CheckedForm::CheckedForm(QWidget* parent) : QWidget(parent), layout_(new QFormLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
}

void CheckedForm::add(const QString& label, QWidget* field, const QString& hint) {
  add(label, field, field, hint);
}

void CheckedForm::add(const QString& label, QWidget* field, QWidget* row, const QString& hint) {
  auto* cell = new QWidget(this);
  QLabel* line = named("hint", cell, hint);
  line->setWordWrap(true);
  line->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  line->setVisible(!hint.isEmpty());
  vbox(cell, {}, 3, {row, line});
  auto* name = new QLabel(label, this);
  name->setBuddy(field);
  // A form gives a label 7/4 of its height beside a field that is higher: as much as the field itself has.
  name->setMinimumSize(kNameWidth, row->sizeHint().height() * 4 / 7);
  layout_->addRow(name, cell);
  ignoreWheel(field);
  if (field->accessibleName().isEmpty()) field->setAccessibleName(label);
  field->setAccessibleDescription(hint);
  rows_.push_back({label, hint, {}, field, cell, line});
}

CheckedForm::Row& CheckedForm::rowOf(const QWidget* field) {
  return *std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.field == field; });
}

void CheckedForm::setRowVisible(const QWidget* field, bool isVisible) {
  Row& row = rowOf(field);
  row.isVisible = isVisible;
  row.below->setVisible(isVisible);
  layout_->labelForField(row.below)->setVisible(isVisible);
}

void CheckedForm::show(Row& row, const QString& text, const char* tone) {
  row.line->setText(text);
  row.line->setVisible(!text.isEmpty());
  setStyleProperty(row.line, "tone", QLatin1String(tone));
  setStyleProperty(row.field, "isWrong", !row.complaint.isEmpty());
  row.field->setAccessibleDescription(text);
  // Layouts further up would keep the heights that they have worked out for this width.
  for (QWidget* holder = row.below; holder != nullptr; holder = holder->parentWidget()) {
    if (holder->layout() != nullptr) holder->layout()->invalidate();
    holder->updateGeometry();
  }
}

void CheckedForm::setHint(const QWidget* field, const QString& hint) {
  Row& row = rowOf(field);
  row.hint = hint;
  if (row.complaint.isEmpty()) show(row, hint, "");
}

void CheckedForm::setComplaint(const QWidget* field, const QString& complaint) {
  Row& row = rowOf(field);
  row.complaint = complaint;
  show(row, complaint.isEmpty() ? row.hint : complaint, complaint.isEmpty() ? "" : "bad");
}

void CheckedForm::setWarning(const QWidget* field, const QString& warning) {
  Row& row = rowOf(field);
  if (row.complaint.isEmpty() && !warning.isEmpty()) show(row, warning, "warning");
}

QWidget* CheckedForm::tabAfter(QWidget* before) const {
  const auto add = [&](QWidget* next) {
    setTabOrder(before, next);
    before = next;
  };
  for (const Row& row : rows_) {
    add(row.field);
    for (QPushButton* beside : row.below->findChildren<QPushButton*>()) add(beside);
  }
  return before;
}

QStringList CheckedForm::complaints() const {
  QStringList all;
  for (const Row& row : rows_)
    if (row.isVisible && !row.complaint.isEmpty())
      all << QStringLiteral("%1: %2").arg(row.label, row.complaint);
  return all;
}

}  // namespace batchscope::desktop
