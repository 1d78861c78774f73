// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/formulas.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "batchscope/common/derived_series.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/goodput/scaling_rule.h"
#include "batchscope/protocol/series.h"

namespace batchscope::desktop {
namespace {

namespace names = protocol::series;
using Values = std::span<const double>;

// %1, %2 .. of `numbers` are the values of the inputs, in their order. An input that begins with "<" is the
// value at the step before.
struct Formula {
  const char* series;
  const char* title;
  const char* words;
  const char* symbols;
  const char* numbers;
  const char* source;
  std::array<const char*, 4> inputs;
  double (*compute)(Values);
};

constexpr char kAdaScalePaper[] = QT_TRANSLATE_NOOP("Formulas", "AdaScale: Johnson et al. 2020");
constexpr char kPolluxPaper[] = QT_TRANSLATE_NOOP("Formulas", "Pollux: Qiao et al. 2021");
constexpr char kNoisePaper[] =
    QT_TRANSLATE_NOOP("Formulas", "The simple noise scale: McCandlish et al. 2018");
constexpr char kMeasured[] = QT_TRANSLATE_NOOP("Formulas", "Measured at every step");
constexpr char kFactorWords[] = QT_TRANSLATE_NOOP(
    "Formulas", "The scaling rule's factor on the scheduled learning rate, because the batch is larger");

constexpr std::array kFormulas{
    Formula{names::kGain,
            QT_TRANSLATE_NOOP("Formulas", "Gain"),
            QT_TRANSLATE_NOOP("Formulas",
                              "How many steps at the initial batch size one step is worth: from 1 to S.\n"
                              "σ²: the gradient's variance; μ²: the squared norm of the true gradient; "
                              "S: the batch size divided by the initial one.\n"
                              "The shaded band has the true gain in nine of ten cases, as the scatter of "
                              "the estimates tells"),
            "gain = (σ² + μ²) / (σ²/S + μ²)",
            "(%1 + %2) / (%1 / %3 + %2)",
            kAdaScalePaper,
            {names::kGradVar, names::kGradSqr, names::kScale},
            [](Values v) { return goodput::gain_of(v[1], v[0], v[2]); }},
    Formula{
        names::kEfficiency,
        QT_TRANSLATE_NOOP("Formulas", "Statistical efficiency"),
        QT_TRANSLATE_NOOP("Formulas",
                          "How much a sample is worth, compared with one in a batch of the initial size.\n"
                          "S: the batch size divided by the initial one"),
        "efficiency = gain / S",
        "%1 / %2",
        kPolluxPaper,
        {names::kGain, names::kScale},
        [](Values v) { return std::min(1.0, v[0] / v[1]); }},
    Formula{names::kGoodput,
            QT_TRANSLATE_NOOP("Formulas", "Goodput"),
            QT_TRANSLATE_NOOP("Formulas", "Samples a second, each weighted by the statistical efficiency"),
            "goodput = throughput × efficiency",
            "%1 × %2",
            kPolluxPaper,
            {names::kThroughput, names::kEfficiency},
            [](Values v) { return v[0] * v[1]; }},
    Formula{names::kThroughput,
            QT_TRANSLATE_NOOP("Formulas", "Throughput"),
            QT_TRANSLATE_NOOP("Formulas", "Samples a second, not weighted by the statistical efficiency"),
            "throughput = batch size / step time",
            "%1 / %2 s",
            kMeasured,
            {names::kBatchSize, names::kStepTime},
            [](Values v) { return v[0] / v[1]; }},
    Formula{names::kNoiseScale,
            QT_TRANSLATE_NOOP("Formulas", "Noise scale"),
            QT_TRANSLATE_NOOP("Formulas",
                              "Above this batch size, more samples a step tell little that is new.\n"
                              "σ²: the gradient's variance at the initial batch size M₀ = M/S; "
                              "μ²: the squared norm of the true gradient"),
            "noise scale = σ²/μ² × M/S",
            "%1 / %2 × %3 / %4",
            kNoisePaper,
            {names::kGradVar, names::kGradSqr, names::kBatchSize, names::kScale},
            [](Values v) { return v[0] / v[1] * v[2] / v[3]; }},
    Formula{names::kProgress,
            QT_TRANSLATE_NOOP("Formulas", "Scale-invariant iterations"),
            QT_TRANSLATE_NOOP("Formulas",
                              "How many steps at the initial batch size the run is worth: every step adds "
                              "its gain"),
            "progress = progress before + gain",
            "%1 + %2",
            kAdaScalePaper,
            {"<progress", names::kGain},
            [](Values v) { return v[0] + v[1]; }},
    Formula{names::kLearningRateFactor,
            QT_TRANSLATE_NOOP("Formulas", "Learning-rate factor, AdaScale"),
            kFactorWords,
            "factor = gain = (σ² + μ²) / (σ²/S + μ²)",
            "(%1 + %2) / (%1 / %3 + %2)",
            kAdaScalePaper,
            {names::kGradVar, names::kGradSqr, names::kScale},
            [](Values v) { return goodput::gain_of(v[1], v[0], v[2]); }},
    Formula{names::kLearningRateFactor,
            QT_TRANSLATE_NOOP("Formulas", "Learning-rate factor, AdamScale"),
            kFactorWords,
            "factor = √gain = √((σ² + μ²) / (σ²/S + μ²))",
            "√((%1 + %2) / (%1 / %3 + %2))",
            kPolluxPaper,
            {names::kGradVar, names::kGradSqr, names::kScale},
            [](Values v) { return std::sqrt(goodput::gain_of(v[1], v[0], v[2])); }},
    Formula{names::kLearningRateFactor,
            QT_TRANSLATE_NOOP("Formulas", "Learning-rate factor, linear"),
            kFactorWords,
            "factor = S = M / M₀",
            "%1",
            QT_TRANSLATE_NOOP("Formulas", "Linear scaling: Goyal et al. 2017"),
            {names::kScale},
            [](Values v) { return goodput::linear_factor(v[0]); }},
    Formula{names::kLearningRateFactor,
            QT_TRANSLATE_NOOP("Formulas", "Learning-rate factor, square root"),
            kFactorWords,
            "factor = √S",
            "√%1",
            QT_TRANSLATE_NOOP("Formulas", "Square-root scaling: Krizhevsky 2014"),
            {names::kScale},
            [](Values v) { return goodput::sqrt_factor(v[0]); }},
    Formula{names::kLearningRate,
            QT_TRANSLATE_NOOP("Formulas", "Learning rate"),
            QT_TRANSLATE_NOOP("Formulas",
                              "The scheduled rate, scaled for the batch size, as the step applied it"),
            "learning rate = scheduled rate × factor",
            "%1 × %2",
            kAdaScalePaper,
            {common::kScheduledRate, names::kLearningRateFactor},
            [](Values v) { return v[0] * v[1]; }},
    Formula{names::kBatchSize,
            QT_TRANSLATE_NOOP("Formulas", "Batch size"),
            QT_TRANSLATE_NOOP("Formulas", "Samples in one step of the optimizer"),
            "batch size = replicas × batch per replica × (1 + accumulation steps)",
            "%1 × %2 × (1 + %3)",
            kMeasured,
            {names::kReplicas, names::kLocalBatchSize, names::kAccumulation},
            [](Values v) { return v[0] * v[1] * (1 + v[2]); }},
    Formula{names::kScale,
            "S",
            QT_TRANSLATE_NOOP("Formulas", "The batch size divided by the initial one"),
            "S = M / M₀",
            "",
            kAdaScalePaper,
            {},
            nullptr},
    Formula{
        common::kComputeTime,
        QT_TRANSLATE_NOOP("Formulas", "Compute"),
        QT_TRANSLATE_NOOP(
            "Formulas",
            "The part of a step that is not spent waiting for other replicas; its wait for data is in it"),
        "compute = step time − sync",
        "%1 − %2 s",
        kMeasured,
        {names::kStepTime, names::kSyncTime},
        [](Values v) { return v[0] - v[1]; }},
};

std::vector<std::string> inputsOf(const Formula& formula) {
  std::vector<std::string> inputs;
  for (const char* input : formula.inputs)
    if (input != nullptr) inputs.emplace_back(input);
  return inputs;
}

// Empty where one is not known.
std::vector<double> valuesOf(const Formula& formula, SeriesModel& model, const StepRef& at) {
  std::vector<double> values;
  for (const std::string& input : inputsOf(formula)) {
    const bool isBefore = input.starts_with('<');
    const auto value =
        model.value(isBefore ? input.substr(1) : input, isBefore ? StepRef{at.generation, at.step - 1} : at);
    if (!value || !std::isfinite(*value)) return {};
    values.push_back(*value);
  }
  return values;
}

// Compares as far as the numbers are shown, and recorded runs of lessons rounded.
bool isSame(double computed, double recorded) {
  return std::abs(computed - recorded) <= 2e-3 * std::max(std::abs(computed), std::abs(recorded));
}

bool needsStepBefore(const Formula& formula) {
  const auto inputs = inputsOf(formula);
  return std::any_of(inputs.begin(), inputs.end(), [](const std::string& i) { return i.starts_with('<'); });
}

}  // namespace

std::set<std::string> formulaInputs(const std::string& series) {
  std::set<std::string> inputs;
  for (const Formula& formula : kFormulas) {
    if (formula.series != series) continue;
    for (const std::string& input : inputsOf(formula))
      inputs.insert(input.starts_with('<') ? input.substr(1) : input);
  }
  return inputs;
}

std::optional<WorkedFormula> workedFormula(const std::string& series, SeriesModel& model, const StepRef& at) {
  std::optional<WorkedFormula> first;
  for (const Formula& formula : kFormulas) {
    if (formula.series != series) continue;
    WorkedFormula worked{.title = tr(formula.title),
                         .words = tr(formula.words),
                         .symbols = QString::fromUtf8(formula.symbols),
                         .numbers = {},
                         .source = tr(formula.source),
                         .computed = {},
                         .recorded = model.value(series, at)};
    if (const std::vector<double> values = valuesOf(formula, model, at); !values.empty()) {
      const double computed = formula.compute(values);
      if (std::isfinite(computed)) worked.computed = computed;
      worked.numbers = QString::fromUtf8(formula.numbers);
      for (const double value : values) worked.numbers = worked.numbers.arg(common::formatNumber(value));
    }
    if (worked.computed && worked.recorded && isSame(*worked.computed, *worked.recorded)) return worked;
    if (needsStepBefore(formula)) {
      // The last recorded step need not be the step before: a recording may leave steps out.
      worked.numbers.clear();
      worked.computed.reset();
    }
    if (!first) first = worked;
  }
  return first;
}

QString formulaTip(const std::string& series, SeriesModel& model, const StepRef& at) {
  const auto worked = workedFormula(series, model, at);
  if (!worked) return {};
  QStringList lines{tr("%1 at step %2").arg(worked->title, common::formatCount(at.step)), worked->words,
                    QString(), worked->symbols};
  if (worked->computed)
    lines << QStringLiteral("= %1 = %2").arg(worked->numbers, common::formatNumber(*worked->computed));
  if (worked->recorded && !(worked->computed && isSame(*worked->computed, *worked->recorded)))
    lines << tr("recorded: %1").arg(common::formatNumber(*worked->recorded));
  lines << QString() << worked->source;
  return lines.join(QLatin1Char('\n'));
}

}  // namespace batchscope::desktop
