// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lesson as data, and the parser of its file. The file is Markdown that any viewer shows: a heading of the
// first level and a paragraph say what it is about, each heading of the second level begins a page. What
// drives the window are comments of one line, which other viewers hide:
//
//   <!-- open elastic -->             a recorded run, resources/lessons/runs/elastic.jsonl
//   <!-- show charts -->              or explorer, or why: why it scaled
//   <!-- axis step -->                or progress, epoch, samples, time, active
//   <!-- zoom 100 250 -->             from and to on that axis; or all
//   <!-- cursor 120 -->               the cross-hair, at a step; or none
//   <!-- smoothing 0.6 -->            0 to below 1
//   <!-- log y on -->                 or x, off
//   <!-- highlight gain -->           the chart with this series, or curve, what-if in the explorer, or a
//                                     figure of why it scaled: map, restarts .. (scaling/scaling_page.cpp)
//   <!-- replicas 3 -->               the explorer's slider
//   <!-- share wide narrow 8 -->      how the run that is open and another one may split 8 devices
//   <!-- panel events -->             or log, checkpoints, hyperparameters
//   <!-- launch digits replicas=2 epochs=4 -->   a button that starts the recipe
//
// A list of boxes is a question, "- [x]" its right answer; what is indented below a choice is said when it is
// chosen. "{gain@120}" in any of these texts is a number of the run that is open (lesson_numbers.h).
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chart/x_axis.h"

namespace batchscope::desktop {

struct OpenRecorded {
  QString run;
};
struct ShowInstrument {
  enum class Page { Charts, Explorer, Why };
  Page page = Page::Charts;
};
struct SetAxis {
  XAxis axis = XAxis::Step;
};
struct SetZoom {
  std::optional<std::pair<double, double>> range;  // none: all
};
struct SetCursor {
  std::optional<std::int64_t> step;
};
struct SetSmoothing {
  double smoothing = 0;
};
struct SetLog {
  bool isX = false, isOn = false;
};
struct Highlight {
  QString what;
};
struct ChooseReplicas {
  int replicas = 1;
};
struct ShareDevices {
  QString first, second;  // recorded runs, of which the first is open
  int devices = 2;        // even
};
struct RaisePanel {
  QString name;
};
struct Launch {
  std::string recipe;
  int replicas = 0;  // 0: as the recipe says
  std::map<std::string, std::string> values = {};
};
using Directive = std::variant<OpenRecorded, ShowInstrument, SetAxis, SetZoom, SetCursor, SetSmoothing,
                               SetLog, Highlight, ChooseReplicas, ShareDevices, RaisePanel>;

struct LessonChoice {
  QString text, reply;
  bool isRight = false;
};

struct LessonPage {
  QString title;
  QString text = {};  // Markdown
  std::vector<Directive> directives = {};
  std::vector<LessonChoice> choices = {};
  std::optional<Launch> launch = {};
};

struct Lesson {
  QString name;  // of the file
  QString title, summary;
  std::vector<LessonPage> pages;
};

// Throws Error(usage) naming the lesson, the line, what is wrong and what would be right.
Lesson parseLesson(const QString& name, const QString& source);

// Returns the lessons that are compiled in, in their order. Throws as parseLesson.
std::vector<Lesson> bundledLessons();

// Returns the file that `batchscope import` reads; it need not be there.
QString recordedRunFile(const QString& run);
// Returns the tag by which an imported one is found again.
QString recordedRunTag(const QString& run);

}  // namespace batchscope::desktop
