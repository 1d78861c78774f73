// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/lesson.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"

// Resources in a static library are only there once somebody asks.
static void initResources() { Q_INIT_RESOURCE(lessons); }

namespace batchscope::common {
namespace {

const QStringList kAxisNames{QStringLiteral("step"),    QStringLiteral("progress"), QStringLiteral("epoch"),
                             QStringLiteral("samples"), QStringLiteral("time"),     QStringLiteral("active")};
const QStringList kPanels{QStringLiteral("events"), QStringLiteral("log"), QStringLiteral("checkpoints"),
                          QStringLiteral("hyperparameters")};

constexpr int kMostShared = 64;  // devices

class Parser {
 public:
  Parser(const QString& name, const QString& source) : lines_(source.split(QLatin1Char('\n'))) {
    lesson_.name = name;
  }

  Lesson parse() {
    static const QRegularExpression comment(QStringLiteral("^<!--\\s*(.*?)\\s*-->$"));
    static const QRegularExpression choice(QStringLiteral("^- \\[([ x])\\] (.+)$"));
    for (line_ = 1; line_ <= lines_.size(); ++line_) {
      const QString& line = lines_[line_ - 1];
      if (const auto found = comment.match(line); found.hasMatch()) {
        directive(found.captured(1));
      } else if (line.startsWith(QLatin1String("# "))) {
        lesson_.title = line.mid(2).trimmed();
      } else if (line.startsWith(QLatin1String("## "))) {
        lesson_.pages.push_back({.title = line.mid(3).trimmed()});
      } else if (lesson_.pages.empty()) {
        lesson_.summary += line.trimmed() + QLatin1Char(' ');
      } else if (const auto box = choice.match(line); box.hasMatch()) {
        page().choices.push_back({box.captured(2), {}, box.captured(1) == QLatin1String("x")});
      } else if (!page().choices.empty() && line.startsWith(QLatin1String("  "))) {
        LessonChoice& last = page().choices.back();
        last.reply = (last.reply + QLatin1Char(' ') + line.trimmed()).trimmed();
      } else {
        page().text += line + QLatin1Char('\n');
      }
    }
    check();
    return std::move(lesson_);
  }

 private:
  LessonPage& page() { return lesson_.pages.back(); }

  [[noreturn]] void refuse(const QString& why) const {
    throw Error(ErrorKind::usage, "lesson " + lesson_.name.toStdString() + ", line " + std::to_string(line_) +
                                      ": " + why.toStdString());
  }

  void check() {
    lesson_.summary = lesson_.summary.simplified();
    line_ = 1;
    if (lesson_.title.isEmpty()) refuse(QStringLiteral("it has no title; begin with \"# What gain is\""));
    if (lesson_.summary.isEmpty()) refuse(QStringLiteral("a sentence below the title says what it is about"));
    if (lesson_.pages.empty()) refuse(QStringLiteral("it has no page; \"## Title\" begins one"));
    line_ = lines_.size();
    for (LessonPage& page : lesson_.pages) {
      page.text = page.text.trimmed();
      const QString name = QStringLiteral("page \"%1\"").arg(page.title);
      if (page.text.isEmpty()) refuse(name + QStringLiteral(" says nothing"));
      if (page.choices.empty()) continue;
      const auto right = std::count_if(page.choices.begin(), page.choices.end(),
                                       [](const LessonChoice& choice) { return choice.isRight; });
      if (right != 1) refuse(name + QStringLiteral(": exactly one choice is right, \"- [x]\""));
      for (const LessonChoice& choice : page.choices) {
        if (choice.reply.isEmpty())
          refuse(name +
                 QStringLiteral(": say, indented below it, why to choose \"%1\" or not").arg(choice.text));
      }
    }
  }

  void directive(const QString& text) {
    if (text.startsWith(QLatin1String("SPDX-"))) return;
    QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QString verb = words.isEmpty() ? QString() : words.takeFirst();
    const auto known = verbs().find(verb);
    if (known == verbs().end()) {
      QStringList names;
      for (const auto& entry : verbs()) names << entry.first;
      refuse(QStringLiteral("unknown directive \"%1\"; there are %2")
                 .arg(verb, names.join(QStringLiteral(", "))));
    }
    if (lesson_.pages.empty()) refuse(QStringLiteral("a directive belongs below a page's \"## Title\""));
    known->second(*this, words);
  }

  void add(Directive directive) { page().directives.push_back(std::move(directive)); }

  const QString& only(const QStringList& words) const {
    if (words.size() != 1) refuse(QStringLiteral("one word is expected, not %1").arg(words.size()));
    return words.first();
  }
  // Returns the word's place among the choices.
  int oneOf(const QString& word, const QStringList& choices) const {
    const auto place = choices.indexOf(word);
    if (place < 0)
      refuse(QStringLiteral("\"%1\" is not one of %2").arg(word, choices.join(QStringLiteral(", "))));
    return static_cast<int>(place);
  }
  double number(const QString& word) const {
    bool isNumber = false;
    const double value = word.toDouble(&isNumber);
    if (!isNumber) refuse(QStringLiteral("\"%1\" is not a number").arg(word));
    return value;
  }
  int count(const QString& word) const {
    const double value = number(word);
    if (value < 1 || value > 1e9 || value != std::floor(value))
      refuse(QStringLiteral("\"%1\" is not a whole number above zero").arg(word));
    return static_cast<int>(value);
  }

  const QString& recorded(const QString& run) const {
    if (!QFile::exists(recordedRunFile(run)))
      refuse(
          QStringLiteral("there is no recorded run \"%1\"; record it into resources/lessons/runs").arg(run));
    return run;
  }

