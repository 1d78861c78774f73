// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/chart_layout.h"

#include <QSettings>
#include <algorithm>
#include <utility>

namespace batchscope::desktop {
namespace {

constexpr QLatin1String kOrder("charts/order"), kShown("charts/shown"), kHidden("charts/hidden");

auto find(const std::vector<common::ChartSpec>& charts, const std::string& name) {
  return std::find_if(charts.begin(), charts.end(),
                      [&](const common::ChartSpec& chart) { return chart.name == name; });
}

}  // namespace

void ChartLayout::setAvailable(std::vector<common::ChartSpec> charts) {
  available_ = std::move(charts);
  arrange();
}

// Returns the order with all charts: one that has no place yet comes after the one before it by default.
std::vector<std::string> ChartLayout::wholeOrder() const {
  std::vector<std::string> order = order_;
  std::string before;
  for (const common::ChartSpec& chart : available_) {
    if (std::find(order.begin(), order.end(), chart.name) == order.end()) {
      const auto place = std::find(order.begin(), order.end(), before);
      order.insert(place == order.end() ? order.begin() : place + 1, chart.name);
    }
    before = chart.name;
  }
  return order;
}

void ChartLayout::arrange() {
  charts_.clear();
  for (const std::string& name : wholeOrder())
    if (const auto chart = find(available_, name); chart != available_.end()) charts_.push_back(*chart);
}

bool ChartLayout::isShownUnasked(const std::string& name) const {
  const auto chart = find(available_, name);
  if (chart == available_.end() || chart->showing == common::Showing::Chosen) return false;
  const auto before =
      std::count_if(available_.begin(), chart, [](const common::ChartSpec& c) { return c.isOwn; });
  return !chart->isOwn || static_cast<std::size_t>(before) < kMostOwn;
}

bool ChartLayout::isShown(const std::string& name) const {
  const auto chosen = chosen_.find(name);
  return chosen != chosen_.end() ? chosen->second : isShownUnasked(name);
}

std::size_t ChartLayout::leftOut() const {
  return static_cast<std::size_t>(
      std::count_if(charts_.begin(), charts_.end(), [&](const common::ChartSpec& chart) {
        return chart.isOwn && !chosen_.contains(chart.name) && !isShownUnasked(chart.name);
      }));
}

void ChartLayout::move(const std::string& name, const std::string& target) {
  if (name == target) return;
  order_ = wholeOrder();
  const auto from = std::find(order_.begin(), order_.end(), name);
  const auto to = std::find(order_.begin(), order_.end(), target);
  if (from == order_.end() || to == order_.end()) return;
  if (from < to)
    std::rotate(from, from + 1, to + 1);
  else
    std::rotate(to, from, from + 1);
  limitOrder();
  arrange();
}

// Removes places of charts that this run does not have, from the last on, until there are as many as may be.
void ChartLayout::limitOrder() {
  for (auto place = order_.end(); place != order_.begin() && order_.size() > kMostPlaces;)
    if (find(available_, *--place) == available_.end()) place = order_.erase(place);
}

void ChartLayout::reset() {
  order_.clear();
  chosen_.clear();
  arrange();
}

void ChartLayout::save(QSettings& settings) const {
  QStringList order, shown, hidden;
  for (const std::string& name : order_) order << QString::fromStdString(name);
  for (const auto& [name, isShown] : chosen_) (isShown ? shown : hidden) << QString::fromStdString(name);
  settings.setValue(kOrder, order);
  settings.setValue(kShown, shown);
  settings.setValue(kHidden, hidden);
}

void ChartLayout::restore(const QSettings& settings) {
  reset();
  for (const QString& name : settings.value(kOrder).toStringList()) order_.push_back(name.toStdString());
  for (const QString& name : settings.value(kShown).toStringList()) chosen_[name.toStdString()] = true;
  for (const QString& name : settings.value(kHidden).toStringList()) chosen_[name.toStdString()] = false;
  limitOrder();
  arrange();
}

}  // namespace batchscope::desktop
