// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_edits.h"

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"

namespace batchscope::desktop {

void editRun(storage::Catalogue& catalogue, const QString& id, const QString& field, const QString& text) {
  const std::string run = id.toStdString(), value = text.toStdString();
  if (field == QLatin1String("name")) {
    storage::check_name(value);
    catalogue.set_name(run, value);
  } else if (field == QLatin1String("group")) {
    storage::check_group(value);
    const auto found = catalogue.run(run);
    if (!found) throw Error(ErrorKind::not_found, "there is no run " + run);
    storage::require_sound(*found);
    protocol::RunSpec spec = found->spec;
    spec.group = value;
    catalogue.set_spec(run, spec);
  } else if (field == QLatin1String("tag")) {
    catalogue.set_tags(run, storage::parse_tags(value));
  } else if (field == QLatin1String("note")) {
    storage::check_note(value);
    catalogue.set_note(run, value);
  }
}

void tagRuns(storage::Catalogue& catalogue, const QStringList& ids, const QString& tags) {
  std::vector<std::string> added, removed;
  for (const std::string& tag : storage::parse_tags(tags.toStdString())) {
    if (tag.front() == '-') {
      storage::check_tag(tag.substr(1));
      removed.push_back(tag.substr(1));
    } else {
      added.push_back(tag);
    }
  }
  for (const QString& id : ids) catalogue.change_tags(id.toStdString(), added, removed);
}

}  // namespace batchscope::desktop
