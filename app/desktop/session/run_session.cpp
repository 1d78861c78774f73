// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/run_session.h"

#include <algorithm>

#include "batchscope/common/cluster_text.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/common/run_text.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/client.h"
#include "session/catalogue_watcher.h"
#include "session/courier.h"

namespace batchscope::desktop {
namespace {

constexpr qint64 kMeasuredInterval = 500;  // ms

}  // namespace

RunSession::RunSession(CatalogueWatcher* watcher, QObject* parent)
    : QObject(parent), watcher_(watcher), courier_(new Courier(this)) {
  connect(courier_, &Courier::answered, this, &RunSession::said);
  connect(courier_, &Courier::refused, this, &RunSession::commandFailed);
  connect(watcher_, &CatalogueWatcher::changed, this, &RunSession::reload);
  connect(&samplesTimer_, &QTimer::timeout, this, &RunSession::readSamples);
  samplesTimer_.start(100);
}

RunSession::~RunSession() = default;

storage::Catalogue& RunSession::catalogue() { return watcher_->catalogue(); }

bool RunSession::isConnected() const { return client_ && client_->connected(); }

void RunSession::open(const std::string& id) {
  if (run_ && run_->id == id) return;
  client_.reset();
  series_.reset();
  generations_.clear();
  model_.reset();
  measuredAt_.invalidate();
  status_ = {};
  run_ = protocol::valid_run_id(id) ? catalogue().run(id) : std::nullopt;
  readOrigin();
  if (run_) {
    series_ = std::make_unique<SeriesModel>(protocol::run_paths(run_->id).samples);
    const auto names = run::measured_rate_series();
    series_->want({names.begin(), names.end()});
    readHistory();
    statusFromCatalogue();
    connectSupervisor();
  }
  Q_EMIT opened();
  if (series_) {
    refreshSeries();
    Q_EMIT samplesChanged();
  }
  Q_EMIT statusChanged();
  Q_EMIT detailsChanged();
}

void RunSession::connectSupervisor() {
  if (client_ || elsewhere_ || !is_active(run_->state)) return;
  client_ = std::make_unique<run::ControlClient>(run_->id);
  connect(client_.get(), &run::ControlClient::statusChanged, this, [this](const protocol::RunStatus& status) {
    status_ = status;
    Q_EMIT statusChanged();
  });
  connect(client_.get(), &run::ControlClient::connectedChanged, this, [this](bool isConnected) {
    if (!isConnected) statusFromCatalogue();
    Q_EMIT statusChanged();
  });
}

void RunSession::reload() {
  if (!run_) return;
  const storage::Run* found = watcher_->find(run_->id);
  if (found == nullptr) {
    open({});
    return;
  }
  run_ = *found;
  readOrigin();
  readHistory();
  if (!is_active(run_->state)) client_.reset();
  connectSupervisor();
  if (!isConnected()) statusFromCatalogue();
  Q_EMIT statusChanged();
  Q_EMIT detailsChanged();
}

void RunSession::readOrigin() {
  elsewhere_.reset();
  if (!run_) return;
  const auto found = watcher_->followed().find(run_->id);
  if (found != watcher_->followed().end()) elsewhere_ = found->second;
  if (elsewhere_) client_.reset();
}

QString RunSession::silence() const {
  const auto found = run_ ? watcher_->silences().find(run_->id) : watcher_->silences().end();
  return found == watcher_->silences().end() ? QString() : QString::fromStdString(found->second);
}

bool RunSession::waitsForNodes() const {
  return run_ && elsewhere_ && run_->state == protocol::RunState::pending && elsewhere_->job &&
         storage::waits(*elsewhere_->job);
}

void RunSession::readHistory() {
  generations_ = watcher_->look([&](storage::Catalogue& c) { return c.generations(run_->id); });
  model_ = watcher_->look([&](storage::Catalogue& c) { return c.model(run_->id); });
}

std::vector<storage::Event> RunSession::events(std::int64_t after) {
  return watcher_->look([&](storage::Catalogue& c) { return c.events(run_->id, after); });
}

std::vector<storage::Checkpoint> RunSession::checkpoints() {
  return watcher_->look([&](storage::Catalogue& c) { return c.checkpoints(run_->id); });
}

std::map<std::string, std::string> RunSession::hyperparameters() {
  return watcher_->look([&](storage::Catalogue& c) { return c.hyperparameters(run_->id); });
}

void RunSession::readSamples() {
  if (refreshSeries()) Q_EMIT samplesChanged();
}

// Returns whether anything was new.
bool RunSession::refreshSeries() {
  if (!series_) return false;
  try {
    return series_->refresh(generations_);
  } catch (const Error& error) {
    Q_EMIT commandFailed(QString::fromUtf8(error.what()));
    return false;
  }
}

const std::optional<run::MeasuredRate>& RunSession::measured() {
  if (measuredAt_.isValid() && measuredAt_.elapsed() < kMeasuredInterval) return measured_;
  measuredAt_.start();
  measured_.reset();
  if (!series_) return measured_;
  const auto& spans = series_->generations();
  const auto span =
      std::find_if(spans.rbegin(), spans.rend(), [](const GenerationSpan& s) { return s.last > 0; });
  if (span == spans.rend()) return measured_;
  const run::ReadBuckets read = [&](const std::string& name, const run::GenerationSteps& steps) {
    const auto view =
        series_->view(name, steps.number, steps.first_step, steps.last_step, run::kStepTimeColumns);
    return std::vector<Bucket>(view.begin(), view.end());
  };
  measured_ = run::measured_rate({span->number, span->replicas, span->first, span->last}, read);
  return measured_;
}

// Takes the last known state of a run that nobody supervises.
void RunSession::statusFromCatalogue() {
  status_ = common::statusOf(*run_);
  if (!generations_.empty()) {
    status_.generation = generations_.back().number;
    double end = run_->ended > 0 ? run_->ended : generations_.back().ended;
    if (end <= 0) end = is_active(run_->state) ? storage::now() : generations_.back().started;
    // All faces tell the time of a run that has ended from when it was asked for.
    const double begin = run_->ended > 0 ? run_->created : started();
    status_.elapsed = std::max(0.0, end - begin);
  }
}

// Takes progress as proportional to the samples that it had trained on.
protocol::RunStatus RunSession::statusAt(double seconds) const {
  const auto end = series_ ? series_->extent(XAxis::WallTime).high : 0;
  const auto at = series_ ? series_->nearest(XAxis::WallTime, seconds) : std::nullopt;
  if (!at || seconds >= end) return status_;
  protocol::RunStatus status = status_;
  const GenerationSpan& span = *series_->generation(at->generation);
  const double totalSamples = series_->extent(XAxis::Samples).high;
  const double samplesDone = series_->position(XAxis::Samples, *at).value_or(0);
  status.state = protocol::RunState::running;
  status.message.clear();
  status.loop.clear();
  status.generation = span.number;
  status.replicas = status.target_replicas = span.replicas;
  status.step = at->step;
  status.total_fraction =
      totalSamples > 0 ? status_.total_fraction * std::clamp(samplesDone / totalSamples, 0.0, 1.0) : 0;
  status.epoch = static_cast<int>(status.total_fraction * status.epochs);
  status.elapsed = seconds;
  status.remaining = -1;
  return status;
}

double RunSession::started() const { return run_ ? common::clockOrigin(*run_, generations_) : 0; }

const storage::Generation* RunSession::lastRestart() const { return common::lastRestart(generations_); }

void RunSession::send(protocol::Request::Command command, std::optional<int> replicas) {
  protocol::Request request;
  request.command = command;
  request.replicas = replicas;
  send(request);
}

void RunSession::handOn(const std::string& id, const QString& command) {
  Q_EMIT said(tr("Sending this to the machine where the run trains …"));
  courier_->send(id, command);
}

void RunSession::send(const protocol::Request& request) {
  if (elsewhere_) {
    Q_EMIT said(tr("Sending this to %1 …").arg(QString::fromStdString(common::clusterName(*elsewhere_))));
    return courier_->send(run_->id, request);
  }
  if (!client_) {
    Q_EMIT commandFailed(tr("This run is not running; resume it first."));
    return;
  }
  const bool isCheckpoint = request.command == protocol::Request::Command::checkpoint;
  if (isCheckpoint) Q_EMIT said(tr("Writing a checkpoint after this step …"));
  client_->send(request, [this, isCheckpoint](const protocol::Json* answer, const Error* error) {
    if (error != nullptr) Q_EMIT commandFailed(QString::fromUtf8(error->what()));
    if (answer == nullptr || !isCheckpoint) return;
    Q_EMIT said(tr("Checkpoint %1 is written: step %2, %3, in %4.")
                    .arg(QString::fromStdString(answer->value("name", "")),
                         common::formatCount(answer->value("step", std::int64_t{0})),
                         common::formatBytes(answer->value("bytes", std::int64_t{0})),
                         common::formatPause(answer->value("seconds", 0.0))));
  });
}

}  // namespace batchscope::desktop
