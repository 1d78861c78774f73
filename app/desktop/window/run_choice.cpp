// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/run_choice.h"

#include <QEvent>
#include <QSettings>
#include <QSignalBlocker>
#include <QTimer>
#include <algorithm>
#include <initializer_list>
#include <set>

#include "batchscope/common/trial_text.h"
#include "runs/run_list_panel.h"
#include "runs/run_model.h"
#include "session/catalogue_watcher.h"
#include "session/comparison.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

constexpr QLatin1String kRun("window/run");

}  // namespace

RunChoice::RunChoice(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
  for (QWidget* seen : std::initializer_list<QWidget*>{parts_.list, parts_.page})
    seen->installEventFilter(this);
  connect(parts_.watcher, &CatalogueWatcher::changed, this, &RunChoice::refresh);
  connect(parts_.session, &RunSession::statusChanged, this, &RunChoice::takeStatus);
  connect(parts_.session, &RunSession::opened, this, [this] {
    const bool isOpen = parts_.session->isOpen();
    gone_ = !isOpen && parts_.watcher->find(opened_) == nullptr ? opened_ : std::string();
    opened_ = isOpen ? parts_.session->run().id : std::string();
    Q_EMIT chosen(isOpen);
  });
}

void RunChoice::open(const QString& id) {
  const auto& runs = parts_.watcher->runs();
  std::string run = id.toStdString();
  if (run.empty()) {
    if (runs.empty()) return;
    const storage::Run* last = parts_.watcher->find(lastRun_.toStdString());
    const auto active = std::find_if(runs.begin(), runs.end(),
                                     [](const storage::Run& each) { return is_active(each.state); });
    const bool isOwn = last != nullptr && !storage::is_lesson(*last);
    run = active != runs.end() ? active->id : isOwn ? last->id : runs.front().id;
  }
  wantsAny_ = false;
  parts_.session->open(run);
  parts_.list->select(run);
}

void RunChoice::refresh() {
  const QSignalBlocker quiet(
      parts_.list);  // a row that goes makes its neighbour current, which opens nothing
  const auto& runs = parts_.watcher->runs();
  parts_.runs->setRuns(runs, parts_.watcher->look([&](storage::Catalogue& catalogue) {
    return common::listedSweeps(catalogue, runs);
  }));
  parts_.runs->setFollowed(parts_.watcher->followed(), parts_.watcher->silences());
  if (parts_.comparison->chosenCount() > 0) {
    std::set<std::string> ids;
    for (const storage::Run& run : runs) ids.insert(run.id);
    parts_.comparison->keep(ids);
  }
  takeStatus();
  if (!parts_.session->isOpen() && wantsAny_ && isDrawn_) open({});
  followDeletion();
  if (parts_.session->isOpen()) parts_.list->select(parts_.session->run().id);
  Q_EMIT chosen(parts_.session->isOpen() || (wantsAny_ && !runs.empty()));
}

// Where the open run was deleted its neighbour in the list is opened, and it again once it is restored.
void RunChoice::followDeletion() {
  if (gone_.empty()) return;
  const std::string gone = gone_;
  if (parts_.watcher->find(gone) != nullptr) {
    open(QString::fromStdString(gone));
  } else if (!parts_.session->isOpen() && !parts_.watcher->runs().empty()) {
    open(parts_.list->current());
    gone_ = gone;
  }
}

void RunChoice::takeStatus() {
  if (!parts_.session->isConnected()) return;
  const QSignalBlocker quiet(parts_.list);
  parts_.runs->setStatus(parts_.session->status());
}

bool RunChoice::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Paint && !isDrawn_) {
    isDrawn_ = true;
    QTimer::singleShot(0, this, &RunChoice::refresh);
  }
  return QObject::eventFilter(watched, event);
}

void RunChoice::save(QSettings& settings) const {
  const RunSession& session = *parts_.session;
  settings.setValue(kRun, session.isOpen() ? QString::fromStdString(session.run().id) : QString());
}

void RunChoice::restore(const QSettings& settings) { lastRun_ = settings.value(kRun).toString(); }

}  // namespace batchscope::desktop
