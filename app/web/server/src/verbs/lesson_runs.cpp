// SPDX-License-Identifier: Apache-2.0
#include "verbs/lesson_runs.h"

#include <QFile>
#include <QTemporaryDir>

#include "answers/lesson_answers.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"

namespace batchscope::web {
namespace {

using common::say;

// Another process cannot read what is compiled into this one.
void take_in_run(const std::string& name) {
  const QTemporaryDir folder;
  const QString copy = folder.filePath(QStringLiteral("run.jsonl"));
  if (!QFile::copy(common::recordedRunFile(QString::fromStdString(name)), copy))
    throw Error(ErrorKind::io, say("cannot write {} to import a recorded run: check the free space there",
                                   copy.toStdString()));
  run::import_run(copy.toStdString());
}

}  // namespace

protocol::Json LessonRuns::take_in(Store& store, const std::string& lesson) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, id] : recorded_runs(store, lesson_called(lesson)))
    if (id.empty()) take_in_run(name);
  return lesson_json(store, lesson);
}

}  // namespace batchscope::web
