// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/program_form.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>

#include "batchscope/run/script.h"
#include "look/box.h"
#include "session/shell_words.h"

namespace batchscope::desktop {
namespace {

// Expands a leading ~, which no shell will do here.
QString expanded(const QString& path) {
  return path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
}

QString interpreterOf(const QFileInfo& file) {
  return QStandardPaths::findExecutable(
      QString::fromStdString(run::interpreter_of(file.filePath().toStdString())));
}

}  // namespace

ProgramForm::ProgramForm(QWidget* parent)
    : CheckedForm(parent),
      program_(new QLineEdit(this)),
      arguments_(new QLineEdit(this)),
      folder_(new QLineEdit(QDir::currentPath(), this)) {
  add(tr("Program"), program_, withBrowse(program_, false),
      tr("An executable file, or a script in Python (.py). Programs that use the elastic API can be "
         "restarted on other numbers of replicas."));
  add(tr("Arguments"), arguments_, tr("As in a shell: quotes keep words together"));
  add(tr("Folder"), folder_, withBrowse(folder_, true), tr("The folder in which the program runs"));
  for (QLineEdit* field : {program_, arguments_, folder_})
    connect(field, &QLineEdit::textChanged, this, [this] {
      check();
      Q_EMIT edited();
    });
  check();
}

QWidget* ProgramForm::withBrowse(QLineEdit* field, bool isFolder) {
  auto* row = new QWidget(this);
  auto* browse = new QPushButton(tr("Browse …"), row);
  browse->setAccessibleName(isFolder ? tr("Browse for a folder") : tr("Browse for a program"));
  hbox(row, {}, 8, {{field, 1}, browse});
  connect(browse, &QPushButton::clicked, this, [this, field, isFolder] {
    const QString before = expanded(field->text());
    const QString chosen = isFolder
                               ? QFileDialog::getExistingDirectory(this, tr("Folder of the program"), before)
                               : QFileDialog::getOpenFileName(this, tr("Program to run"),
                                                              before.isEmpty() ? folder_->text() : before);
    if (!chosen.isEmpty()) field->setText(chosen);
  });
  return row;
}

void ProgramForm::take(const protocol::RunSpec& spec) {
  program_->setText(QString::fromStdString(spec.program));
  arguments_->setText(shellWords(spec.arguments));
  folder_->setText(QString::fromStdString(spec.working_directory));
}

void ProgramForm::apply(protocol::RunSpec& spec) const {
  const QFileInfo file(QDir(expanded(folder_->text())), expanded(program_->text()));
  const QString interpreter = interpreterOf(file);
  spec.program = (interpreter.isEmpty() ? file.absoluteFilePath() : interpreter).toStdString();
  spec.arguments = parseShellWords(arguments_->text()).value_or(std::vector<std::string>{});
  if (!interpreter.isEmpty())
    spec.arguments.insert(spec.arguments.begin(), file.absoluteFilePath().toStdString());
  spec.working_directory = QFileInfo(expanded(folder_->text())).absoluteFilePath().toStdString();
  spec.recipe.clear();
}

QString ProgramForm::name() const {
  const QFileInfo file(program_->text());
  return file.suffix() == QLatin1String("py") ? file.completeBaseName() : file.fileName();
}

void ProgramForm::check() {
  const QFileInfo folder(expanded(folder_->text()));
  const QFileInfo file(QDir(folder.filePath()), expanded(program_->text()));
  setComplaint(program_, program_->text().isEmpty() ? tr("choose the program to run")
                         : !file.exists()           ? tr("there is no file %1").arg(file.absoluteFilePath())
                         : file.isDir()             ? tr("this is a folder; choose a program in it")
                         : file.isExecutable() || !interpreterOf(file).isEmpty()
                             ? QString()
                             : tr("it is not executable: chmod +x it, and begin a script with #!"));
  setComplaint(arguments_, parseShellWords(arguments_->text()) ? QString() : tr("a quote is not closed"));
  setComplaint(folder_, folder.isDir() ? QString() : tr("there is no folder %1").arg(folder.filePath()));
}

}  // namespace batchscope::desktop
