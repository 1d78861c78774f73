// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_edits.h"

#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "batchscope/common/written_texts.h"
#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {
namespace {

using common::tagsWithout;
using common::WrittenText;
using storage::Catalogue;
using storage::Run;
using Tags = std::vector<std::string>;

QString nameOf(const Run& run) { return QString::fromStdString(run.name); }

Run soundRun(Catalogue& catalogue, const std::string& id) {
  const auto found = catalogue.run(id);
  if (!found || found->removed > 0) throw Error(ErrorKind::not_found, "there is no run " + id + " any more");
  storage::require_sound(*found);
  return *found;
}

// The edits of one text, as the Edit menu names them: "Undo renaming of digits".
constexpr std::pair<const char*, const char*> kTextEdits[] = {
    {"name", QT_TRANSLATE_NOOP("batchscope::desktop::RunEdits", "renaming of %1")},
    {"group", QT_TRANSLATE_NOOP("batchscope::desktop::RunEdits", "change of the group of %1")},
    {"note", QT_TRANSLATE_NOOP("batchscope::desktop::RunEdits", "change of the note on %1")}};

// A later change from elsewhere is not overwritten.
void replace(Catalogue& catalogue, const std::string& id, const WrittenText& field, const std::string& before,
             const std::string& after) {
  const Run run = soundRun(catalogue, id);
  if (field.read(run) != before)
    throw Error(ErrorKind::conflict, "the " + std::string(field.name) + " of " + run.name +
                                         " was changed elsewhere in the meantime, and keeps that change");
  field.write(catalogue, run, after);
}

}  // namespace

// Returns the moves into the trash, and out of it.
static auto moving(const std::vector<std::string>& ids) {
  return std::pair([ids](Catalogue& catalogue) { catalogue.move_to_trash(ids); },
                   [ids](Catalogue& catalogue) { catalogue.restore(ids); });
}

// An edit of runs, which its first redo carries out. One that fails cannot be undone. Its serial is unique,
// also where another edit stands at the same place of the stack.
class RunEdit : public QUndoCommand {
 public:
  RunEdit(RunEdits* edits, std::int64_t number, const QString& text, RunEdits::Change forth,
          RunEdits::Change back)
      : QUndoCommand(text), serial(number), edits_(edits), forth_(std::move(forth)), back_(std::move(back)) {}

  const std::int64_t serial;

  void redo() override {
    if (!edits_->write(forth_)) setObsolete(true);
  }
  void undo() override {
    if (!edits_->write(back_)) setObsolete(true);
  }

 private:
  RunEdits* edits_;
  RunEdits::Change forth_, back_;
};

RunEdits::RunEdits(CatalogueWatcher* watcher, QObject* parent)
    : QObject(parent), watcher_(watcher), stack_(new QUndoStack(this)) {}

template <class Do>
bool RunEdits::attempt(Do act) {
  try {
    act(watcher_->catalogue());
    return true;
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return false;
  }
}

bool RunEdits::write(const Change& change) {
  const bool isDone = attempt(change);
  watcher_->reload();
  return isDone;
}

bool RunEdits::push(const QString& text, Change forth, Change back) {
  stack_->push(new RunEdit(this, ++serial_, text, std::move(forth), std::move(back)));
  return isLast(serial_);
}

bool RunEdits::isLast(std::int64_t serial) const {
  const int index = stack_->index();
  return index > 0 && static_cast<const RunEdit*>(stack_->command(index - 1))->serial == serial;
}

// Others may have been done since, or it may have been taken back.
void RunEdits::undoRemoval(std::int64_t serial, const std::vector<std::string>& ids, const QString& what) {
  if (isLast(serial)) return stack_->undo();
  std::vector<std::string> gone;
  for (const storage::Run& run : watcher_->look([](Catalogue& catalogue) { return catalogue.trash(); }))
    if (std::ranges::find(ids, run.id) != ids.end()) gone.push_back(run.id);
  if (gone.empty()) return;
  const auto [away, back] = moving(gone);
  push(tr("restoring of %1").arg(what), back, away);
}

