// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/share_menu.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QStandardPaths>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "chart/dashboard.h"
#include "figure/figure.h"
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

void ShareMenu::addFigures(const std::vector<FigureCard*>& figures, std::function<void()> draw) {
  figures_ = figures;
  drawFigures_ = std::move(draw);
  const auto add = [this, before = actions().back()](const QString& title) {
    auto* menu = new QMenu(title, this);
    insertMenu(before, menu)->setEnabled(session_->isOpen());
    return menu;
  };
  QMenu* pictures = add(tr("Save why it scaled as a picture"));
  QMenu* data = add(tr("Save the data of why it scaled"));
  for (FigureCard* card : figures_) {
    const auto savePicture = [this, card] { savePictureOfFigure(card); };
    const auto saveData = [this, card] { saveDataOfFigure(card); };
    pictures->addAction(card->title(), this, savePicture);
    data->addAction(card->title(), this, saveData);
    card->addAction(tr("Save the chart as a picture …"), this, savePicture);
    card->addAction(tr("Save its data …"), this, saveData);
    card->setContextMenuPolicy(Qt::ActionsContextMenu);
  }
}

void ShareMenu::savePictureOfFigure(FigureCard* card) {
  drawFigures_();
  savePicture(tr("Save the chart"), card, card->title());
}

void ShareMenu::saveDataOfFigure(FigureCard* card) {
  drawFigures_();
  const FigureData& data = card->figure()->data();
  if (data.isEmpty()) {
    Q_EMIT said(data.missing);
    return;
  }
  ask(tr("Save the data"), card->title(), {tr("Comma-separated values (*.csv)")},
      [text = toCsv(data.table)](const QString& file) { saveFile(file, QByteArray::fromStdString(text)); });
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
  ask(title, what, pictureFilters(),
      [picture = Picture(widget)](const QString& file) { desktop::savePicture(picture, file); });
}

void ShareMenu::saveData(const std::set<std::string>& series, const QString& what) {
  ask(tr("Save the data"), what, {tr("Comma-separated values (*.csv)"), tr("JSON (*.json)")},
      [series, samples = protocol::run_paths(session_->run().id).samples](const QString& file) {
        const common::SampleTable table = readSamples(samples, series);
        const bool isJson = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
        saveFile(file, QByteArray::fromStdString(isJson ? toJson(table) : toCsv(table)));
      });
}

void ShareMenu::saveReport() {
  drawFigures_();
  QByteArray html;
  try {
    html = reportHtml(*session_, dashboard_->cards(), figures_);
  } catch (const Error& error) {
    Q_EMIT said(QString::fromUtf8(error.what()));
    return;
  }
  ask(tr("Save a report"), tr("report"), {tr("Web page (*.html)")},
      [html](const QString& file) { saveFile(file, html); });
}

}  // namespace batchscope::desktop
