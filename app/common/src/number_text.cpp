// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "batchscope/storage/record_fields.h"

namespace batchscope::common {
namespace {

constexpr double kMostSeconds = 1e15;  // that are told as hours; a series may hold any number

constexpr double kLongPause = 90;  // s

double shownSeconds(double seconds) { return std::min(std::max(0.0, seconds), kMostSeconds); }

QString fixed(double value, int decimals) { return QLocale().toString(value, 'f', decimals); }

QString timeText(double secondsSince1970, const QString& form) {
  if (!(storage::known_time(secondsSince1970) > 0)) return QStringLiteral("–");
  const QDateTime time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(secondsSince1970 * 1000));
  const bool isToday = time.date() == QDate::currentDate();
  return QLocale().toString(time, isToday ? form : QStringLiteral("d MMM ") + form);
}

}  // namespace

QString formatCount(std::int64_t value) { return QLocale().toString(static_cast<qlonglong>(value)); }

QString formatPower(int exponent) {
  static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString text = QStringLiteral("10");
  for (const QChar c : QString::number(exponent))
    text += c == QLatin1Char('-') ? QChar(u'⁻') : digits[c.digitValue()];
  return text;
}

QString formatNumber(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("–");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
  if (value == 0) return QStringLiteral("0");
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent < -4 || exponent > 9) {
    return tr("%1 × %2").arg(fixed(value / std::pow(10, exponent), digits - 1), formatPower(exponent));
  }
  if (value == std::round(value) && std::abs(value) < 1e4) return fixed(value, 0);
  if (exponent >= digits - 1) {
    // Whole numbers below ten thousand are exact; larger ones are rounded to what a person takes in.
    const double unit = std::abs(value) < 1e4 ? 1 : std::pow(10, exponent - digits);
    return fixed(std::round(value / unit) * unit, 0);
  }
  return fixed(value, digits - 1 - exponent);
}

QString formatPercent(double fraction, int digits) {
  return tr("%1 %").arg(digits > 0 ? formatNumber(100 * fraction, digits) : fixed(100 * fraction, 0));
}

QString formatResult(double fraction) {
  return std::isfinite(fraction) ? tr("%1 %").arg(fixed(100 * fraction, 2)) : formatNumber(fraction);
}

QString formatDuration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(shownSeconds(seconds)));
  if (whole < 90) return tr("%1 s").arg(whole);
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 100) return tr("%1 min").arg(minutes);
  if (minutes < 48 * 60) return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
  return tr("%1 days %2 h").arg(minutes / 1440).arg(minutes / 60 % 24);
}

QString formatPause(double seconds) {
  if (seconds >= kLongPause) return formatDuration(seconds);
  if (seconds < 0.1) return tr("%1 ms").arg(fixed(1000 * seconds, 0));
  return tr("%1 s").arg(fixed(seconds, seconds < 10 ? 2 : 1));
}

QString formatClock(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(shownSeconds(seconds)));
  const QString rest = QStringLiteral("%1").arg(whole % 60, 2, 10, QLatin1Char('0'));
  if (whole < 3600) return QStringLiteral("%1:%2").arg(whole / 60).arg(rest);
  return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0')).arg(rest);
}

QString formatBytes(std::int64_t bytes) {
  double inUnit = static_cast<double>(bytes);
  while (inUnit >= 1000) inUnit /= 1000;
  return QLocale().formattedDataSize(bytes, inUnit < 10 ? 1 : 0, QLocale::DataSizeSIFormat);
}

QString formatTimeOfDay(double secondsSince1970) {
  return timeText(secondsSince1970, QStringLiteral("HH:mm"));
}

QString formatSecondOfDay(double secondsSince1970) {
  return timeText(secondsSince1970, QStringLiteral("HH:mm:ss"));
}

}  // namespace batchscope::common
