// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_stage.h"

#include <QAction>
#include <QScrollArea>
#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "chart/chart_card.h"
#include "lessons/lesson_numbers.h"
#include "lessons/lesson_panel.h"
#include "lessons/sharing_panel.h"
#include "look/theme.h"
#include "session/catalogue_watcher.h"
#include "session/launcher.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

// One function for each kind of directive.
template <class... Do>
struct Overloaded : Do... {
  using Do::operator()...;
};

// Once what holds it has been laid out, which may only just have been shown.
void scrollTo(QWidget* widget) {
  const auto scroll = [widget] {
    for (QWidget* holder = widget->parentWidget(); holder != nullptr; holder = holder->parentWidget())
      if (auto* area = qobject_cast<QScrollArea*>(holder)) area->ensureWidgetVisible(widget, 0, 0);
  };
  QMetaObject::invokeMethod(widget, scroll, Qt::QueuedConnection);
}

bool hasTag(const storage::Run& run, const QString& tag) {
  return std::find(run.tags.begin(), run.tags.end(), tag.toStdString()) != run.tags.end();
}

}  // namespace

LessonStage::LessonStage(const Parts& parts, LessonPanel* panel, QObject* parent)
    : QObject(parent), parts_(parts), panel_(panel) {
  connect(panel_, &LessonPanel::pageShown, this, &LessonStage::show);
  connect(panel_, &LessonPanel::left, this, [this] {
    leave();
    restore();
  });
  connect(parts_.session, &RunSession::opened, this, [this] {
    if (!parts_.session->isOpen()) return;
    for (const std::string& tag : parts_.session->run().tags) importing_.remove(QString::fromStdString(tag));
    if (awaited_.isEmpty() || !hasTag(parts_.session->run(), awaited_)) return;
    awaited_.clear();
    // The window itself hears of the run first.
    QMetaObject::invokeMethod(this, &LessonStage::goOn, Qt::QueuedConnection);
  });
  connect(parts_.launcher, &Launcher::failed, this, [this] {
    importing_.clear();
    if (awaited_.isEmpty()) return;
    awaited_.clear();
    waiting_.clear();
    goOn();  // the text at least
  });
}

void LessonStage::show(const LessonPage& page) {
  leave();
  remember();
  waiting_.assign(page.directives.begin(), page.directives.end());
  goOn();
}

void LessonStage::goOn() {
  while (awaited_.isEmpty() && !waiting_.empty()) {
    const Directive next = waiting_.front();
    waiting_.pop_front();
    apply(next);
  }
  const LessonPage* page = panel_->page();
  if (!awaited_.isEmpty() || page == nullptr) return;
  try {
    const auto filled = [this](const QString& text) { return withNumbers(text, *parts_.session); };
    std::vector<LessonChoice> choices = page->choices;
    for (LessonChoice& choice : choices) {
      choice.text = filled(choice.text);
      choice.reply = filled(choice.reply);
    }
    panel_->setContent(filled(page->text), std::move(choices));
  } catch (const Error& error) {
    panel_->setContent(page->text, page->choices);
    Q_EMIT said(QString::fromUtf8(error.what()));
  }
}

void LessonStage::leave() {
  waiting_.clear();
  awaited_.clear();
  if (highlighted_) setStyleProperty(highlighted_, "highlighted", false);
  highlighted_ = nullptr;
  Q_EMIT sharingRequested(false);
}

void LessonStage::remember() {
  if (before_) return;
  const RunSession& session = *parts_.session;
  before_ = {session.isOpen() ? session.run().id : std::string(), parts_.view->look(), shownPage()};
}

ShowInstrument::Page LessonStage::shownPage() const {
  using Page = ShowInstrument::Page;
  return parts_.explorer->isChecked() ? Page::Explorer : parts_.why->isChecked() ? Page::Why : Page::Charts;
}

// A run that a person has started meanwhile, or opened, stays open.
void LessonStage::restore() {
  if (!before_) return;
  const Before before = *std::exchange(before_, std::nullopt);
  RunSession& session = *parts_.session;
  if (!session.isOpen() || storage::is_lesson(session.run())) {
    if (parts_.watcher->find(before.run) != nullptr)
      Q_EMIT runRequested(QString::fromStdString(before.run));
    else
      session.open({});
  }
  parts_.view->setLook(before.look);
  Q_EMIT instrumentRequested(before.page);
}

