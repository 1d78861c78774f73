// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/report.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QLocale>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/translate.h"
#include "chart/chart_card.h"
#include "figure/figure.h"
#include "figure/figure_card.h"
#include "look/theme.h"
#include "session/run_session.h"
#include "session/shell_words.h"
#include "share/picture_export.h"

namespace batchscope::desktop {
namespace {

constexpr std::size_t kMostEvents = 500;  // the newest

QString text(const std::string& text) { return QString::fromStdString(text); }

struct Row {
  QStringList cells;
  QString cssClass = {};
};

// HTML that is XML too: every element is closed, and what is text is escaped.
class ReportPage {
 public:
  ReportPage() : xml_(&html_) {
    xml_.setAutoFormatting(true);
    xml_.setAutoFormattingIndent(0);
    xml_.writeDTD(QStringLiteral("<!DOCTYPE html>"));
  }

  using Attributes = std::initializer_list<std::pair<const char*, QString>>;

  void begin(const char* element, Attributes attributes = {}) {
    xml_.writeStartElement(QLatin1String(element));
    for (const auto& [name, value] : attributes)
      if (!value.isEmpty()) xml_.writeAttribute(QLatin1String(name), value);
  }
  void end() { xml_.writeEndElement(); }

  void add(const char* element, const QString& text, const QString& cssClass = {}) {
    begin(element, {{"class", cssClass}});
    xml_.writeCharacters(text);
    end();
  }

  void addText(const QString& text) { xml_.writeCharacters(text); }

  void addFact(const QString& name, const QString& value) {
    begin("div");
    add("dt", name);
    add("dd", value);
    end();
  }

  // A row of each record. Names that begin with > are of columns of numbers.
  template <class Records, class RowOf>
  void addTable(const QString& title, const QStringList& names, const Records& records, RowOf rowOf) {
    if (records.empty()) return;
    const auto cssClass = [&](qsizetype column) {
      return names[column].startsWith(QLatin1Char('>')) ? QStringLiteral("number") : QString();
    };
    add("h2", title);
    begin("div", {{"class", QStringLiteral("scroll")}});
    begin("table");
    begin("tr");
    for (qsizetype i = 0; i < names.size(); ++i) add("th", QString(names[i]).remove('>'), cssClass(i));
    end();
    for (const auto& record : records) {
      const Row row = rowOf(record);
      begin("tr", {{"class", row.cssClass}});
      for (qsizetype i = 0; i < names.size(); ++i) add("td", row.cells[i], cssClass(i));
      end();
    }
    end();
    end();
  }

  void addFigure(const QByteArray& svg) {
    begin("figure");
    QXmlStreamReader reader(svg);
    reader.setNamespaceProcessing(false);
    while (!reader.atEnd()) {
      reader.readNext();
      if (!reader.isStartDocument() && !reader.isDTD() && !reader.isEndDocument())
        xml_.writeCurrentToken(reader);
    }
    end();
  }

  QByteArray html() const { return html_.trimmed() + '\n'; }

