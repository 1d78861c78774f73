// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_starter.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QProcess>
#include <QStandardPaths>

namespace batchscope::desktop {
namespace {

const QString kProgram = QStringLiteral("batchscope");

// Finds the program beside our own, else on PATH.
QString program() {
  const QString beside = QStandardPaths::findExecutable(kProgram, {QCoreApplication::applicationDirPath()});
  return beside.isEmpty() ? QStandardPaths::findExecutable(kProgram) : beside;
}

}  // namespace

SweepStarter::SweepStarter(QWidget* page) : QObject(page), page_(page) {}

void SweepStarter::chooseFile() {
  const QString file = QFileDialog::getOpenFileName(page_->window(), tr("Begin a sweep"), {},
                                                    tr("Sweeps (*.toml);;All files (*)"));
  if (!file.isEmpty()) begin(file);
}

void SweepStarter::begin(const QString& file) {
  const QString command = program();
  if (command.isEmpty())
    return refuse(file,
                  tr("The program batchscope is neither beside batchscope-desktop nor in PATH: install it."));
  Q_EMIT said(tr("Beginning the sweep of %1 …").arg(QFileInfo(file).fileName()));
  auto* process = new QProcess(this);
  process->setWorkingDirectory(QFileInfo(file).absolutePath());
  connect(process, &QProcess::finished, this, [this, process, file](int code) {
    if (code == 0) {
      Q_EMIT said({});
      Q_EMIT begun();
    } else {
      refuse(file, QString::fromUtf8(process->readAllStandardError()).trimmed());
    }
    process->deleteLater();
  });
  connect(process, &QProcess::errorOccurred, this, [this, process, file](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    refuse(file, process->errorString());
    process->deleteLater();
  });
  process->start(command, {QStringLiteral("sweep"), QStringLiteral("run"), file, QStringLiteral("--detach")});
}

void SweepStarter::refuse(const QString& file, const QString& complaint) {
  Q_EMIT said({});
  auto* box = new QMessageBox(QMessageBox::Warning, tr("Begin a sweep"),
                              tr("The sweep of %1 was not begun.").arg(QFileInfo(file).fileName()),
                              QMessageBox::Close, page_->window());
  box->setInformativeText(complaint);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

}  // namespace batchscope::desktop
