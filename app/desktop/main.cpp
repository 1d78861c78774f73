// SPDX-License-Identifier: GPL-3.0-or-later
//
// batchscope-desktop: the window.
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QIcon>
#include <QLocale>
#include <QRegularExpression>
#include <QScreen>
#include <QSettings>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "batchscope/common/language.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "look/theme.h"
#include "session/catalogue_watcher.h"
#include "share/picture_export.h"
#include "tools/grab.h"
#include "window/main_window.h"
#include "window/single_instance.h"

namespace batchscope::desktop {
namespace {

bool asksFor(int argc, char** argv, std::initializer_list<std::string_view> options) {
  return std::any_of(argv + 1, argv + argc, [&](std::string_view argument) {
    return std::ranges::any_of(options,
                               [&](std::string_view option) { return argument.starts_with(option); });
  });
}

// Pictures and texts need no display; a window does, and Qt would abort without saying how to go on.
bool chooseDisplay(int argc, char** argv) {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  if (asksFor(argc, argv, {"--grab", "--report", "--help", "-h", "--version", "-v"})) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    return true;
  }
  if (qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")) return true;
  std::fprintf(
      stderr,
      "batchscope-desktop: there is no display here. Watch runs in the terminal with `batchscope ls` and "
      "`batchscope show latest`, or draw the window with `batchscope-desktop --grab FILE.png`.\n");
  return false;
}

Theme::Mode themeFrom(const QString& text) {
  if (text.isEmpty())
    return static_cast<Theme::Mode>(QSettings().value(QStringLiteral("window/theme"), 0).toInt());
  if (text == QLatin1String("light")) return Theme::Mode::Light;
  if (text == QLatin1String("dark")) return Theme::Mode::Dark;
  throw Error(ErrorKind::usage,
              tr("--theme: \"%1\" is not a theme: use light or dark").arg(text).toStdString());
}

// Qt's words in the help and in errors, which the translators of the interface translate, too.
[[maybe_unused]] constexpr const char* kWordsOfQt[] = {
    QT_TR_NOOP("Usage: %1"),
    QT_TR_NOOP("[options]"),
    QT_TR_NOOP("Options:"),
    QT_TR_NOOP("Arguments:"),
    QT_TR_NOOP("Displays help on commandline options."),
    QT_TR_NOOP("Displays help including Qt specific options."),
    QT_TR_NOOP("Displays version information."),
    QT_TR_NOOP("Unknown option '%1'."),
    QT_TR_NOOP("Unknown options: %1."),
    QT_TR_NOOP("Missing value after '%1'."),
    QT_TR_NOOP("Unexpected value after '%1'.")};

constexpr int kTitleBar = 40;  // about what a window manager adds above

QSize sizeFrom(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
  const auto match = form.match(text);
  if (!match.hasMatch()) {
    throw Error(ErrorKind::usage,
                tr("--size: \"%1\" is not a size: write it as 1440x900").arg(text).toStdString());
  }
  return {match.captured(1).toInt(), match.captured(2).toInt()};
}

void fulfil(const WindowRequest& asked, MainWindow& window) {
  if (!asked.run.isEmpty()) window.openRun(asked.run.toStdString());
  if (!asked.file.isEmpty()) window.importRuns({asked.file});
  if (asked.demo) window.startDemo(asked.demoArguments);
}

int run(QApplication& app) {
  common::chooseLanguage();
  QCommandLineParser parser;
  parser.setApplicationDescription(
      tr("The window of BatchScope: watches elastic training and restarts it on other numbers of replicas.\n"
         "Without options it shows the newest active run. Closing it never stops training."));
  const QCommandLineOption help = parser.addHelpOption();
  const QCommandLineOption version = parser.addVersionOption();
  const auto add = [&parser](const char* name, const QString& description, const char* value = "") {
    const QCommandLineOption option(QString::fromLatin1(name), description, QString::fromLatin1(value));
    parser.addOption(option);
    return option;
  };
  const auto runOption = add("run", tr("Show this run: a prefix of its id or name, or latest."), "RUN");
  const auto demo = add(
      "demo",
      tr("Start the demo run on two replicas unless it is active; arguments after -- go to its program."));
  const auto grab = add("grab", tr("Draw the window into a picture and exit; needs no display."), "FILE.png");
  const auto report =
      add("report", tr("Write a report of the run, a web page of one file, and exit; needs no display."),
          "FILE.html");
  const auto size = add("size", tr("Size of the window; default: 1440x900."), "WxH");
  const auto theme = add("theme", tr("light or dark; default: as chosen last, or as the system."), "NAME");
  const auto another =
      add("new-window",
          tr("Open another window even if one is open; without this, the open window shows the run."));
  parser.addPositionalArgument(QStringLiteral("FILE"),
                               tr("Import this exported run, as batchscope import does, and show it."),
                               QStringLiteral("[FILE]"));
  if (!parser.parse(QApplication::arguments()))
    throw Error(ErrorKind::usage, parser.errorText().toStdString());
  QStringList files = parser.isSet(demo) ? QStringList() : parser.positionalArguments();
  const qsizetype most = parser.isSet(grab) || parser.isSet(report) ? 0 : 1;
  if (files.size() > most) {
    throw Error(
        ErrorKind::usage,
        tr("unexpected argument \"%1\"; see batchscope-desktop --help").arg(files[most]).toStdString());
  }
  for (QString& file : files) {
    if (!QFileInfo(file).isFile())
      throw Error(ErrorKind::not_found, tr("there is no file %1").arg(file).toStdString());
    file = QFileInfo(file).absoluteFilePath();
  }
  if (parser.isSet(help)) {
    std::printf("%s", qPrintable(parser.helpText()));
    return kExitOk;
  }
  if (parser.isSet(version)) {
    std::printf("batchscope-desktop %s\n", qPrintable(QApplication::applicationVersion()));
    return kExitOk;
  }

  applyTheme(themeFrom(parser.value(theme)),
             QSettings().value(QStringLiteral("window/colour-blind"), false).toBool());
  CatalogueWatcher watcher(protocol::catalogue_path());
  std::string id;
  if (parser.isSet(runOption)) id = watcher.catalogue().resolve(parser.value(runOption).toStdString()).id;

  if (parser.isSet(report)) {
    saveFile(parser.value(report), reportOf(&watcher, id));
    return kExitOk;
  }
  if (parser.isSet(grab)) {
    const QSize extent = parser.isSet(size) ? sizeFrom(parser.value(size)) : QSize(1440, 900);
    const QString file = parser.value(grab);
    if (!grabWindow(&watcher, id, extent).save(file)) {
      throw Error(ErrorKind::io, tr("cannot write the picture %1: check that its folder can be written, and "
                                    "that the name ends in .png or .jpg")
                                     .arg(file)
                                     .toStdString());
    }
    return kExitOk;
  }
  SingleInstance instance(protocol::catalogue_path());
  WindowRequest request;
  request.run = QString::fromStdString(id);
  if (!files.isEmpty()) request.file = files.first();
  request.demo = parser.isSet(demo);
  request.demoArguments = parser.positionalArguments();
  if (!parser.isSet(another) && instance.handOver(request)) {
    std::printf("batchscope-desktop: %s\n",
                qPrintable(tr("the window that is open shows this; --new-window opens another")));
    return kExitOk;
  }
  MainWindow window(&watcher);
  QObject::connect(&instance, &SingleInstance::requested, &window, [&window](const WindowRequest& asked) {
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.raise();
    window.activateWindow();
    fulfil(asked, window);
  });
  if (parser.isSet(size)) window.resize(sizeFrom(parser.value(size)));
  fulfil(request, window);
  // A screen that is too small for the window is filled by it.
  const QSize fitting = window.size().boundedTo(window.screen()->availableSize() - QSize(0, kTitleBar));
  if (fitting != window.size()) {
    window.resize(fitting);
    window.setWindowState(window.windowState() | Qt::WindowMaximized);
  }
  window.show();
  return app.exec();
}

}  // namespace
}  // namespace batchscope::desktop

int main(int argc, char** argv) {
  using namespace batchscope;
  if (!desktop::chooseDisplay(argc, argv)) return kExitFailure;
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("batchscope"));
  QApplication::setOrganizationName(QStringLiteral("batchscope"));
  QApplication::setApplicationDisplayName(QStringLiteral("BatchScope"));
  QApplication::setApplicationVersion(QStringLiteral(BATCHSCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("org.batchscope.BatchScope"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/batchscope.svg")));
  // The C locale groups no thousands.
  if (QLocale::system().language() == QLocale::C) QLocale::setDefault(QLocale(QLocale::English));
  try {
    return desktop::run(app);
  } catch (const Error& error) {
    std::fprintf(stderr, "batchscope-desktop: %s\n", error.what());
    return exit_code(error.kind());
  }
}
