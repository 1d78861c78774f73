// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_questions.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <initializer_list>

#include "batchscope/common/translate.h"
#include "batchscope/sweep/sweep_file.h"
#include "look/box.h"
#include "look/quiet_wheel.h"
#include "session/sweep_session.h"

namespace batchscope::desktop {
namespace {

constexpr int kMore = 16;     // trials that are offered
constexpr int kDialog = 340;  // pixels across

}  // namespace

void askToStop(SweepSession* session, const std::string& name, QWidget* window) {
  const QString what = QString::fromStdString(name);
  auto* question = new QMessageBox(QMessageBox::Question, tr("Stop"), tr("Stop the sweep %1?").arg(what),
                                   QMessageBox::NoButton, window);
  question->setInformativeText(
      tr("Running trials write checkpoints and stop, and their values are kept. The sweep can be resumed."));
  question->setIconPixmap(QApplication::windowIcon().pixmap(48));
  question->setAttribute(Qt::WA_DeleteOnClose);
  auto* stop = question->addButton(tr("Stop %1").arg(what), QMessageBox::DestructiveRole);
  question->setDefaultButton(question->addButton(tr("Keep"), QMessageBox::RejectRole));
  QObject::connect(stop, &QPushButton::clicked, session, [session, name] {
    session->change([name](storage::Catalogue& catalogue) { sweep::stop(catalogue, name); });
  });
  question->open();
}

void askForMore(SweepSession* session, const sweep::SweepFile& file, QWidget* window) {
  auto* dialog = new QDialog(window);
  dialog->setWindowTitle(tr("More trials"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  auto* trials = new QSpinBox(dialog);
  trials->setRange(0, sweep::SweepFile::kMostTrials);
  trials->setValue(file.trials ? kMore : 0);
  trials->setEnabled(file.trials.has_value());
  trials->setAccessibleName(tr("More trials"));
  auto* hours = new QDoubleSpinBox(dialog);
  hours->setRange(0, sweep::SweepFile::kMostDeviceHours);
  hours->setAccessibleName(tr("More device-hours"));
  auto* form = new QFormLayout;
  form->addRow(tr("More trials"), trials);
  form->addRow(tr("More device-hours"), hours);
  form->setRowVisible(hours, file.device_hours.has_value());
  for (QAbstractSpinBox* field : std::initializer_list<QAbstractSpinBox*>{trials, hours}) {
    field->setButtonSymbols(QAbstractSpinBox::NoButtons);
    ignoreWheel(field);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
  QPushButton* add = buttons->addButton(tr("Add and go on"), QDialogButtonBox::AcceptRole);
  add->setObjectName(QStringLiteral("primary"));
  add->setProperty("isSmall", true);
  add->setDefault(true);
  const auto update = [=] { add->setEnabled(trials->value() > 0 || hours->value() > 0); };
  QObject::connect(trials, &QSpinBox::valueChanged, dialog, update);
  QObject::connect(hours, &QDoubleSpinBox::valueChanged, dialog, update);
  update();
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  vbox(dialog, {20, 18, 20, 16}, 14, {form, buttons});
  QObject::connect(dialog, &QDialog::accepted, session, [=, name = file.name] {
    session->change([name, more = trials->value(), time = hours->value()](storage::Catalogue& catalogue) {
      sweep::extend(catalogue, name, more, time);
    });
  });
  dialog->setMinimumWidth(kDialog);
  dialog->open();
}

}  // namespace batchscope::desktop
