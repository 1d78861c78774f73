// SPDX-License-Identifier: Apache-2.0
#include "answers/lesson_answers.h"

#include <QRegularExpression>
#include <algorithm>
#include <optional>
#include <variant>

#include "batchscope/common/goodput_json.h"
#include "batchscope/common/lesson_json.h"
#include "batchscope/common/lesson_numbers.h"
#include "batchscope/common/say.h"
#include "batchscope/common/stored_series.h"
#include "batchscope/protocol/error.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;

const std::vector<common::Lesson>& lessons() {
  static const std::vector<common::Lesson> all = common::bundledLessons();
  return all;
}

std::string id_of_recorded(Store& store, const QString& name) {
  const std::string tag = common::recordedRunTag(name).toStdString();
  for (const storage::Run& run : store.runs())
    if (run.removed <= 0 && std::ranges::find(run.tags, tag) != run.tags.end()) return run.id;
  return {};
}

QString without_numbers(QString text) {
  static const QRegularExpression number(QStringLiteral("\\{[^{}]*\\}"));
  return text.replace(number, QStringLiteral("…"));
}

QString with_numbers_of(Store& store, const QString& text, const std::string& id) {
  if (id.empty()) return without_numbers(text);
  if (!text.contains(QLatin1Char('{'))) return text;
  common::NumberedRun run{.generations = store.catalogue().generations(id)};
  const auto model = common::readableModel(store.catalogue(), id);
  if (model) run.model = &*model;
  std::optional<common::StoredSeries> series;
  if (storage::SampleReader* reader = store.samples(id))
    run.series = &series.emplace(*reader, run.generations);
  return common::withNumbers(text, run);
}

}  // namespace

Json lessons_json() {
  Json list = Json::array();
  for (const common::Lesson& lesson : lessons()) list.push_back(common::lessonEntryJson(lesson));
  return {{"lessons", std::move(list)}};
}

const common::Lesson& lesson_called(const std::string& name) {
  const auto found = std::ranges::find(lessons(), QString::fromStdString(name), &common::Lesson::name);
  if (found == lessons().end()) throw Error(ErrorKind::not_found, say("there is no lesson {}", name));
  return *found;
}

std::map<std::string, std::string> recorded_runs(Store& store, const common::Lesson& lesson) {
  std::map<std::string, std::string> runs;
  const auto add = [&](const QString& name) { runs[name.toStdString()] = id_of_recorded(store, name); };
  for (const common::LessonPage& page : lesson.pages)
    for (const common::Directive& directive : page.directives)
      if (const auto* open = std::get_if<common::OpenRecorded>(&directive)) add(open->run);
  return runs;
}

Json lesson_json(Store& store, const std::string& name) {
  const common::Lesson& lesson = lesson_called(name);
  const std::map<std::string, std::string> runs = recorded_runs(store, lesson);
  Json json = common::lessonJson(lesson, [&](const QString& text, const QString& run) {
    const auto found = runs.find(run.toStdString());
    return with_numbers_of(store, text, found == runs.end() ? std::string() : found->second);
  });
  json["runs"] = Json::object();
  for (const auto& [recorded, id] : runs) json["runs"][recorded] = id.empty() ? Json() : Json(id);
  return json;
}

}  // namespace batchscope::web