void LessonStage::apply(const Directive& directive) {
  ViewState& view = *parts_.view;
  SeriesModel* series = parts_.session->series();
  const auto zoom = [&](const SetZoom& set) {
    if (series == nullptr) return;
    if (set.range) {
      view.zoomTo(*series, view.axis(), {set.range->first, set.range->second});
    } else {
      view.resetZoom();
    }
  };
  const auto point = [&](const SetCursor& set) {
    if (series == nullptr) return;
    view.setCursor(set.step ? series->nearest(XAxis::Step, static_cast<double>(*set.step)) : std::nullopt);
  };
  std::visit(Overloaded{[&](const OpenRecorded& open) { openRecorded(open.run); },
                        [&](const ShowInstrument& show) { Q_EMIT instrumentRequested(show.page); },
                        [&](const SetAxis& set) { view.setAxis(axisOf(set), series); }, zoom, point,
                        [&](const SetSmoothing& set) { view.setSmoothing(set.smoothing); },
                        [&](const SetLog& set) { set.isX ? view.setLogX(set.isOn) : view.setLogY(set.isOn); },
                        [&](const Highlight& set) { highlight(set.what); },
                        [&](const ChooseReplicas& choose) { Q_EMIT replicasChosen(choose.replicas); },
                        [&](const ShareDevices& split) { share(split); },
                        [&](const RaisePanel& raise) { Q_EMIT panelRequested(raise.name); }},
             directive);
}

void LessonStage::openRecorded(const QString& run) {
  const QString tag = recordedRunTag(run);
  if (const storage::Run* found = find(run); found != nullptr) {
    Q_EMIT runRequested(QString::fromStdString(found->id));
    return;
  }
  awaited_ = tag;
  if (importing_.contains(tag)) return;  // a person who turns pages quickly gets it once
  importing_ << tag;
  parts_.launcher->importRecorded(recordedRunFile(run));
}

const storage::Run* LessonStage::find(const QString& recorded) const {
  const auto& runs = parts_.watcher->recorded();
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const storage::Run& each) {
    return hasTag(each, recordedRunTag(recorded));
  });
  return found == runs.end() ? nullptr : &*found;
}

void LessonStage::share(const ShareDevices& share) {
  for (const QString& run : {share.second, share.first}) {
    if (find(run) != nullptr) continue;
    waiting_.push_front(share);
    waiting_.push_front(OpenRecorded{share.first});  // what is taken in is opened
    return openRecorded(run);
  }
  const auto side = [&](const QString& recorded) {
    const storage::Run& run = *find(recorded);
    const auto model = parts_.watcher->look([&](storage::Catalogue& c) { return c.model(run.id); });
    const auto progress = run.latest.find(protocol::series::kProgress);
    return common::sharingRun(QString::fromStdString(run.name), model,
                              progress == run.latest.end() ? 0 : progress->second, share.devices);
  };
  parts_.sharing->setSharing({side(share.first), side(share.second)});
  Q_EMIT sharingRequested(true);
}

void LessonStage::highlight(const QString& what) {
  QWidget* widget = named(what);
  if (widget == nullptr) {
    QStringList cards;
    for (const auto& card : parts_.cards) cards << card.first;
    Q_EMIT said(tr("The lesson points at %1, which is neither a series of a chart nor one of %2.")
                    .arg(what, cards.join(QStringLiteral(", "))));
    return;
  }
  if (highlighted_) setStyleProperty(highlighted_, "highlighted", false);
  highlighted_ = widget;
  setStyleProperty(widget, "highlighted", true);
  scrollTo(widget);
}

// The card that it means.
QWidget* LessonStage::named(const QString& what) const {
  if (const auto card = parts_.cards.find(what); card != parts_.cards.end()) return card->second;
  return parts_.chartWith(what.toStdString());
}

}  // namespace batchscope::desktop
