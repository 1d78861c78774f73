// SPDX-License-Identifier: GPL-3.0-or-later
#include "share/report.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QLocale>

#include "chart/chart_card.h"
#include "look/format.h"
#include "look/status_text.h"
#include "look/theme.h"
#include "session/run_session.h"
#include "share/picture_export.h"

namespace batchscope::desktop {
namespace {

constexpr std::size_t kMostEvents = 500;  // the newest

QString tr(const char* text) { return QCoreApplication::translate("Report", text); }

QString escaped(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

QString fact(const QString& name, const QString& value) {
  return QStringLiteral("<div><dt>%1</dt><dd>%2</dd></div>\n")
      .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

// A table of cells that are HTML already; names that begin with > are of columns of numbers.
class Table {
 public:
  explicit Table(const QStringList& names) {
    html_ = QStringLiteral("<table>\n<tr>");
    for (const QString& name : names) {
      numbers_.push_back(name.startsWith(QLatin1Char('>')));
      html_ += QStringLiteral("<th%1>%2</th>")
                   .arg(cellClass(numbers_.back()), numbers_.back() ? name.mid(1) : name);
    }
    html_ += QStringLiteral("</tr>\n");
  }

  void add(const QStringList& cells, const std::string& rowClass = {}) {
    html_ += rowClass.empty() ? QStringLiteral("<tr>")
                              : QStringLiteral("<tr class=\"%1\">").arg(escaped(rowClass));
    for (qsizetype i = 0; i < cells.size(); ++i)
      html_ +=
          QStringLiteral("<td%1>%2</td>").arg(cellClass(numbers_[static_cast<std::size_t>(i)]), cells[i]);
    html_ += QStringLiteral("</tr>\n");
  }

  QString html() const { return html_ + QStringLiteral("</table>\n"); }

 private:
  static QString cellClass(bool isNumber) {
    return isNumber ? QStringLiteral(" class=\"number\"") : QString();
  }

  QString html_;
  std::vector<bool> numbers_;
};

QString heading(const QString& text) { return QStringLiteral("<h2>%1</h2>\n").arg(text.toHtmlEscaped()); }

QString factsOf(const RunSession& session) {
  const storage::Run& run = session.run();
  const protocol::RunStatus& status = session.status();
  QStringList command{QString::fromStdString(run.spec.program)};
  for (const std::string& argument : run.spec.arguments) command << QString::fromStdString(argument);
  QString html = QStringLiteral("<dl class=\"facts\">\n");
  html += fact(tr("Run"), QString::fromStdString(run.id));
  html +=
      fact(tr("Started"), QLocale().toString(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(run.created)),
                                             QStringLiteral("d MMM yyyy HH:mm")));
  html += fact(tr("Trained"), formatDuration(status.elapsed));
  html += fact(tr("Progress"), describeEpoch(status));
  html += fact(tr("Iterations"), formatCount(run.step));
  html += fact(tr("Replicas"), formatCount(run.replicas));
  for (const auto& [series, label] :
       {std::pair("loss", tr("Loss")), std::pair("accuracy", tr("Accuracy")),
        std::pair("batch_size", tr("Batch size")), std::pair("goodput", tr("Goodput, samples/s"))}) {
    if (const auto value = run.latest.find(series); value != run.latest.end())
      html += fact(label, formatNumber(value->second));
  }
  html += fact(tr("Command"), command.join(QLatin1Char(' ')));
  return html + QStringLiteral("</dl>\n");
}

// Without the XML declaration, which has no place within HTML.
QString figureOf(ChartCard* card) {
  const QString svg = QString::fromUtf8(svgOf(card));
  return QStringLiteral("<figure>") + svg.mid(svg.indexOf(QLatin1String("<svg"))) +
         QStringLiteral("</figure>\n");
}

QString restartsOf(const RunSession& session) {
  Table table({tr(">Generation"), tr(">Replicas"), tr("Began with"), tr(">Iterations"), tr(">Pause"),
               tr("Of which"), tr("Outcome")});
  for (const storage::Generation& generation : session.generations()) {
    QStringList parts;
    for (const auto& [part, seconds] : generation.pause_parts)
      parts << QStringLiteral("%1 %2").arg(escaped(part), formatPause(seconds));
    table.add(
        {formatCount(generation.number), formatCount(generation.replicas), escaped(generation.reason),
         QStringLiteral("%1 – %2").arg(formatCount(generation.first_step), formatCount(generation.last_step)),
         generation.pause >= 0 ? formatPause(generation.pause) : QStringLiteral("–"),
         parts.join(QStringLiteral(", ")), escaped(generation.outcome)});
  }
  return heading(tr("Restarts")) + table.html();
}

QString checkpointsOf(const std::vector<storage::Checkpoint>& checkpoints) {
  if (checkpoints.empty()) return {};
  Table table({tr("Checkpoint"), tr(">Iteration"), tr(">Epoch"), tr(">Size"), tr(">Took"), tr("Reason")});
  for (const storage::Checkpoint& checkpoint : checkpoints) {
    table.add({escaped(checkpoint.name), formatCount(checkpoint.step), formatCount(checkpoint.epoch),
               formatBytes(checkpoint.bytes), formatPause(checkpoint.seconds), escaped(checkpoint.reason)});
  }
  return heading(tr("Checkpoints")) + table.html();
}

QString hyperparametersOf(const std::map<std::string, std::string>& values) {
  if (values.empty()) return {};
  Table table({tr("Hyperparameter"), tr("Value")});
  for (const auto& [name, value] : values) table.add({escaped(name), escaped(value)});
  return heading(tr("Hyperparameters")) + table.html();
}

QString eventsOf(const std::vector<storage::Event>& events, double start) {
  if (events.empty()) return {};
  Table table({tr(">Time"), tr(">Iteration"), tr("Event")});
  const std::size_t first = events.size() > kMostEvents ? events.size() - kMostEvents : 0;
  for (std::size_t i = first; i < events.size(); ++i) {
    table.add({formatClock(events[i].time - start), formatCount(events[i].step), escaped(events[i].text)},
              events[i].level);
  }
  return heading(tr("Events")) + table.html();
}

QString styleOf(const Theme& theme) {
  QFile file(QStringLiteral(":/report/report.css"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("the report's style is not compiled in");
  return theme.styleSheet(QString::fromUtf8(file.readAll()));
}

}  // namespace

QByteArray reportHtml(RunSession& session, const std::vector<ChartCard*>& charts) {
  const storage::Run& run = session.run();
  const StatusText words = describe(session.status());
  const QString name = escaped(run.name);
  QString html = QStringLiteral(
                     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<title>%1 – BatchScope</title>\n<style>\n%2</style>\n</head>\n<body>\n<main>\n")
                     .arg(name, styleOf(Theme::current()));
  html += QStringLiteral("<header><h1>%1</h1><span class=\"chip %2\">%3</span>")
              .arg(name, words.tone, words.text.toHtmlEscaped());
  if (!run.note.empty()) html += QStringLiteral("<p class=\"note\">%1</p>").arg(escaped(run.note));
  if (!run.message.empty()) html += QStringLiteral("<p class=\"note\">%1</p>").arg(escaped(run.message));
  html += QStringLiteral("</header>\n");
  html += factsOf(session);
  html += QStringLiteral("<section class=\"charts\">\n");
  for (ChartCard* card : charts) html += figureOf(card);
  html += QStringLiteral("</section>\n");
  storage::Catalogue& catalogue = session.catalogue();
  html += restartsOf(session);
  html += checkpointsOf(catalogue.checkpoints(run.id));
  html += hyperparametersOf(catalogue.hyperparameters(run.id));
  html += eventsOf(catalogue.events(run.id), session.started());
  html += QStringLiteral("<footer>%1</footer>\n</main>\n</body>\n</html>\n")
              .arg(tr("Made by BatchScope %1. The same as numbers: batchscope show %2 --json")
                       .arg(QCoreApplication::applicationVersion(), QString::fromStdString(run.id))
                       .toHtmlEscaped());
  return html.toUtf8();
}

}  // namespace batchscope::desktop