void RunEdits::set(const QString& id, const QString& field, const QString& text) {
  if (field == QLatin1String("tag")) {
    attempt([&](Catalogue& catalogue) {
      const Run run = soundRun(catalogue, id.toStdString());
      const Tags wanted = storage::parse_tags(text.toStdString());
      changeTags(tr("change of the tags of %1").arg(nameOf(run)),
                 {{run.id, tagsWithout(wanted, run.tags), tagsWithout(run.tags, wanted)}});
    });
    return;
  }
  const auto* const edit =
      std::ranges::find(kTextEdits, field, [](const auto& each) { return QLatin1String(each.first); });
  if (edit == std::end(kTextEdits)) return;
  attempt([&](Catalogue& catalogue) {
    const WrittenText& known = common::writtenText(edit->first);
    const Run run = soundRun(catalogue, id.toStdString());
    const std::string before = known.read(run), after = text.toStdString();
    known.check(after);
    if (before == after) return;
    const auto change = [&known, id = run.id](const std::string& from, const std::string& to) {
      return [=, &known](Catalogue& all) { replace(all, id, known, from, to); };
    };
    push(tr(edit->second).arg(nameOf(run)), change(before, after), change(after, before));
  });
}

void RunEdits::tag(const QStringList& ids, const QString& tags) {
  attempt([&](Catalogue& catalogue) {
    Tags wanted, unwanted;
    for (const std::string& tag : storage::parse_tags(tags.toStdString())) {
      const bool goes = tag.front() == '-';
      if (goes) storage::check_tag(tag.substr(1));
      (goes ? unwanted : wanted).push_back(goes ? tag.substr(1) : tag);
    }
    std::vector<TagChange> changes;
    for (const QString& id : ids) {
      const Run run = soundRun(catalogue, id.toStdString());
      changes.push_back(
          {run.id, tagsWithout(wanted, run.tags), tagsWithout(unwanted, tagsWithout(unwanted, run.tags))});
    }
    const QString what = changes.size() == 1
                             ? tr("change of the tags of %1").arg(nameOf(soundRun(catalogue, changes[0].id)))
                             : tr("change of the tags of %1 runs").arg(changes.size());
    changeTags(what, std::move(changes));
  });
}

// Tags that a run has already, or that are not there to be removed, are not part of the changes.
void RunEdits::changeTags(const QString& text, std::vector<TagChange> changes) {
  std::erase_if(changes, [](const TagChange& each) { return each.added.empty() && each.removed.empty(); });
  if (changes.empty()) return;
  const auto change = [changes](bool isForth) {
    return [=](Catalogue& catalogue) {
      for (const TagChange& each : changes)
        isForth ? catalogue.change_tags(each.id, each.added, each.removed)
                : catalogue.change_tags(each.id, each.removed, each.added);
    };
  };
  push(text, change(true), change(false));
}

void RunEdits::remove(const QStringList& ids) {
  std::vector<std::string> gone;
  QStringList names, staying, waiting;
  for (const QString& id : ids) {
    const Run* const run = watcher_->find(id.toStdString());
    if (run == nullptr) continue;
    if (run->state == protocol::RunState::pending) {
      waiting << nameOf(*run);
    } else if (is_active(run->state) || run->supervisor_pid != 0) {
      staying << nameOf(*run);
    } else {
      gone.push_back(run->id);
      names << nameOf(*run);
    }
  }
  const QString what = names.size() == 1 ? names.first() : tr("%1 runs").arg(names.size());
  const auto [away, back] = moving(gone);
  if (!gone.empty() && push(tr("deletion of %1").arg(what), away, back))
    Q_EMIT removed(tr("Deleted %1.").arg(what),
                   [=, this, serial = serial_] { undoRemoval(serial, gone, what); });
  const auto listed = [](const QStringList& all) { return all.join(QStringLiteral(", ")); };
  if (!staying.isEmpty())
    Q_EMIT failed(tr("Not deleted, because still active: %1. Stop it first (Ctrl+.).").arg(listed(staying)));
  if (!waiting.isEmpty())
    Q_EMIT failed(
        tr("Not deleted, because still in the queue: %1. Cancel it there first (Q).").arg(listed(waiting)));
}

void RunEdits::restore(const QStringList& ids) {
  std::vector<std::string> back;
  for (const QString& id : ids) back.push_back(id.toStdString());
  const auto [away, out] = moving(back);
  push(tr("restoring of %1").arg(back.size() == 1 ? tr("a run") : tr("%1 runs").arg(back.size())), out, away);
}

}  // namespace batchscope::desktop
