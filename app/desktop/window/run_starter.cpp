// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/run_starter.h"

#include <algorithm>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/recipe.h"
#include "lessons/lesson.h"
#include "runs/fork_dialog.h"
#include "runs/recipe_dialog.h"
#include "session/catalogue_watcher.h"
#include "session/launcher.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

protocol::RunSpec specOf(const std::string& recipe, const std::map<std::string, std::string>& values = {}) {
  const auto found = run::installed_recipe(recipe);
  if (!found)
    throw Error(ErrorKind::not_found,
                "the recipe " + recipe + " is not installed: build the example " + recipe + " first");
  return found->spec(values);
}

}  // namespace

RunStarter::RunStarter(CatalogueWatcher* watcher, RunSession* session, QWidget* window)
    : QObject(window),
      watcher_(watcher),
      session_(session),
      window_(window),
      launcher_(new Launcher(watcher->file(), this)) {
  connect(launcher_, &Launcher::failed, this, &RunStarter::said);
  connect(launcher_, &Launcher::launched, this, [this](const QString& id) {
    watcher_->reload();
    Q_EMIT runRequested(id);
    Q_EMIT said({});
  });
}

template <class Do>
void RunStarter::attempt(Do act) {
  try {
    act();
  } catch (const Error& error) {
    Q_EMIT said(QString::fromUtf8(error.what()));
  }
}

void RunStarter::startDemo(const QStringList& arguments) {
  attempt([&] {
    protocol::RunSpec spec = specOf("digits");
    const auto& runs = watcher_->runs();
    const auto running = std::find_if(runs.begin(), runs.end(), [&](const storage::Run& run) {
      return is_active(run.state) && run.spec.program == spec.program;
    });
    if (running != runs.end()) {
      Q_EMIT runRequested(QString::fromStdString(running->id));
      return;
    }
    spec.replicas = 2;
    if (!arguments.isEmpty()) {  // the rest is as the program itself would have it
      spec.arguments.clear();
      for (const QString& argument : arguments) spec.arguments.push_back(argument.toStdString());
    }
    Q_EMIT said(tr("Starting the demo …"));
    launcher_->start(spec);
  });
}

void RunStarter::startLesson(const Launch& launch) {
  attempt([&] {
    protocol::RunSpec spec = specOf(launch.recipe, launch.values);
    if (launch.replicas > 0) spec.replicas = launch.replicas;
    Q_EMIT said(tr("Starting …"));
    launcher_->start(spec);
  });
}

void RunStarter::startRecipe(bool isQueued) {
  auto recipes = run::installed_recipes();
  if (recipes.empty()) {
    Q_EMIT said(tr("No recipe is installed; start a program with: batchscope run PROGRAM"));
    return;
  }
  const run::Machine machine = run::Machine::here();
  QueueOffer offer{static_cast<int>((machine.gpus.empty() ? machine.cores : machine.gpus).size())};
  std::set<std::string> queued;  // also what is paused or was interrupted, and goes on
  for (const storage::Job& job : watcher_->look([](storage::Catalogue& all) { return all.jobs(); }))
    queued.insert(job.run);
  for (const storage::Run& run : watcher_->runs())
    if (is_active(run.state) || queued.contains(run.id)) offer.runs.emplace_back(run.id, run.name);
  auto* dialog = new RecipeDialog(std::move(recipes), offer, window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setQueued(isQueued);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    attempt([&] {
      if (dialog->isQueued()) {
        launcher_->submit(dialog->spec(), dialog->jobOptions());
        return;
      }
      Q_EMIT said(tr("Starting …"));
      launcher_->start(dialog->spec());
    });
  });
  dialog->open();
}

void RunStarter::resume(int replicas) {
  Q_EMIT said(tr("Resuming …"));
  launcher_->resume(session_->run().id, replicas);
}

void RunStarter::fork(const storage::Checkpoint& checkpoint) {
  auto* dialog = new ForkDialog(session_->run(), checkpoint, window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, id = session_->run().id] {
    Q_EMIT said(tr("Forking …"));
    launcher_->fork(id, dialog->options());
  });
  dialog->open();
}

void RunStarter::import(const QString& file) {
  Q_EMIT said(tr("Taking in %1 …").arg(file));
  launcher_->import(file);
}

}  // namespace batchscope::desktop
