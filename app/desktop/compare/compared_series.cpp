// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compared_series.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "batchscope/protocol/paths.h"
#include "series/view_state.h"
#include "session/catalogue_watcher.h"
#include "session/comparison.h"
#include "session/run_session.h"

namespace batchscope::desktop {

ComparedSeries::ComparedSeries(Comparison* comparison, RunSession* session, CatalogueWatcher* watcher,
                               ViewState* view, QObject* parent)
    : QObject(parent), comparison_(comparison), session_(session), watcher_(watcher), view_(view) {
  connect(comparison_, &Comparison::changed, this, &ComparedSeries::update);
  connect(session_, &RunSession::opened, this, [this] {
    comparison_->setOpen(session_->isOpen() ? session_->run().id : std::string());
    update();
  });
  connect(watcher_, &CatalogueWatcher::changed, this, [this] {
    if (comparison_->isActive()) update();
  });
  connect(&readTimer_, &QTimer::timeout, this, &ComparedSeries::readNext);
  // The open run is followed ten times a second, those beside it twice.
  connect(&followTimer_, &QTimer::timeout, this, [this] {
    // Once more after its end: what came last has not been read.
    const auto before = std::exchange(followed_, {});
    for (const storage::Run& run : watcher_->runs()) {
      if (!models_.contains(run.id)) continue;
      if (is_active(run.state)) followed_.insert(run.id);
      if (followed_.contains(run.id) || before.contains(run.id)) unread_.push_back(run.id);
    }
    if (!unread_.empty()) readTimer_.start(0);
  });
  followTimer_.setInterval(500);
}

ComparedSeries::~ComparedSeries() = default;

void ComparedSeries::want(const std::set<std::string>& series) {
  wanted_ = series;
  for (const auto& [id, model] : models_) {
    model->want(wanted_);
    unread_.push_back(id);
  }
  if (!unread_.empty()) readTimer_.start(0);
}

std::vector<SceneRun> ComparedSeries::sceneRuns() const {
  std::vector<SceneRun> runs;
  for (const Entry& entry : runs_)
    if (entry.model != nullptr) runs.push_back({entry.model, entry.colour, entry.group, entry.name});
  return runs;
}

void ComparedSeries::update() {
  std::vector<Entry> runs;
  for (const Comparison::Member& member : comparison_->members()) {
    const storage::Run* found = watcher_->find(member.id);
    if (found == nullptr || !protocol::valid_run_id(member.id)) continue;
    Entry entry{member.id, QString::fromStdString(found->name), found->spec.group, member.colour, nullptr};
    if (session_->isOpen() && session_->run().id == member.id) {
      entry.isOpen = true;
      entry.model = session_->series();
    } else {
      auto& model = models_[member.id];
      if (!model) {
        model = std::make_unique<SeriesModel>(protocol::run_paths(member.id).samples);
        model->want(wanted_);
        unread_.push_back(member.id);
      }
      entry.model = model.get();
    }
    runs.push_back(std::move(entry));
  }
  const auto comparedFields = [](const Entry& e) {
    return std::tie(e.id, e.name, e.group, e.colour, e.model);
  };
  const bool isSame =
      std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(),
                 [&](const Entry& a, const Entry& b) { return comparedFields(a) == comparedFields(b); });
  if (isSame) return;
  runs_ = std::move(runs);
  // Views must let go of a model before it is deleted.
  std::vector<const SeriesModel*> companions;
  for (const Entry& entry : runs_)
    if (entry.model != nullptr && entry.model != session_->series()) companions.push_back(entry.model);
  view_->setCompanions(std::move(companions));
  Q_EMIT changed();
  std::erase_if(models_, [this](const auto& model) {
    return std::none_of(runs_.begin(), runs_.end(),
                        [&](const Entry& entry) { return entry.model == model.second.get(); });
  });
  if (!unread_.empty()) readTimer_.start(0);
  if (models_.empty()) {
    followTimer_.stop();
  } else if (!followTimer_.isActive()) {
    followTimer_.start();
  }
}

void ComparedSeries::readNext() {
  if (unread_.empty()) {
    readTimer_.stop();
    return;
  }
  const std::string id = unread_.front();
  std::erase(unread_, id);
  const auto model = models_.find(id);
  if (model == models_.end()) return;
  try {
    if (model->second->refresh(session_->catalogue().generations(id))) Q_EMIT samplesChanged();
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

}  // namespace batchscope::desktop
