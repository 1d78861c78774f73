// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_field_text.h"

#include <QCoreApplication>
#include <cmath>

#include "batchscope/common/capital.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/recorded.h"

namespace batchscope::desktop {
namespace {

using storage::FieldType;

}  // namespace

const std::vector<std::string>& usualFields() {
  static const std::vector<std::string> fields{"name",     "state",    "group",    "tag",
                                               "replicas", "epoch",    "accuracy", "loss",
                                               "goodput",  "duration", "created",  "note"};
  return fields;
}

QString fieldTitle(const std::string& field) {
  const bool isQualified = field.starts_with("series:") || field.starts_with("param:");
  QString title = QString::fromStdString(isQualified ? field.substr(field.find(':') + 1) : field);
  if (field == "tag") title = QCoreApplication::translate("RunFields", "tags");
  title.replace(QLatin1Char('_'), QLatin1Char(' '));
  return common::capital(title);
}

QString fieldText(const storage::Run& run, const std::string& field, double now) {
  const bool isProgress = field == "epoch" || field == "step" || field == "fraction";
  if (isProgress && common::isUnrecorded(run)) return QString::fromUtf8(common::kNotRecorded);
  if (field == "epoch" && run.epochs > 0) return QStringLiteral("%1/%2").arg(run.epoch).arg(run.epochs);
  const storage::FieldValue value = storage::field_value(run, field, now);
  if (const auto* text = std::get_if<std::string>(&value)) {
    QString line = QString::fromStdString(*text).simplified();
    if (field == "tag") line.replace(QLatin1Char(','), QStringLiteral(", "));
    return line;
  }
  const double* number = std::get_if<double>(&value);
  if (number == nullptr) return {};
  if (field == "fraction") return common::formatPercent(*number);
  switch (storage::field_type(field)) {
    case FieldType::duration: return common::formatDuration(*number);
    case FieldType::time: return common::formatTimeOfDay(*number);
    case FieldType::number: return common::formatCount(std::llround(*number));
    default: return common::formatNumber(*number);
  }
}

bool isNumeric(const std::string& field, const storage::FieldValue& value) {
  switch (storage::field_type(field)) {
    case FieldType::number:
    case FieldType::duration: return true;
    case FieldType::open:
      return !std::isnan(storage::number_of(value)) || std::holds_alternative<double>(value);
    default: return false;
  }
}

}  // namespace batchscope::desktop
