// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/lesson_numbers.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <map>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/repeated_steps.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"

namespace batchscope::common {
namespace {

constexpr int kMeanColumns = 4096;  // of a mean over steps

struct LessonNumber {
  QString name, part;    // "pause", "launch"
  QString at, to, unit;  // "100", "300", "ms"
};

[[noreturn]] void refuseNumber(const QString& text, const QString& why) {
  throw Error(ErrorKind::usage, (QStringLiteral("the number %1: ").arg(text) + why).toStdString());
}

const QRegularExpression& numberForm() {
  static const QRegularExpression form(
      QStringLiteral("\\{([a-z_]+)(?:\\.([a-z_]+))?@(end|\\d+)(?:\\.\\.(\\d+))?(?: (ms|%))?\\}"));
  return form;
}

// The newest that has the step.
const GenerationSpan* spanAt(const RunSeries& series, std::int64_t step) {
  const auto& all = series.generations();
  const auto found = std::find_if(all.rbegin(), all.rend(), [step](const GenerationSpan& span) {
    return span.first <= step && step <= span.last;
  });
  return found == all.rend() ? nullptr : &*found;
}

// A column for each step, so that no bucket mixes the value with others.
double newestValue(RunSeries& series, const std::string& name, const GenerationSpan& span,
                   std::int64_t step) {
  double value = std::nan("");
  const auto columns = static_cast<int>(step - span.first + 1);
  for (const storage::Bucket& bucket : series.buckets(name, span.number, span.first, step, columns))
    if (bucket.last_step <= step) value = bucket.mean;
  return value;
}

double valueOf(const LessonNumber& number, const NumberedRun& run) {
  RunSeries& series = *run.series;
  const std::string name = number.name.toStdString();
  if (series.generations().empty()) return std::nan("");
  const std::int64_t last = series.generations().back().last;
  const std::int64_t step = number.at == QLatin1String("end") ? last : number.at.toLongLong();
  const GenerationSpan* span = spanAt(series, step);
  if (span == nullptr) return std::nan("");
  if (number.to.isEmpty()) return newestValue(series, name, *span, step);
  double sum = 0, count = 0;
  for (const storage::Bucket& bucket :
       series.buckets(name, span->number, step, number.to.toLongLong(), kMeanColumns)) {
    if (!std::isfinite(bucket.mean)) continue;
    sum += bucket.mean * static_cast<double>(bucket.count);
    count += static_cast<double>(bucket.count);
  }
  return sum / count;
}

double pauseOf(const LessonNumber& number, const NumberedRun& run) {
  for (const storage::Generation& generation : run.generations) {
    if (generation.number != number.at.toInt() || generation.pause < 0) continue;
    if (number.part.isEmpty()) return generation.pause;
    const auto part = generation.pause_parts.find(QString(number.part).replace('_', ' ').toStdString());
    if (part != generation.pause_parts.end()) return part->second;
  }
  return std::nan("");
}

// Returns the sum of the pauses of all restarts that began a generation up to this one.
double pausesOf(const LessonNumber& number, const NumberedRun& run) {
  double sum = 0;
  for (const storage::Generation& generation : run.generations) {
    const bool isUpTo = number.at == QLatin1String("end") || generation.number <= number.at.toInt();
    if (isUpTo && generation.pause > 0) sum += generation.pause;
  }
  return sum > 0 ? sum : std::nan("");
}

double repeatedOf(const LessonNumber& number, const NumberedRun& run) {
  const Repeated repeated = repeatedBefore(*run.series, number.at.toInt());
  if (repeated.steps == 0) return std::nan("");
  return number.part == QLatin1String("time") ? repeated.seconds : static_cast<double>(repeated.steps);
}

double elapsedAt(const LessonNumber& number, const NumberedRun& run) {
  const RunSeries& series = *run.series;
  if (number.at != QLatin1String("end")) {
    const std::int64_t step = number.at.toLongLong();
    const GenerationSpan* span = spanAt(series, step);
    if (span == nullptr) return std::nan("");
    return series.countAt(protocol::series::kTime, {span->number, step}).value_or(std::nan(""));
  }
  double end = std::nan("");
  for (const GenerationSpan& span : series.generations()) {
    if (span.last == 0) continue;
    const auto at = series.countAt(protocol::series::kTime, {span.number, span.last});
    end = std::fmax(end, at.value_or(std::nan("")));
  }
  return end;
}

double bestOf(const LessonNumber& number, const NumberedRun& run) {
  if (run.model == nullptr) return std::nan("");
  const auto best = bestPoint(*run.model, number.at.toInt());
  if (!best) return std::nan("");
  if (number.part == QLatin1String("goodput")) return best->goodput;
  if (number.part == QLatin1String("throughput")) return best->throughput;
  if (number.part == QLatin1String("efficiency")) return best->efficiency;
  if (number.part == QLatin1String("batch_size")) return static_cast<double>(best->batchSize);
  if (number.part == QLatin1String("accumulation")) return best->accumulation;
  return std::nan("");
}

const std::map<QString, double (*)(const LessonNumber&, const NumberedRun&)>& ownNumbers() {
  static const std::map<QString, double (*)(const LessonNumber&, const NumberedRun&)> all{
      {QStringLiteral("pause"), pauseOf},
      {QStringLiteral("pauses"), pausesOf},
      {QStringLiteral("repeated"), repeatedOf},
      {QStringLiteral("elapsed"), elapsedAt},
      {QStringLiteral("best"), bestOf}};
  return all;
}

QString textOf(const LessonNumber& number, double value) {
  const bool isTime = number.name.startsWith(QLatin1String("pause")) ||
                      number.part == QLatin1String("time") || number.name == QLatin1String("elapsed");
  if (isTime) return formatPause(value);
  if (number.unit == QLatin1String("ms")) return formatNumber(1000 * value) + QStringLiteral(" ms");
  if (number.unit == QLatin1String("%")) return formatNumber(100 * value) + QStringLiteral(" %");
  return formatNumber(value);
}

}  // namespace

std::set<std::string> numberedSeries(const QString& text) {
  std::set<std::string> names;
  for (auto matches = numberForm().globalMatch(text); matches.hasNext();) {
    const QString name = matches.next().captured(1);
    if (!ownNumbers().contains(name)) names.insert(name.toStdString());
  }
  return names;
}

QString withNumbers(const QString& text, const NumberedRun& run) {
  QString result;
  qsizetype done = 0;
  for (auto matches = numberForm().globalMatch(text); matches.hasNext();) {
    const auto match = matches.next();
    const LessonNumber number{match.captured(1), match.captured(2), match.captured(3), match.captured(4),
                              match.captured(5)};
    if (run.series == nullptr) refuseNumber(match.captured(), QStringLiteral("no run is open"));
    const auto found = ownNumbers().find(number.name);
    const double value = found != ownNumbers().end() ? found->second(number, run) : valueOf(number, run);
    if (!std::isfinite(value))
      refuseNumber(match.captured(), QStringLiteral("the run that is open has none"));
    result += text.mid(done, match.capturedStart() - done) + textOf(number, value);
    done = match.capturedEnd();
  }
  result += text.mid(done);
  if (const auto open = result.indexOf(QLatin1Char('{')); open >= 0)
    refuseNumber(result.mid(open, 40), QStringLiteral("it is not of the form {gain@120}"));
  return result;
}

}  // namespace batchscope::common
