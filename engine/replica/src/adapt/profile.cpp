// SPDX-License-Identifier: Apache-2.0
#include "adapt/profile.h"

#include <algorithm>

namespace batchscope::replica {
namespace {

constexpr double kFullWeight = 50;  // steps
constexpr std::size_t kMostRows = 128;
constexpr double kLeastFraction =
    1e-3;  // of the step that computing takes, where waiting seems to take it all

// Returns how much the row counts.
double weight_of(const RobustMean& optimizer) {
  return std::min(static_cast<double>(optimizer.count()) / kFullWeight, 1.0);
}

}  // namespace

Profile::Row& Profile::row(const Key& key) {
  if (!rows_.contains(key) && rows_.size() == kMostRows)
    rows_.erase(std::min_element(rows_.begin(), rows_.end(),
                                 [](const auto& a, const auto& b) { return a.second.last < b.second.last; }));
  Row& row = rows_[key];
  row.last = measured_;
  return row;
}

void Profile::add_accumulation(const Key& key, double seconds) {
  if (seconds > 0) row(key).accumulation.add(seconds);
}

void Profile::add_optimizer(const Key& key, double seconds, double sync_seconds) {
  if (!(seconds > 0)) return;
  ++measured_;
  Row& to = row(key);
  to.optimizer.add(seconds);
  to.sync.add(std::clamp(sync_seconds, 0.0, seconds));
}

int Profile::max_replicas() const {
  int most = 0;
  for (const auto& [key, row] : rows_) most = std::max(most, key.replicas);
  return most;
}

template <typename Wanted>
Profile::Range Profile::range(Wanted wanted) const {
  Range range;
  for (const auto& [key, row] : rows_) {
    if (row.optimizer.count() == 0 || !wanted(key)) continue;
    range.least = range.least > 0 ? std::min(range.least, key.local_batch_size) : key.local_batch_size;
    range.most = std::max(range.most, key.local_batch_size);
  }
  return range;
}

Profile::Range Profile::local_batch_sizes() const {
  return range([](const Key&) { return true; });
}

Profile::Range Profile::local_batch_sizes_like(Key like) const {
  return range([like](const Key& key) mutable {
    like.local_batch_size = key.local_batch_size;
    return key == like;
  });
}

std::optional<double> Profile::step_time(const Key& key, int accumulation_steps) const {
  const auto found = rows_.find(key);
  if (found == rows_.end() || found->second.optimizer.count() < kEnough) return std::nullopt;
  const auto& [accumulation, optimizer, sync, last] = found->second;
  if (accumulation_steps > 0 && accumulation.count() < kEnough) return std::nullopt;
  return optimizer.value() + accumulation_steps * accumulation.value();
}

double Profile::age_of(const Row& row) const {
  const auto measured = static_cast<double>(std::max<std::int64_t>(measured_, 1));
  return std::clamp(1 - static_cast<double>(row.last) / measured, 0.0, 1.0);
}

double Profile::update_time() const {
  double sum = 0, weights = 0;
  for (const auto& [key, row] : rows_) {
    if (std::min(row.accumulation.count(), row.optimizer.count()) < kEnough) continue;
    const double weight = weight_of(row.optimizer);
    sum += weight * std::max(row.optimizer.value() - row.sync.value() - row.accumulation.value(), 0.0);
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

std::vector<goodput::ProfileRow> Profile::rows(double update) const {
  const bool unshared = std::any_of(rows_.begin(), rows_.end(), [](const auto& entry) {
    return !entry.first.shared && entry.second.optimizer.count() > 0;
  });
  const bool cores_known =
      std::any_of(rows_.begin(), rows_.end(), [](const auto& entry) { return entry.first.cores > 0; });
  std::vector<goodput::ProfileRow> rows;
  for (const auto& [key, row] : rows_) {
    const double measured = row.optimizer.value();
    if (measured == 0 || (key.shared && unshared) || (key.cores == 0 && cores_known)) continue;
    const double whole = std::max(measured - update, kLeastFraction * measured);
    const double compute = std::max(whole - row.sync.value(), kLeastFraction * whole);
    rows.push_back({key.nodes, key.replicas, key.local_batch_size,
                    row.accumulation.count() > 0 ? row.accumulation.value() : compute, whole, key.cores,
                    key.neighbours, weight_of(row.optimizer), age_of(row)});
  }
  return rows;
}

protocol::Json Profile::json() const {
  protocol::Json rows = protocol::Json::array();
  const auto mean = [](const RobustMean& m) { return protocol::Json{m.value(), m.count()}; };
  for (const auto& [key, row] : rows_)
    rows.push_back({{"nodes", key.nodes},
                    {"replicas", key.replicas},
                    {"local_batch_size", key.local_batch_size},
                    {"shared", key.shared},
                    {"cores", key.cores},
                    {"neighbours", key.neighbours},
                    {"accumulation", mean(row.accumulation)},
                    {"optimizer", mean(row.optimizer)},
                    {"sync", mean(row.sync)},
                    {"last", row.last}});
  return {{"measured", measured_}, {"rows", rows}};
}

Profile Profile::from_json(const protocol::Json& json) {
  Profile profile;
  json.at("measured").get_to(profile.measured_);
  const auto mean = [](const protocol::Json& m) { return RobustMean(m.at(0), m.at(1)); };
  for (const protocol::Json& entry : json.at("rows")) {
    const Key key{entry.at("nodes"),
                  entry.at("replicas"),
                  entry.at("local_batch_size"),
                  entry.value("shared", false),
                  entry.value("cores", 0),
                  entry.value("neighbours", 0)};
    profile.rows_[key] = {mean(entry.at("accumulation")), mean(entry.at("optimizer")), mean(entry.at("sync")),
                          entry.at("last")};
  }
  return profile;
}

}  // namespace batchscope::replica
