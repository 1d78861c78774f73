// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/share_menu.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QPointer>
#include <QRegularExpression>
#include <QStandardPaths>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "chart/dashboard.h"
#include "figure/figure_card.h"
#include "session/run_session.h"
#include "share/data_export.h"
#include "share/picture_export.h"
#include "share/report.h"

namespace batchscope::desktop {
namespace {

// A name that every file system takes.
QString fileName(const QString& text) {
  static const QRegularExpression other(QStringLiteral("[^\\w.-]+"),
                                        QRegularExpression::UseUnicodePropertiesOption);
  return QString(text).replace(other, QStringLiteral("-")).toLower();
}

QString suffixOf(const QString& filter) {
  static const QRegularExpression pattern(QStringLiteral("\\*\\.(\\w+)"));
  return pattern.match(filter).captured(1);
}

QStringList pictureFilters() {
  return {ShareMenu::tr("Picture (*.png)"), ShareMenu::tr("Vector picture (*.svg)")};
}

}  // namespace

ShareMenu::ShareMenu(RunSession* session, Dashboard* dashboard, QWidget* parent)
    : QMenu(tr("&Share"), parent), session_(session), dashboard_(dashboard) {
  addAction(tr("Save the dashboard as a picture …"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, this,
            [this] { savePicture(tr("Save the dashboard"), dashboard_->sheet(), tr("dashboard")); });
  QMenu* pictures = addMenu(tr("Save a chart as a picture"));
  connect(pictures, &QMenu::aboutToShow, this,
          [this, pictures] { fill(pictures, &ShareMenu::savePictureOf); });
  addAction(tr("Copy the dashboard"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, this, [this] {
    QGuiApplication::clipboard()->setPixmap(dashboard_->sheet()->grab());
    Q_EMIT said(tr("The dashboard is on the clipboard."));
  });
  addSeparator();
  addAction(tr("Save the data of all charts …"), Qt::CTRL | Qt::Key_E, this,
            [this] { saveData(dashboard_->series(), tr("data")); });
  QMenu* data = addMenu(tr("Save the data of a chart"));
  connect(data, &QMenu::aboutToShow, this, [this, data] { fill(data, &ShareMenu::saveDataOf); });
  addSeparator();
  addAction(tr("Save a report …"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, this, &ShareMenu::saveReport);
  connect(dashboard_, &Dashboard::menuRequested, this, [this](QMenu* menu, ChartCard* card) {
    menu->addSeparator();
    menu->addAction(tr("Save the chart as a picture …"), card, [this, card] { savePictureOf(card); });
    menu->addAction(tr("Save its data …"), card, [this, card] { saveDataOf(card); });
  });
  const auto enable = [this] {
    for (QAction* action : actions()) action->setEnabled(session_->isOpen());
  };
  connect(session_, &RunSession::opened, this, enable);
  enable();
}

void ShareMenu::addFigures(const QString& title, const std::vector<FigureCard*>& figures,
                           std::function<void()> draw) {
  figures_ = figures;
  drawFigures_ = std::move(draw);
  auto* menu = new QMenu(title, this);
  insertMenu(actions().back(), menu);
  for (FigureCard* card : figures_) {
    const auto save = [this, card] {
      ask(tr("Save the chart"), card->title(), pictureFilters(), [this, card](const QString& file) {
        drawFigures_();
        desktop::savePicture(card, file);
      });
    };
    menu->addAction(card->title(), this, save);
    card->addAction(tr("Save the chart as a picture …"), this, save);
    card->setContextMenuPolicy(Qt::ActionsContextMenu);
  }
  menu->menuAction()->setEnabled(session_->isOpen());
}

// An entry for each chart of the dashboard.
void ShareMenu::fill(QMenu* menu, void (ShareMenu::*save)(ChartCard*)) {
  menu->clear();
  for (ChartCard* card : dashboard_->cards())
    menu->addAction(card->plot()->spec().title, card, [this, card, save] { (this->*save)(card); });
}

void ShareMenu::savePictureOf(ChartCard* card) {
  savePicture(tr("Save the chart"), card, card->plot()->spec().title);
}

void ShareMenu::saveDataOf(ChartCard* card) {
  saveData(card->plot()->spec().series(), card->plot()->spec().title);
}

void ShareMenu::ask(const QString& title, const QString& what, const QStringList& filters,
                    std::function<void(const QString&)> save) {
  auto* dialog = new QFileDialog(parentWidget(), title,
                                 QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setFileMode(QFileDialog::AnyFile);
  dialog->setNameFilters(filters);
  dialog->setDefaultSuffix(suffixOf(filters.first()));
  connect(dialog, &QFileDialog::filterSelected, dialog,
          [dialog](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
  dialog->selectFile(fileName(QString::fromStdString(session_->run().name) + QLatin1Char('-') + what));
  connect(dialog, &QFileDialog::fileSelected, this, [this, save = std::move(save)](const QString& file) {
    try {
      save(file);
      Q_EMIT said(tr("Saved %1").arg(file));
    } catch (const Error& error) {
      Q_EMIT said(QString::fromUtf8(error.what()));
    }
  });
  dialog->open();
}

void ShareMenu::savePicture(const QString& title, QWidget* widget, const QString& what) {
  ask(title, what, pictureFilters(), [widget = QPointer<QWidget>(widget)](const QString& file) {
    if (!widget) throw Error(ErrorKind::not_found, "the chart is not on the dashboard any more");
    desktop::savePicture(widget, file);
  });
}

void ShareMenu::saveData(const std::set<std::string>& series, const QString& what) {
  ask(tr("Save the data"), what, {tr("Comma-separated values (*.csv)"), tr("JSON (*.json)")},
      [this, series](const QString& file) {
        const common::SampleTable table =
            readSamples(protocol::run_paths(session_->run().id).samples, series);
        const bool isJson = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
        saveFile(file, QByteArray::fromStdString(isJson ? toJson(table) : toCsv(table)));
      });
}

void ShareMenu::saveReport() {
  ask(tr("Save a report"), tr("report"), {tr("Web page (*.html)")}, [this](const QString& file) {
    drawFigures_();
    saveFile(file, reportHtml(*session_, dashboard_->cards(), figures_));
  });
}

}  // namespace batchscope::desktop
