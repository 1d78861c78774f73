// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/log_panel.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextBlock>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/log_failure.h"
#include "batchscope/run/log_times.h"
#include "look/box.h"
#include "look/theme.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostLines = 5000;
constexpr qint64 kMostBytes = 256 * 1024;  // of an old log: its end says what matters

QString folderOf(const storage::Run& run) {
  return QString::fromStdString(protocol::run_paths(run.id).logs.string());
}

}  // namespace

// Newest generation first, then by rank.
std::vector<LogPanel::LogFile> LogPanel::logFiles(const QString& directory) {
  std::vector<LogFile> files;
  const QDir logs(directory);
  for (const QString& name : logs.entryList({QStringLiteral("g*-r*.log")}, QDir::Files)) {
    if (const auto log = protocol::parse_log_name(name.toStdString()))
      files.push_back({*log, logs.filePath(name)});
  }
  std::ranges::sort(files, {}, [](const LogFile& file) { return std::pair(-file.generation, file.rank); });
  return files;
}

LogPanel::LogPanel(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent),
      session_(session),
      state_(state),
      box_(new QComboBox(this)),
      text_(new QPlainTextEdit(this)) {
  box_->setAccessibleName(tr("Replica"));
  box_->setMinimumWidth(220);
  text_->setReadOnly(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setFont(fixedFont(11));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setMaximumBlockCount(kMostLines);
  text_->setMinimumHeight(40);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setAccessibleName(tr("Log"));
  text_->setPlaceholderText(tr("This replica has printed nothing yet."));
  vbox(this, {}, 0, {hbox(nullptr, {12, 8, 12, 4}, -1, {box_, rest()}), {text_, 1}});

  timer_.setInterval(400);
  connect(&timer_, &QTimer::timeout, this, [this] {
    updateFiles();
    tail();
  });
  connect(box_, &QComboBox::activated, this, [this] {
    followsNewest_ = isOfNewest(shown());
    openFile();
  });
  connect(session_, &RunSession::opened, this, &LogPanel::opened);
  connect(session_, &RunSession::detailsChanged, this, &LogPanel::lookForFailure);
  connect(text_, &QPlainTextEdit::cursorPositionChanged, this, &LogPanel::moveCursor);
  // A cross-hair that is swept over a chart is followed where it rests, the head of a replay on its way.
  markTimer_.setSingleShot(true);
  markTimer_.setInterval(60);
  connect(&markTimer_, &QTimer::timeout, this, &LogPanel::markCursor);
  connect(state_, &ViewState::cursorMoved, &markTimer_, [this] {
    if (!state_->playHead() || !markTimer_.isActive()) markTimer_.start();
  });
}

void LogPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  updateFiles();
  tail();
  if (failure_ == Failure::Found) showFailure();
  timer_.start();
}

// Once for each failure: a person who goes elsewhere after it is not brought back.
void LogPanel::lookForFailure() {
  const bool hasFailed = session_->isOpen() && session_->run().state == protocol::RunState::failed;
  if (!hasFailed) failure_ = Failure::None;
  if (!hasFailed || failure_ != Failure::None) return;
  if (logFiles(folderOf(session_->run())).empty()) return;
  failure_ = Failure::Found;
  Q_EMIT failureFound();
  if (isVisible()) {
    updateFiles();
    tail();
    showFailure();
  }
}

void LogPanel::showFailure() {
  failure_ = Failure::Shown;
  const auto& generations = session_->generations();
  const auto crashed = std::ranges::find_if(generations.rbegin(), generations.rend(), [](const auto& each) {
    return each.outcome.starts_with("crashed");
  });
  int number = files_.empty() ? 0 : files_.front().generation, rank = 0;
  if (crashed != generations.rend()) {
    number = crashed->number;
    std::sscanf(crashed->outcome.c_str(), "crashed: rank %d", &rank);
  }
  const auto file = std::ranges::find_if(
      files_, [&](const LogFile& each) { return each.generation == number && each.rank == rank; });
  if (file == files_.end()) return;
  box_->setCurrentIndex(static_cast<int>(file - files_.begin()));
  followsNewest_ = isOfNewest(*file);
  openFile();
  QFile log(path_);
  if (lines_.empty() || !log.open(QIODevice::ReadOnly) || !log.seek(lines_.front())) return;
  const QByteArray shown = log.read(kMostBytes);
  const qint64 offset = lines_.front() + static_cast<qint64>(run::failure_offset(std::string_view(
                                             shown.data(), static_cast<std::size_t>(shown.size()))));
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const int row = std::max(0, static_cast<int>(line - lines_.begin()) - 1);
  mark(row);
  scrollTo(row, 1);
}

void LogPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  timer_.stop();
}

void LogPanel::opened() {
  files_.clear();
  box_->clear();
  path_.clear();
  clear();
  followsNewest_ = true;
  failure_ = Failure::None;
  if (isVisible()) {
    updateFiles();
    tail();
  }
}

