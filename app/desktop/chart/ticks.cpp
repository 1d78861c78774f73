// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/ticks.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace batchscope::desktop {
namespace {

int decimalsOf(double interval) {
  for (int decimals = 0; decimals < 9; ++decimals) {
    const double scaled = interval * std::pow(10, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6) return decimals;
  }
  return 9;
}

// Labels in units of `unit`, with the suffix on all but zero.
std::vector<Tick> evenly(double low, double high, double interval, double unit, const QString& suffix,
                         bool suffixOnZero) {
  std::vector<Tick> ticks;
  const int decimals = decimalsOf(interval / unit);
  const double slack = interval * 1e-6;
  for (double n = std::ceil((low - slack) / interval); n * interval <= high + slack && ticks.size() < 100;
       ++n) {
    const double value = n * interval;
    QString label = QLocale().toString(value / unit, 'f', n == 0 ? 0 : decimals);
    if (n != 0 || suffixOnZero) label += suffix;
    ticks.push_back({value, label});
  }
  return ticks;
}

}  // namespace

double roundInterval(double low, double high, int most) {
  const double rough = (high - low) / std::max(1, most);
  if (!(rough > 0) || !std::isfinite(rough)) return 1;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 2.5, 5.0}) {
    if (step * power >= rough * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

std::vector<Tick> linearTicks(double low, double high, int most) {
  const double interval = roundInterval(low, high, most);
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest >= 1e7) return evenly(low, high, interval, 1e6, QStringLiteral("M"), false);
  if (largest >= 1e4) return evenly(low, high, interval, 1e3, QStringLiteral("k"), false);
  return evenly(low, high, interval, 1, {}, false);
}

std::vector<Tick> timeTicks(double low, double high, int most) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("ticks", text); };
  const double rough = (high - low) / std::max(1, most);
  if (rough < 1) return evenly(low, high, roundInterval(low, high, most), 1, tr(" s"), true);
  for (const double step : {1., 2., 5., 10., 15., 30.}) {
    if (step >= rough && high <= 180) return evenly(low, high, step, 1, tr(" s"), true);
  }
  for (const double step : {10., 15., 30., 60., 120., 300., 600., 900., 1200., 1800.}) {
    if (step >= rough && high < 180 * 60) return evenly(low, high, step, 60, tr(" min"), true);
  }
  for (const double step : {900., 1800., 3600., 7200., 10800., 21600., 43200.}) {
    if (step >= rough && high < 72 * 3600) return evenly(low, high, step, 3600, tr(" h"), true);
  }
  const double days = std::max(0.25, roundInterval(low / 86400, high / 86400, most));
  return evenly(low, high, days * 86400, 86400, tr(" d"), true);
}

std::vector<Tick> logTimeTicks(double low, double high, int most) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("ticks", text); };
  struct Unit {
    double seconds;
    QString name;
    std::vector<double> counts;
  };
  const Unit units[] = {{1e-3, tr(" ms"), {1, 3, 10, 30, 100, 300}},
                        {1, tr(" s"), {1, 3, 10, 30}},
                        {60, tr(" min"), {1, 3, 10, 30}},
                        {3600, tr(" h"), {1, 3, 10}},
                        {86400, tr(" d"), {1, 3, 10, 30, 100}}};
  std::vector<Tick> all;
  for (const Unit& unit : units) {
    for (const double count : unit.counts) {
      const double value = count * unit.seconds;
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
        all.push_back({value, QLocale().toString(count) + unit.name});
    }
  }
  // Every second, third .. one, counted from the end, where a log axis is dense.
  const std::size_t stride = std::max<std::size_t>(1, (all.size() + most - 1) / std::max(1, most));
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((all.size() - 1 - i) % stride == 0) ticks.push_back(all[i]);
  }
  return ticks;
}

std::vector<Tick> logTicks(double low, double high, int most) {
  std::vector<Tick> ticks;
  // Powers of two read best for batch sizes and gain, powers of ten once they would crowd.
  const double octaves = std::log2(high / low);
  const double base = octaves <= most ? 2 : octaves <= 2 * most ? 4 : 10;
  const double stride = std::max(1.0, std::ceil(std::log(high / low) / std::log(base) / most));
  for (double n = std::ceil(std::log(low) / std::log(base) - 1e-9); ticks.size() < 100; n += stride) {
    const double value = std::pow(base, n);
    if (value > high * (1 + 1e-9)) break;
    QString label = value >= 1e6   ? QLocale().toString(value / 1e6, 'g', 3) + QLatin1Char('M')
                    : value >= 1e4 ? QLocale().toString(value / 1e3, 'g', 3) + QLatin1Char('k')
                                   : QLocale().toString(value, 'g', 4);
    ticks.push_back({value, label});
  }
  return ticks;
}

}  // namespace batchscope::desktop
