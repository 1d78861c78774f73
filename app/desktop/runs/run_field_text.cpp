// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_field_text.h"

#include <QCoreApplication>
#include <cmath>
#include <map>

#include "batchscope/common/capital.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/recorded.h"
#include "batchscope/common/run_text.h"

namespace batchscope::desktop {
namespace {

using storage::FieldType;

// The others are called as their series or hyperparameter is.
const std::map<std::string, const char*, std::less<>> kTitles{
    {"accuracy", QT_TRANSLATE_NOOP("RunFields", "Accuracy")},
    {"age", QT_TRANSLATE_NOOP("RunFields", "Age")},
    {"batch_size", QT_TRANSLATE_NOOP("RunFields", "Batch size")},
    {"created", QT_TRANSLATE_NOOP("RunFields", "Created")},
    {"duration", QT_TRANSLATE_NOOP("RunFields", "Duration")},
    {"epoch", QT_TRANSLATE_NOOP("RunFields", "Epoch")},
    {"gain", QT_TRANSLATE_NOOP("RunFields", "Gain")},
    {"goodput", QT_TRANSLATE_NOOP("RunFields", "Goodput")},
    {"group", QT_TRANSLATE_NOOP("RunFields", "Group")},
    {"loss", QT_TRANSLATE_NOOP("RunFields", "Loss")},
    {"name", QT_TRANSLATE_NOOP("RunFields", "Name")},
    {"note", QT_TRANSLATE_NOOP("RunFields", "Note")},
    {"progress", QT_TRANSLATE_NOOP("RunFields", "Progress")},
    {"replicas", QT_TRANSLATE_NOOP("RunFields", "Replicas")},
    {"restarts", QT_TRANSLATE_NOOP("RunFields", "Restarts")},
    {"state", QT_TRANSLATE_NOOP("RunFields", "State")},
    {"step", QT_TRANSLATE_NOOP("RunFields", "Step")},
    {"tag", QT_TRANSLATE_NOOP("RunFields", "Tags")},
    {"throughput", QT_TRANSLATE_NOOP("RunFields", "Throughput")}};

}  // namespace

const std::vector<std::string>& usualFields() {
  static const std::vector<std::string> fields{"name",     "state",    "group",    "tag",
                                               "replicas", "epoch",    "accuracy", "loss",
                                               "goodput",  "duration", "created",  "note"};
  return fields;
}

QString fieldTitle(const std::string& field) {
  if (const auto known = kTitles.find(field); known != kTitles.end())
    return QCoreApplication::translate("RunFields", known->second);
  const bool isQualified = field.starts_with("series:") || field.starts_with("param:");
  QString title = QString::fromStdString(isQualified ? field.substr(field.find(':') + 1) : field);
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
    default: return common::seriesText(field.starts_with("series:") ? field.substr(7) : field, *number);
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
