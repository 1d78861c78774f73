// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lessons, in place of the list of runs: their list, and one page at a time with its question and the
// button that starts the experiment live. The panel only asks: LessonStage carries out the directives of a
// page, and puts the numbers into its text.
#pragma once

#include <QFrame>

#include "lessons/lesson.h"

class QLabel;
class QListView;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace batchscope::desktop {

class LessonModel;

class LessonPanel : public QFrame {
  Q_OBJECT
 public:
  explicit LessonPanel(std::vector<Lesson> lessons, QWidget* parent = nullptr);

  LessonModel* model() const { return model_; }
  QListView* list() const { return list_; }
  QLabel* text() const { return text_; }
  QLabel* reply() const { return reply_; }
  QPushButton* nextButton() const { return next_; }
  QPushButton* backButton() const { return back_; }
  QPushButton* launchButton() const { return launch_; }
  const std::vector<QPushButton*>& choices() const { return choices_; }
  // The page that is shown; null where it is the list.
  const LessonPage* page() const;

  void showList();
  void start(int row);
  // The next page, after the last the list; the one before.
  void turn(int pages);
  // Sets the page's text and its questions, once its numbers are known.
  void setContent(const QString& markdown, std::vector<LessonChoice> choices);

 Q_SIGNALS:
  void pageShown(const batchscope::desktop::LessonPage& page);
  void launchRequested(const batchscope::desktop::Launch& launch);
  // Emitted when the list is shown or the panel is closed: the directives of a page no longer hold.
  void left();
  void closed();

 private:
  QWidget* buildList();
  QWidget* buildPage();
  void showPage();
  void setText(const QString& markdown);
  void setChoices(std::vector<LessonChoice> choices);
  void choose(std::size_t choice);

  LessonModel* model_;
  QStackedWidget* pages_;
  QListView* list_;
  QToolButton* lessons_;
  QLabel* place_;
  QLabel* title_;
  QLabel* text_;
  QLabel* reply_;
  QVBoxLayout* choiceColumn_;
  std::vector<QPushButton*> choices_;
  std::vector<LessonChoice> asked_;
  QPushButton* launch_;
  QLabel* command_;
  QScrollArea* scroll_;
  QPushButton* back_;
  QPushButton* next_;
  int row_ = -1;
  std::size_t page_ = 0;
};

}  // namespace batchscope::desktop
