// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_numbers.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <map>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/repeated_steps.h"
#include "batchscope/protocol/error.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

struct Number {
  QString name, part;    // "pause", "launch"
  QString at, to, unit;  // "100", "300", "ms"
};

[[noreturn]] void refuse(const QString& text, const QString& why) {
  throw Error(ErrorKind::usage, (QStringLiteral("the number %1: ").arg(text) + why).toStdString());
}

// The newest that has the step.
const GenerationSpan* generationOf(const SeriesModel& series, std::int64_t step) {
  const auto& all = series.generations();
  const auto found = std::find_if(all.rbegin(), all.rend(), [step](const GenerationSpan& span) {
    return span.first <= step && step <= span.last;
  });
  return found == all.rend() ? nullptr : &*found;
}

double valueOf(const Number& number, RunSession& session) {
  SeriesModel& series = *session.series();
  const std::string name = number.name.toStdString();
  series.want({name});
  series.refresh(session.generations());
  if (series.generations().empty()) return std::nan("");
  const std::int64_t last = series.generations().back().last;
  const std::int64_t step = number.at == QLatin1String("end") ? last : number.at.toLongLong();
  const GenerationSpan* span = generationOf(series, step);
  if (span == nullptr) return std::nan("");
  if (number.to.isEmpty()) return series.value(name, {span->number, step}).value_or(std::nan(""));
  double sum = 0, count = 0;
  for (const Bucket& bucket : series.view(name, span->number, step, number.to.toLongLong(), 4096)) {
    if (!std::isfinite(bucket.mean)) continue;
    sum += bucket.mean * static_cast<double>(bucket.count);
    count += static_cast<double>(bucket.count);
  }
  return sum / count;
}

double pauseOf(const Number& number, RunSession& session) {
  for (const storage::Generation& generation : session.generations()) {
    if (generation.number != number.at.toInt() || generation.pause < 0) continue;
    if (number.part.isEmpty()) return generation.pause;
    const auto part = generation.pause_parts.find(QString(number.part).replace('_', ' ').toStdString());
    if (part != generation.pause_parts.end()) return part->second;
  }
  return std::nan("");
}

// Returns the sum of the pauses of all restarts that began a generation up to this one.
double pausesOf(const Number& number, RunSession& session) {
  double sum = 0;
  for (const storage::Generation& generation : session.generations()) {
    const bool isUpTo = number.at == QLatin1String("end") || generation.number <= number.at.toInt();
    if (isUpTo && generation.pause > 0) sum += generation.pause;
  }
  return sum > 0 ? sum : std::nan("");
}

double repeatedOf(const Number& number, RunSession& session) {
  session.series()->refresh(session.generations());
  const common::Repeated repeated = common::repeatedBefore(*session.series(), number.at.toInt());
  if (repeated.steps == 0) return std::nan("");
  return number.part == QLatin1String("time") ? repeated.seconds : static_cast<double>(repeated.steps);
}

double elapsedAt(const Number& number, RunSession& session) {
  SeriesModel& series = *session.series();
  series.refresh(session.generations());
  const auto extent = series.extent(XAxis::WallTime);
  if (extent.empty() || number.at == QLatin1String("end")) return extent.empty() ? std::nan("") : extent.high;
  const std::int64_t step = number.at.toLongLong();
  const GenerationSpan* span = generationOf(series, step);
  if (span == nullptr) return std::nan("");
  return series.position(XAxis::WallTime, {span->number, step}).value_or(std::nan(""));
}

double bestOf(const Number& number, RunSession& session) {
  if (!session.model()) return std::nan("");
  const auto best = common::bestPoint(*session.model(), number.at.toInt());
  if (!best) return std::nan("");
  if (number.part == QLatin1String("goodput")) return best->goodput;
  if (number.part == QLatin1String("throughput")) return best->throughput;
  if (number.part == QLatin1String("efficiency")) return best->efficiency;
  if (number.part == QLatin1String("batch_size")) return static_cast<double>(best->batchSize);
  if (number.part == QLatin1String("accumulation")) return best->accumulation;
  return std::nan("");
}

const std::map<QString, double (*)(const Number&, RunSession&)>& special() {
  static const std::map<QString, double (*)(const Number&, RunSession&)> all{
      {QStringLiteral("pause"), pauseOf},
      {QStringLiteral("pauses"), pausesOf},
      {QStringLiteral("repeated"), repeatedOf},
      {QStringLiteral("elapsed"), elapsedAt},
      {QStringLiteral("best"), bestOf}};
  return all;
}

QString textOf(const Number& number, double value) {
  const bool isTime = number.name.startsWith(QLatin1String("pause")) ||
                      number.part == QLatin1String("time") || number.name == QLatin1String("elapsed");
  if (isTime) return common::formatPause(value);
  if (number.unit == QLatin1String("ms")) return common::formatNumber(1000 * value) + QStringLiteral(" ms");
  if (number.unit == QLatin1String("%")) return common::formatNumber(100 * value) + QStringLiteral(" %");
  return common::formatNumber(value);
}

}  // namespace

QString withNumbers(const QString& text, RunSession& session) {
  static const QRegularExpression form(
      QStringLiteral("\\{([a-z_]+)(?:\\.([a-z_]+))?@(end|\\d+)(?:\\.\\.(\\d+))?(?: (ms|%))?\\}"));
  QString result;
  qsizetype done = 0;
  for (auto matches = form.globalMatch(text); matches.hasNext();) {
    const auto match = matches.next();
    const Number number{match.captured(1), match.captured(2), match.captured(3), match.captured(4),
                        match.captured(5)};
    if (!session.isOpen()) refuse(match.captured(), QStringLiteral("no run is open"));
    const auto found = special().find(number.name);
    const double value = found != special().end() ? found->second(number, session) : valueOf(number, session);
    if (!std::isfinite(value)) refuse(match.captured(), QStringLiteral("the run that is open has none"));
    result += text.mid(done, match.capturedStart() - done) + textOf(number, value);
    done = match.capturedEnd();
  }
  result += text.mid(done);
  if (const auto open = result.indexOf(QLatin1Char('{')); open >= 0)
    refuse(result.mid(open, 40), QStringLiteral("it is not of the form {gain@120}"));
  return result;
}

}  // namespace batchscope::desktop
