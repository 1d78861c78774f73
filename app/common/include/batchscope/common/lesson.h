// SPDX-License-Identifier: Apache-2.0
/// \file
/// A lesson as data, and the parser of its file. The file is Markdown that any viewer shows: a heading of the
/// first level and a paragraph say what it is about, each heading of the second level begins a page. What
/// drives the window, or the page in a browser, are comments of one line, which other viewers hide:
///
///   <!-- open elastic -->             a recorded run, resources/lessons/runs/elastic.jsonl
///   <!-- show charts -->              or explorer, or why: why it scaled
///   <!-- axis step -->                or progress, epoch, samples, time, active
///   <!-- zoom 100 250 -->             from and to on that axis; or all
///   <!-- cursor 120 -->               the cross-hair, at a step; or none
///   <!-- smoothing 0.6 -->            0 to below 1
///   <!-- log y on -->                 or x, off
///   <!-- highlight gain -->           the chart with this series, or curve, what-if in the explorer, or a
///                                     figure of why it scaled: map, restarts .. (why_it_scaled.h)
///   <!-- replicas 3 -->               the explorer's slider
///   <!-- share wide narrow 8 -->      how the run that is open and another one may split 8 devices
///   <!-- panel events -->             or log, checkpoints, hyperparameters
///   <!-- launch digits replicas=2 epochs=4 -->   a button that starts the recipe
///
/// A list of boxes is a question, "- [x]" its right answer; what is indented below a choice is said when it
/// is chosen. "{gain@120}" in any of these texts is a number of the run that is open (lesson_numbers.h).
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace batchscope::common {

/// Opens a recorded run.
struct OpenRecorded {
  QString run;  ///< name of its file
};
/// Shows one of the three views of a run.
struct ShowInstrument {
  /// The views.
  enum class Page { Charts, Explorer, Why };
  Page page = Page::Charts;  ///< to show
};
/// Sets the axis below the charts.
struct SetAxis {
  QString axis;  ///< step, progress, epoch, samples, time or active
};
/// Shows a part of the axis.
struct SetZoom {
  std::optional<std::pair<double, double>> range;  ///< in units of the axis; none: all
};
/// Sets the cross-hair.
struct SetCursor {
  std::optional<std::int64_t> step;  ///< none: no cross-hair
};
/// Smooths the lines.
struct SetSmoothing {
  double smoothing = 0;  ///< 0 to below 1
};
/// Makes an axis logarithmic or linear.
struct SetLog {
  bool isX = false;   ///< the horizontal axis, else the vertical ones
  bool isOn = false;  ///< logarithmic
};
/// Points at a chart or a card.
struct Highlight {
  QString what;  ///< a series, or the name of a card
};
/// Sets the slider of the explorer.
struct ChooseReplicas {
  int replicas = 1;  ///< at least 1
};
/// Shows how two runs may share devices.
struct ShareDevices {
  QString first;    ///< recorded run that is open
  QString second;   ///< another recorded run
  int devices = 2;  ///< even
};
/// Shows a panel of records.
struct RaisePanel {
  QString name;  ///< events, log, checkpoints or hyperparameters
};
/// A training that a page of a lesson offers to start.
struct Launch {
  std::string recipe;                              ///< its name
  int replicas = 0;                                ///< 0: as the recipe says
  std::map<std::string, std::string> values = {};  ///< of the recipe's parameters, by their names
};
/// A step that drives the window or the page.
using Directive = std::variant<OpenRecorded, ShowInstrument, SetAxis, SetZoom, SetCursor, SetSmoothing,
                               SetLog, Highlight, ChooseReplicas, ShareDevices, RaisePanel>;

/// An answer to the question of a page.
struct LessonChoice {
  QString text;          ///< of the choice
  QString reply;         ///< shown once it is chosen
  bool isRight = false;  ///< true of one choice of a question
};

/// A page of a lesson.
struct LessonPage {
  QString title;                           ///< of the page
  QString text = {};                       ///< Markdown
  std::vector<Directive> directives = {};  ///< in their order
  std::vector<LessonChoice> choices = {};  ///< empty: the page asks nothing
  std::optional<Launch> launch = {};       ///< none: the page starts nothing
};

/// See above.
struct Lesson {
  QString name;                   ///< of the file, without its suffix
  QString title;                  ///< of the lesson
  QString summary;                ///< a sentence
  std::vector<LessonPage> pages;  ///< in their order
};

/// Reads a lesson. Throws Error(usage) naming the lesson, the line, what is wrong and what would be right.
Lesson parseLesson(const QString& name, const QString& source);

/// Returns the lessons that are compiled in, in their order. Throws as parseLesson.
std::vector<Lesson> bundledLessons();

/// Returns the file, compiled in, that `batchscope import` reads; it need not be there.
QString recordedRunFile(const QString& run);
/// Returns the tag by which an imported one is found again.
QString recordedRunTag(const QString& run);

/// Returns the command that starts it, as one types it in a shell.
QString launchCommand(const Launch& launch);

}  // namespace batchscope::common