  void open(const QStringList& words) { add(OpenRecorded{recorded(only(words))}); }

  void share(const QStringList& words) {
    if (words.size() != 3) refuse(QStringLiteral("share FIRST SECOND DEVICES is expected"));
    const int devices = count(words[2]);
    if (devices % 2 != 0 || devices > kMostShared)
      refuse(QStringLiteral("\"%1\" is not an even number up to %2").arg(words[2]).arg(kMostShared));
    add(ShareDevices{recorded(words[0]), recorded(words[1]), devices});
  }

  void zoom(const QStringList& words) {
    if (words == QStringList{QStringLiteral("all")}) return add(SetZoom{});
    if (words.size() != 2) refuse(QStringLiteral("zoom FROM TO, or zoom all"));
    const double from = number(words[0]), to = number(words[1]);
    if (!(from < to)) refuse(QStringLiteral("the zoom ends before it begins"));
    add(SetZoom{std::pair(from, to)});
  }

  void smoothing(const QStringList& words) {
    const double value = number(only(words));
    if (value < 0 || value >= 1) refuse(QStringLiteral("smoothing is from 0 to below 1"));
    add(SetSmoothing{value});
  }

  void log(const QStringList& words) {
    if (words.size() != 2) refuse(QStringLiteral("log y on, log x off"));
    add(SetLog{oneOf(words[0], {QStringLiteral("y"), QStringLiteral("x")}) == 1,
               oneOf(words[1], {QStringLiteral("off"), QStringLiteral("on")}) == 1});
  }

  void launch(const QStringList& words) {
    if (words.isEmpty()) refuse(QStringLiteral("launch RECIPE, such as: launch digits replicas=2 epochs=4"));
    if (page().launch) refuse(QStringLiteral("a page launches one recipe"));
    Launch launch{.recipe = words.first().toStdString()};
    for (const QString& word : words.mid(1)) {
      const auto equals = word.indexOf(QLatin1Char('='));
      if (equals < 1) refuse(QStringLiteral("\"%1\" is not of the form NAME=VALUE").arg(word));
      const QString name = word.left(equals), value = word.mid(equals + 1);
      if (name == QLatin1String("replicas")) {
        launch.replicas = count(value);
      } else {
        launch.values[name.toStdString()] = value.toStdString();
      }
    }
    page().launch = std::move(launch);
  }

  using Verb = std::function<void(Parser&, const QStringList&)>;
  static const std::map<QString, Verb>& verbs() {
    using P = Parser;
    using W = QStringList;
    static const QStringList instruments{QStringLiteral("charts"), QStringLiteral("explorer"),
                                         QStringLiteral("why")};
    static const std::map<QString, Verb> all{
        {QStringLiteral("open"), &P::open},
        {QStringLiteral("show"),
         [](P& p, const W& w) {
           p.add(ShowInstrument{static_cast<ShowInstrument::Page>(p.oneOf(p.only(w), instruments))});
         }},
        {QStringLiteral("axis"),
         [](P& p, const W& w) { p.add(SetAxis{kAxisNames[p.oneOf(p.only(w), kAxisNames)]}); }},
        {QStringLiteral("zoom"), &P::zoom},
        {QStringLiteral("cursor"),
         [](P& p, const W& w) {
           const bool isNone = p.only(w) == QLatin1String("none");
           p.add(isNone ? SetCursor{} : SetCursor{p.count(w.first())});
         }},
        {QStringLiteral("smoothing"), &P::smoothing},
        {QStringLiteral("log"), &P::log},
        {QStringLiteral("highlight"), [](P& p, const W& w) { p.add(Highlight{p.only(w)}); }},
        {QStringLiteral("share"), &P::share},
        {QStringLiteral("replicas"), [](P& p, const W& w) { p.add(ChooseReplicas{p.count(p.only(w))}); }},
        {QStringLiteral("panel"),
         [](P& p, const W& w) { p.add(RaisePanel{kPanels[p.oneOf(p.only(w), kPanels)]}); }},
        {QStringLiteral("launch"), &P::launch}};
    return all;
  }

  QStringList lines_;
  qsizetype line_ = 0;
  Lesson lesson_;
};

}  // namespace

Lesson parseLesson(const QString& name, const QString& source) { return Parser(name, source).parse(); }

std::vector<Lesson> bundledLessons() {
  initResources();
  std::vector<Lesson> lessons;
  const QDir folder(QStringLiteral(":/lessons"));
  QStringList files = folder.entryList({QStringLiteral("*.md")}, QDir::Files);
  const auto number = [](const QString& file) { return file.section(QLatin1Char('-'), 0, 0).toInt(); };
  std::ranges::sort(files, {}, number);  // 10 behind 9
  for (const QString& file : files) {
    QFile source(folder.filePath(file));
    if (!source.open(QIODevice::ReadOnly)) qFatal("a lesson is not compiled in");
    lessons.push_back(parseLesson(file.chopped(3), QString::fromUtf8(source.readAll())));
  }
  return lessons;
}

QString recordedRunFile(const QString& run) {
  initResources();
  return QStringLiteral(":/lessons/runs/%1.jsonl").arg(run);
}

QString recordedRunTag(const QString& run) { return QLatin1String(storage::kLessonTag) + run; }

QString launchCommand(const Launch& launch) {
  std::vector<std::string> words{"batchscope", "run", "--recipe", launch.recipe};
  if (launch.replicas > 0) words.insert(words.end(), {"--replicas", std::to_string(launch.replicas)});
  for (const auto& [name, value] : launch.values) words.insert(words.end(), {"--set", name + "=" + value});
  return QString::fromStdString(shellWords(words));
}

}  // namespace batchscope::common
