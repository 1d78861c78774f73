// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/run_search.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QStringListModel>

#include "look/box.h"
#include "look/theme.h"
#include "runs/run_model.h"

namespace batchscope::desktop {

RunSearch::RunSearch(RunModel* runs, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      field_(new QLineEdit(this)),
      complaint_(named("filterComplaint", this)),
      names_(new QStringListModel(this)),
      completer_(new QCompleter(names_, this)) {
  field_->setPlaceholderText(tr("Find runs, e.g. accuracy>0.97"));
  field_->setAccessibleName(tr("Find runs"));
  field_->setToolTip(
      tr("Words of a run's name, id, state, group, tags or note.\nOr a filter, as batchscope ls --where "
         "takes it:\n\n"
         "accuracy>0.97 and replicas=2\nstate=failed or age<2h\ntag=paper and not name~test"));
  field_->setClearButtonEnabled(true);
  field_->installEventFilter(this);
  complaint_->setWordWrap(true);
  complaint_->setTextFormat(Qt::RichText);
  complaint_->hide();
  completer_->setWidget(field_);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  vbox(this, {}, 6, {field_, complaint_});
  setFocusProxy(field_);

  connect(field_, &QLineEdit::textChanged, this, &RunSearch::read);
  connect(field_, &QLineEdit::textEdited, this, &RunSearch::suggest);
  connect(field_, &QLineEdit::returnPressed, this, &RunSearch::accepted);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &RunSearch::complete);
}

void RunSearch::focus() {
  field_->setFocus();
  field_->selectAll();
}

void RunSearch::clear() { field_->clear(); }

void RunSearch::read() {
  try {
    query_ = RunQuery::parse(field_->text(), storage::field_names(runs_->runs()));
    complaint_->hide();
  } catch (const storage::FilterError& error) {
    complain(error);
    // The last filter stays; words that were only the beginning of a filter do not.
    if (query_.isFilter()) return;
    query_ = {};
  }
  Q_EMIT queryChanged();
}

void RunSearch::complain(const storage::FilterError& error) {
  const QByteArray text = field_->text().toUtf8();
  const auto at = static_cast<qsizetype>(error.column()), length = static_cast<qsizetype>(error.length());
  const auto part = [&](qsizetype from, qsizetype count) {
    return QString::fromUtf8(text.mid(from, count)).toHtmlEscaped();
  };
  const QString wrong = at < text.size() ? part(at, length) : QStringLiteral("&nbsp;&nbsp;");
  complaint_->setText(
      tr("%1<u><b>%2</b></u>%3<br>%4<br><span style=\"color: %5\">For example: accuracy&gt;0.97 and "
         "state=finished</span>")
          .arg(part(0, at), wrong, part(at + length, -1),
               QString::fromStdString(error.reason()).toHtmlEscaped(), Theme::current().dim.name()));
  complaint_->show();
}

// Where the field's name that the cursor stands behind begins.
int RunSearch::wordStart() const {
  int start = field_->cursorPosition();
  const QString text = field_->text();
  const auto isOfName = [&](int i) { return text[i].isLetterOrNumber() || text[i] == QLatin1Char('_'); };
  while (start > 0 && isOfName(start - 1)) --start;
  return start;
}

// Two letters make a name worth completing; behind an operator stands a value.
void RunSearch::suggest() {
  const int start = wordStart();
  const QString word = field_->text().mid(start, field_->cursorPosition() - start);
  const QString before = field_->text().left(start).trimmed();
  const bool isValue = !before.isEmpty() && QStringLiteral("=<>~").contains(before.back());
  if (word.size() < 2 || isValue) {
    completer_->popup()->hide();
    return;
  }
  QStringList names;
  for (const std::string& name : storage::field_names(runs_->runs())) names << QString::fromStdString(name);
  if (names != names_->stringList()) names_->setStringList(names);
  completer_->setCompletionPrefix(word);
  const bool isWhole = completer_->completionCount() == 1 && completer_->currentCompletion() == word;
  if (completer_->completionCount() == 0 || isWhole) {
    completer_->popup()->hide();
    return;
  }
  completer_->complete();
}

void RunSearch::complete(const QString& name) {
  const int start = wordStart(), end = field_->cursorPosition();
  field_->setText(field_->text().left(start) + name + field_->text().mid(end));
  field_->setCursorPosition(start + static_cast<int>(name.size()));
}

bool RunSearch::eventFilter(QObject* watched, QEvent* event) {
  // The window has an Escape of its own, which this one comes before.
  if (watched == field_ && event->type() == QEvent::ShortcutOverride &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && !field_->text().isEmpty()) {
    event->accept();
    return true;
  }
  if (watched == field_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape && !field_->text().isEmpty()) {
      clear();
      return true;
    }
    if (key == Qt::Key_Down) {
      Q_EMIT accepted();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace batchscope::desktop
