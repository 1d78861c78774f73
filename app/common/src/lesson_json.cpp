// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/lesson_json.h"

namespace batchscope::common {
namespace {

using protocol::Json;

const char* instrumentName(ShowInstrument::Page page) {
  switch (page) {
    case ShowInstrument::Page::Charts: return "charts";
    case ShowInstrument::Page::Explorer: return "explorer";
    case ShowInstrument::Page::Why: return "why";
  }
  return "";
}

// Sets what a directive says. A value that it takes back is left out.
class StageJson {
 public:
  void operator()(const OpenRecorded& open) { json_["run"] = open.run.toStdString(); }
  void operator()(const ShowInstrument& show) { json_["show"] = instrumentName(show.page); }
  void operator()(const SetAxis& set) { json_["axis"] = set.axis.toStdString(); }
  void operator()(const SetZoom& set) {
    json_.erase("zoom");
    if (set.range) json_["zoom"] = {set.range->first, set.range->second};
  }
  void operator()(const SetCursor& set) {
    json_.erase("cursor");
    if (set.step) json_["cursor"] = *set.step;
  }
  void operator()(const SetSmoothing& set) { json_["smoothing"] = set.smoothing; }
  void operator()(const SetLog& set) { json_[set.isX ? "log_x" : "log_y"] = set.isOn; }
  void operator()(const Highlight& set) { json_["highlight"] = set.what.toStdString(); }
  void operator()(const ChooseReplicas& choose) { json_["replicas"] = choose.replicas; }
  void operator()(const ShareDevices& share) {
    json_["share"] = {{"first", share.first.toStdString()},
                      {"second", share.second.toStdString()},
                      {"devices", share.devices}};
  }
  void operator()(const RaisePanel& raise) { json_["panel"] = raise.name.toStdString(); }

  const Json& json() const { return json_; }

 private:
  Json json_ = Json::object();
};

Json launchJson(const Launch& launch) {
  Json json{{"recipe", launch.recipe}, {"values", launch.values}};
  json["replicas"] = launch.replicas > 0 ? std::to_string(launch.replicas) : std::string();
  json["command"] = launchCommand(launch).toStdString();
  return json;
}

Json lessonPageJson(const LessonPage& page, const FilledText& filled) {
  StageJson stage;
  for (const Directive& directive : page.directives) std::visit(stage, directive);
  const QString run = QString::fromStdString(stage.json().value("run", std::string()));
  Json json{{"title", page.title.toStdString()},
            {"text", filled(page.text, run).toStdString()},
            {"stage", stage.json()},
            {"choices", Json::array()}};
  for (const LessonChoice& choice : page.choices)
    json["choices"].push_back({{"text", filled(choice.text, run).toStdString()},
                               {"reply", filled(choice.reply, run).toStdString()},
                               {"is_right", choice.isRight}});
  if (page.launch) json["launch"] = launchJson(*page.launch);
  return json;
}

}  // namespace

Json lessonEntryJson(const Lesson& lesson) {
  return {{"name", lesson.name.toStdString()},
          {"title", lesson.title.toStdString()},
          {"summary", lesson.summary.toStdString()},
          {"pages", lesson.pages.size()}};
}

Json lessonJson(const Lesson& lesson, const FilledText& filled) {
  Json json = lessonEntryJson(lesson);
  json["pages"] = Json::array();
  for (const LessonPage& page : lesson.pages) json["pages"].push_back(lessonPageJson(page, filled));
  return json;
}

}  // namespace batchscope::common