void LogPanel::updateFiles() {
  if (!session_->isOpen()) return;
  auto files = logFiles(folderOf(session_->run()));
  if (files.size() == files_.size()) return;
  const LogFile before = shown();
  files_ = std::move(files);
  box_->clear();
  int row = 0;
  for (const LogFile& file : files_) {
    if (followsNewest_ ? isOfNewest(file) && file.rank == before.rank : file.path == before.path)
      row = box_->count();
    box_->addItem(tr("Replica %1, generation %2").arg(file.rank).arg(file.generation));
  }
  box_->setCurrentIndex(row);
  openFile();
}

void LogPanel::openFile() {
  const QString path = shown().path;
  if (path == path_) return;
  path_ = path;
  clear();
  read_ = std::max<qint64>(0, QFile(path).size() - kMostBytes);
  tail();
}

void LogPanel::tail() {
  QFile file(path_);
  if (path_.isEmpty() || !file.open(QIODevice::ReadOnly)) return;
  if (file.size() < read_) {
    clear();  // the file was started again
    read_ = 0;
  }
  if (file.size() == read_ || !file.seek(read_)) return;
  const QByteArray bytes = file.readAll();
  // A line that is still being written waits for its end.
  const qsizetype end = bytes.lastIndexOf('\n');
  if (end < 0) return;
  append(bytes.left(end));
  read_ += end + 1;
}

void LogPanel::clear() {
  const QSignalBlocker quiet(text_);
  text_->clear();
  text_->setExtraSelections({});
  lines_.clear();
}

void LogPanel::append(const QByteArray& lines) {
  qint64 start = read_;
  for (const QByteArray& line : lines.split('\n')) {
    lines_.push_back(start);
    start += line.size() + 1;
  }
  while (lines_.size() > static_cast<std::size_t>(kMostLines)) lines_.pop_front();
  const QSignalBlocker quiet(text_);
  QScrollBar* bar = text_->verticalScrollBar();
  const bool isAtEnd = bar->value() == bar->maximum();
  text_->appendPlainText(QString::fromUtf8(lines));
  if (isAtEnd) bar->setValue(bar->maximum());
}

LogPanel::LogFile LogPanel::shown() const {
  return files_.empty() ? LogFile{} : files_.at(static_cast<std::size_t>(box_->currentIndex()));
}

void LogPanel::moveCursor() {
  const auto row = static_cast<std::size_t>(text_->textCursor().blockNumber());
  SeriesModel* model = session_->series();
  if (model == nullptr || row >= lines_.size()) return;
  const auto time = run::log_time(path_.toStdString(), lines_[row]);
  const GenerationSpan* span = model->generation(shown().generation);
  const Track* clock = model->track(protocol::series::kTime, shown().generation);
  if (!time || span == nullptr || span->last == 0 || clock == nullptr) return;
  const double step = common::StepMap(clock->buckets(), 0).stepAt(*time);
  if (std::isnan(step)) return;
  const std::int64_t last = std::min(span->last, span->lostFrom - 1);
  if (last < span->first) return;  // all of it was undone
  state_->setCursor(
      StepRef{span->number, std::clamp(static_cast<std::int64_t>(std::llround(step)), span->first, last)});
  markTimer_.stop();
  mark(static_cast<int>(row));
}

void LogPanel::markCursor() {
  SeriesModel* model = session_->series();
  if (!isVisible() || model == nullptr) return;
  const auto pointedAt = state_->pointedAt();
  if (!pointedAt) {
    text_->setExtraSelections({});
    return;
  }
  const StepRef at = *pointedAt;
  const auto other = std::ranges::find_if(files_, [&, rank = shown().rank](const LogFile& file) {
    return file.generation == at.generation && file.rank == rank;
  });
  if (at.generation != shown().generation && other != files_.end()) {
    box_->setCurrentIndex(static_cast<int>(other - files_.begin()));
    followsNewest_ = isOfNewest(*other);
    openFile();
  }
  const Track* clock = model->track(protocol::series::kTime, at.generation);
  if (at.generation != shown().generation || clock == nullptr || lines_.empty()) return;
  const double time = common::StepMap(clock->buckets(), 0).at(static_cast<double>(at.step));
  if (std::isnan(time)) return;
  const qint64 offset = run::log_offset(path_.toStdString(), time);
  const auto line = std::lower_bound(lines_.begin(), lines_.end(), offset);
  mark(static_cast<int>(
      std::min<std::ptrdiff_t>(line - lines_.begin(), static_cast<std::ptrdiff_t>(lines_.size()) - 1)));
}

void LogPanel::mark(int row) {
  QTextEdit::ExtraSelection line;
  line.cursor = QTextCursor(text_->document()->findBlockByNumber(row));
  line.format.setBackground(Theme::current().selection);
  line.format.setProperty(QTextFormat::FullWidthSelection, true);
  text_->setExtraSelections({line});
  QScrollBar* bar = text_->verticalScrollBar();
  const int lines = std::max(1, bar->pageStep());
  if (row < bar->value() || row >= bar->value() + lines) scrollTo(row, lines / 2);
}

void LogPanel::scrollTo(int row, int above) {
  text_->verticalScrollBar()->setValue(std::max(0, row - above));
}

}  // namespace batchscope::desktop
