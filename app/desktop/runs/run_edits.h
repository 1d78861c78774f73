// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a person says about runs, written into the catalogue: name, group, tags ("paper, baseline") and note.
#pragma once

#include <QString>
#include <QStringList>

#include "batchscope/storage/catalogue.h"

namespace batchscope::desktop {

// Sets one of the fields "name", "group", "tag", "note". Throws Error(usage) for a text that it cannot be.
void editRun(storage::Catalogue& catalogue, const QString& id, const QString& field, const QString& text);

// Adds the tags to each run, and takes those away that begin with "-": "paper, -draft".
void tagRuns(storage::Catalogue& catalogue, const QStringList& ids, const QString& tags);

}  // namespace batchscope::desktop
