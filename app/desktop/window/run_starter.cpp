// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/run_starter.h"

#include <QFileDialog>
#include <QMessageBox>
#include <algorithm>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/recipe.h"
#include "lessons/lesson.h"
#include "runs/fork_dialog.h"
#include "runs/new_run_dialog.h"
#include "session/catalogue_watcher.h"
#include "session/importer.h"
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

// Trains on any machine: digits, or where the examples on LibTorch were left out, the one that needs nothing.
std::string demoRecipe() { return run::installed_recipe("digits") ? "digits" : "least_squares"; }

}  // namespace

RunStarter::RunStarter(CatalogueWatcher* watcher, RunSession* session, QWidget* window)
    : QObject(window),
      watcher_(watcher),
      session_(session),
      window_(window),
      launcher_(new Launcher(watcher->file(), this)),
      importer_(new Importer(this)) {
  connect(launcher_, &Launcher::failed, this, &RunStarter::said);
  connect(launcher_, &Launcher::launched, this, [this](const QString& id) {
    watcher_->reload();
    Q_EMIT runRequested(id);
    Q_EMIT said({});
  });
  connect(importer_, &Importer::began, this, [this](int file, int all, const QString& name) {
    Q_EMIT said(all == 1 ? tr("Importing %1 …").arg(name)
                         : tr("Importing %1, %2 of %3 …").arg(name).arg(file).arg(all));
  });
  connect(importer_, &Importer::finished, this, &RunStarter::tellImported);
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
    protocol::RunSpec spec = specOf(demoRecipe());
    const auto& runs = watcher_->runs();
    const auto running = std::find_if(runs.begin(), runs.end(), [&](const storage::Run& run) {
      return is_active(run.state) && run.spec.program == spec.program;
    });
    if (running != runs.end()) {
      Q_EMIT runRequested(QString::fromStdString(running->id));
      return;
    }
    // With a core each, twice the replicas are twice the machine; without, the two divide what one has.
    spec.replicas = 2;
    spec.devices_per_replica = 1;
    if (!arguments.isEmpty()) {  // the rest is as the program itself would have it
      spec.arguments.clear();
      for (const QString& argument : arguments) spec.arguments.push_back(argument.toStdString());
    }
    start({spec});
  });
}

void RunStarter::startLesson(const common::Launch& launch) {
  attempt([&] {
    protocol::RunSpec spec = specOf(launch.recipe, launch.values);
    if (launch.replicas > 0) {
      spec.replicas = launch.replicas;
      spec.devices_per_replica = 1;  // as in the demo
    }
    start({spec});
  });
}

NewRunDialog* RunStarter::newRunDialog() {
  const run::Machine machine = run::Machine::here();
  NewRunOffer offer{.recipes = run::installed_recipes(),
                    .first = demoRecipe(),
                    .devices = static_cast<int>((machine.gpus.empty() ? machine.cores : machine.gpus).size()),
                    .gpus = machine.gpus};
  std::set<std::string> queued;  // also what is paused or was interrupted, and goes on
  for (const storage::Job& job : watcher_->look([](storage::Catalogue& all) { return all.jobs(); }))
    queued.insert(job.run);
  for (const storage::Run& run : watcher_->runs())
    if (is_active(run.state) || queued.contains(run.id)) offer.runs.emplace_back(run.id, run.name);
  offer.check = [this](const NewRun& run) {
    run.queued ? pool::check_submit(run.spec) : run::check_start(watcher_->catalogue(), run.spec);
  };
  auto* dialog = new NewRunDialog(std::move(offer), window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] { attempt([&] { start(dialog->newRun()); }); });
  return dialog;
}

void RunStarter::newRun(bool isQueued) {
  NewRunDialog* dialog = newRunDialog();
  dialog->setQueued(isQueued);
  dialog->open();
}

void RunStarter::clone(const QString& id) {
  const storage::Run* run = watcher_->find(id.toStdString());
  if (run == nullptr) return;
  attempt([&] {
    storage::require_sound(*run);
    NewRunDialog* dialog = newRunDialog();
    dialog->clone(*run);
    dialog->open();
  });
}

void RunStarter::start(const NewRun& run) {
  const QString name = QString::fromStdString(run.spec.name), replicas = replicasText(run.spec);
  Q_EMIT said(run.queued ? tr("Adding %1 to the queue, for %2 …").arg(name, replicas)
                         : tr("Starting %1 on %2 …").arg(name, replicas));
  launcher_->start(run);
}

void RunStarter::resume(int replicas) {
  if (session_->elsewhere())
    return session_->send(protocol::Request::Command::resume,
                          replicas > 0 ? std::optional(replicas) : std::nullopt);
  Q_EMIT said(tr("Resuming …"));
  launcher_->resume(session_->run().id, replicas);
}

void RunStarter::fork(const storage::Checkpoint& checkpoint) {
  auto* dialog = new ForkDialog(session_->run(), checkpoint, run::installed_recipes(), window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, id = session_->run().id] {
    Q_EMIT said(tr("Forking …"));
    launcher_->fork(id, dialog->options());
  });
  dialog->open();
}

void RunStarter::import(const QStringList& files) { importer_->add(files); }

void RunStarter::chooseImports() {
  const QStringList files = QFileDialog::getOpenFileNames(
      window_, tr("Import runs"), {}, tr("Exported runs (*.jsonl *.sqlite *.batchscope);;All files (*)"));
  if (!files.isEmpty()) import(files);
}

void RunStarter::tellImported(const QStringList& runs, const QStringList& refusals) {
  watcher_->reload();
  if (!runs.isEmpty()) Q_EMIT runRequested(runs.last());
  Q_EMIT said(runs.isEmpty()     ? QString()
              : runs.size() == 1 ? tr("Imported 1 run.")
                                 : tr("Imported %1 runs.").arg(runs.size()));
  if (refusals.isEmpty()) return;
  auto* box = new QMessageBox(QMessageBox::Warning, tr("Import"),
                              refusals.size() == 1 ? tr("A file was not imported.")
                                                   : tr("%1 files were not imported.").arg(refusals.size()),
                              QMessageBox::Close, window_);
  box->setInformativeText(refusals.join(QStringLiteral("\n\n")));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace batchscope::desktop
