// SPDX-License-Identifier: GPL-3.0-or-later
#include "log_panel.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "batchscope/protocol/paths.h"
#include "run_session.h"
#include "theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostLines = 5000;
constexpr qint64 kMostBytes = 256 * 1024;  // of an old log: its end says what matters

struct LogFile {
  int generation, rank;
  QString path;
};

// Newest generation first, then by rank.
std::vector<LogFile> logFiles(const QString& directory) {
  static const QRegularExpression form(QStringLiteral("^g(\\d+)-r(\\d+)\\.log$"));
  std::vector<LogFile> files;
  const QDir logs(directory);
  for (const QString& name : logs.entryList({QStringLiteral("g*-r*.log")}, QDir::Files)) {
    const auto match = form.match(name);
    if (match.hasMatch())
      files.push_back({match.captured(1).toInt(), match.captured(2).toInt(), logs.filePath(name)});
  }
  std::sort(files.begin(), files.end(), [](const LogFile& a, const LogFile& b) {
    return a.generation != b.generation ? a.generation > b.generation : a.rank < b.rank;
  });
  return files;
}

}  // namespace

LogPanel::LogPanel(RunSession* session, QWidget* parent)
    : QWidget(parent), session_(session), files_(new QComboBox(this)), text_(new QPlainTextEdit(this)) {
  files_->setAccessibleName(tr("Replica"));
  files_->setMinimumWidth(220);
  text_->setReadOnly(true);
  text_->setFont(fixedFont(11));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setMaximumBlockCount(kMostLines);
  text_->setMinimumHeight(40);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  text_->setAccessibleName(tr("Log"));
  text_->setPlaceholderText(tr("This replica has printed nothing yet."));
  auto* top = new QHBoxLayout;
  top->setContentsMargins(12, 8, 12, 4);
  top->addWidget(files_);
  top->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(top);
  column->addWidget(text_, 1);

  timer_.setInterval(400);
  connect(&timer_, &QTimer::timeout, this, [this] {
    updateFiles();
    tail();
  });
  connect(files_, &QComboBox::activated, this, [this](int row) {
    const int newest = files_->itemData(0, Qt::UserRole + 1).toInt();
    followsNewest_ = files_->itemData(row, Qt::UserRole + 1).toInt() == newest;
    openFile();
  });
  connect(session_, &RunSession::opened, this, &LogPanel::opened);
}

void LogPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  updateFiles();
  tail();
  timer_.start();
}

void LogPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  timer_.stop();
}

void LogPanel::opened() {
  files_->clear();
  path_.clear();
  text_->clear();
  followsNewest_ = true;
  if (isVisible()) {
    updateFiles();
    tail();
  }
}

void LogPanel::updateFiles() {
  if (!session_->isOpen()) return;
  const auto files = logFiles(QString::fromStdString(protocol::run_paths(session_->run().id).logs.string()));
  if (static_cast<int>(files.size()) == files_->count()) return;
  const int rank = files_->currentData(Qt::UserRole + 2).toInt();
  const QString chosen = files_->currentData().toString();
  files_->clear();
  int row = 0;
  for (const LogFile& file : files) {
    files_->addItem(tr("Replica %1, generation %2").arg(file.rank).arg(file.generation), file.path);
    const int last = files_->count() - 1;
    files_->setItemData(last, file.generation, Qt::UserRole + 1);
    files_->setItemData(last, file.rank, Qt::UserRole + 2);
    const bool isNewest = file.generation == files.front().generation;
    if (followsNewest_ ? isNewest && file.rank == rank : file.path == chosen) row = last;
  }
  files_->setCurrentIndex(row);
  openFile();
}

void LogPanel::openFile() {
  const QString path = files_->currentData().toString();
  if (path == path_) return;
  path_ = path;
  text_->clear();
  read_ = std::max<qint64>(0, QFile(path).size() - kMostBytes);
  tail();
}

void LogPanel::tail() {
  QFile file(path_);
  if (path_.isEmpty() || !file.open(QIODevice::ReadOnly)) return;
  if (file.size() < read_) {
    text_->clear();  // it was begun anew
    read_ = 0;
  }
  if (file.size() == read_ || !file.seek(read_)) return;
  const QByteArray bytes = file.readAll();
  // A line that is still being written waits for its end.
  const qsizetype end = bytes.lastIndexOf('\n');
  if (end < 0) return;
  read_ += end + 1;
  QScrollBar* bar = text_->verticalScrollBar();
  const bool isAtEnd = bar->value() == bar->maximum();
  text_->appendPlainText(QString::fromUtf8(bytes.left(end)));
  if (isAtEnd) bar->setValue(bar->maximum());
}

}  // namespace batchscope::desktop