 private:
  QByteArray html_;
  QXmlStreamWriter xml_;
};

// The colours and the records' look of the page of `batchscope serve`, then what is the report's own.
QString style() {
  QString sheets;
  for (const char* name : {"tokens", "records", "report"}) {
    QFile file(QStringLiteral(":/report/%1.css").arg(QLatin1String(name)));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the report's style is not compiled in");
    sheets += QString::fromUtf8(file.readAll());
  }
  return sheets;
}

void addFacts(ReportPage& page, RunSession& session) {
  const storage::Run& run = session.run();
  const protocol::RunStatus& status = session.status();
  page.begin("dl", {{"class", "facts"}});
  page.addFact(tr("Run"), text(run.id));
  page.addFact(tr("Started"),
               QLocale().toString(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(run.created)),
                                  QStringLiteral("d MMM yyyy HH:mm")));
  page.addFact(tr("Trained"), common::formatDuration(status.elapsed));
  page.addFact(tr("Progress"), common::describeEpoch(status));
  page.addFact(tr("Iterations"), common::formatCount(run.step));
  page.addFact(tr("Replicas"), common::formatCount(run.replicas));
  for (const auto& [series, label] : {std::pair("loss", tr("Loss")), std::pair("accuracy", tr("Accuracy")),
                                      std::pair("batch_size", tr("Batch size"))}) {
    if (const auto value = run.latest.find(series); value != run.latest.end())
      page.addFact(label, common::seriesText(series, value->second));
  }
  if (const auto& measured = session.measured(); measured && !std::isnan(measured->goodput))
    page.addFact(tr("Measured goodput"), tr("%1 samples/s").arg(common::formatNumber(measured->goodput)));
  const auto now =
      session.model() ? common::presentPoint(*session.model(), run.replicas, run.latest) : std::nullopt;
  if (now && now->goodput > 0)
    page.addFact(tr("Predicted goodput"), tr("%1 samples/s").arg(common::predictedText(now->goodput)));
  page.addFact(tr("Command"), commandOf(run.spec));
  page.end();
}

void addRecords(ReportPage& page, RunSession& session) {
  storage::Catalogue& catalogue = session.catalogue();
  const std::string& run = session.run().id;
  page.addTable(
      tr("Restarts"),
      {tr(">Generation"), tr(">Replicas"), tr("Reason"), tr(">Iterations"), tr(">Pause"),
       tr("Parts of the pause"), tr("Prediction"), tr("Outcome")},
      session.generations(), [](const storage::Generation& each) {
        return Row{{common::formatCount(each.number), common::formatCount(each.replicas), text(each.reason),
                    QStringLiteral("%1 – %2").arg(common::formatCount(each.first_step),
                                                  common::formatCount(each.last_step)),
                    each.pause >= 0 ? common::formatPause(each.pause) : QStringLiteral("–"),
                    common::describePause(each.pause_parts), common::forecastText(each, each.ended <= 0),
                    text(each.outcome)}};
      });
  page.addTable(
      tr("Checkpoints"),
      {tr("Checkpoint"), tr(">Iteration"), tr(">Epoch"), tr(">Size"), tr(">Took"), tr("Reason")},
      catalogue.checkpoints(run), [](const storage::Checkpoint& each) {
        return Row{{text(each.name), common::formatCount(each.step), common::formatCount(each.epoch),
                    common::formatBytes(each.bytes), common::formatPause(each.seconds), text(each.reason)}};
      });
  page.addTable(tr("Hyperparameters"), {tr("Hyperparameter"), tr("Value")}, catalogue.hyperparameters(run),
                [](const auto& each) {
                  return Row{{text(each.first), text(each.second)}};
                });
  const std::vector<storage::Event> events = catalogue.events(run);
  const auto newest = std::span(events).last(std::min(kMostEvents, events.size()));
  page.addTable(
      tr("Events"), {tr(">Time"), tr(">Iteration"), tr("Event")}, newest,
      [start = session.started()](const storage::Event& each) {
        return Row{{common::formatClock(each.time - start), common::formatCount(each.step), text(each.text)},
                   text(each.level)};
      });
}

}  // namespace

QByteArray reportHtml(RunSession& session, const std::vector<ChartCard*>& charts,
                      const std::vector<FigureCard*>& figures) {
  const storage::Run& run = session.run();
  const common::StatusText status = common::describe(session.status());
  const Theme& theme = Theme::current();  // the charts are drawn in it
  ReportPage page;
  page.begin("html", {{"lang", "en"},
                      {"data-scheme", theme.isDark ? QStringLiteral("dark") : QStringLiteral("light")},
                      {"data-palette", theme.isColourBlind ? QStringLiteral("colour-blind") : QString()}});
  page.begin("head");
  page.begin("meta", {{"charset", "utf-8"}});
  page.end();
  page.begin("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.end();
  page.add("title", tr("%1 – BatchScope").arg(text(run.name)));
  page.add("style", style());
  page.end();
  page.begin("body");
  page.begin("main");
  page.begin("header");
  page.add("h1", text(run.name));
  page.begin("span", {{"class", QStringLiteral("chip")}, {"data-tone", status.tone}});
  page.addText(status.text);
  page.end();
  for (const std::string& note : {run.note, run.message})
    if (!note.empty()) page.add("p", text(note), QStringLiteral("note"));
  page.end();
  addFacts(page, session);
  page.begin("section", {{"class", "charts"}});
  for (ChartCard* card : charts) page.addFigure(svgOf(card));
  page.end();
  page.add("h2", tr("Why it scaled"));
  page.begin("section", {{"class", "charts"}});
  for (FigureCard* card : figures)
    if (!card->figure()->data().isEmpty()) page.addFigure(svgOf(card));
  page.end();
  addRecords(page, session);
  page.add("footer", tr("Made by BatchScope %1. The numbers: batchscope show %2 --json")
                         .arg(QCoreApplication::applicationVersion(), text(run.id)));
  page.end();
  page.end();
  page.end();
  return page.html();
}

}  // namespace batchscope::desktop
