// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dialogs and the log, as a person uses them: what is typed into the recipe dialog is what is started,
// and nothing that its recipe refuses; the shortcut sheet lists every key of the menus once; the log follows
// its file.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "chart/view_state.h"
#include "records/log_panel.h"
#include "runs/recipe_dialog.h"
#include "session/catalogue_watcher.h"
#include "session/run_session.h"
#include "synthetic_run.h"
#include "temporary_store.h"
#include "test_case.h"
#include "window/main_window.h"
#include "window/shortcut_sheet.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestDialogs : public QObject {
  Q_OBJECT

  test::TemporaryStore store_;
  std::unique_ptr<storage::Catalogue> catalogue_;
  std::unique_ptr<CatalogueWatcher> watcher_;
  std::string id_;

  run::Recipe recipe() const {
    const QString file = store_.path(QStringLiteral("recipe.toml"));
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(file));
    out.write(
        "name = \"toy\"\ntitle = \"A toy\"\ndescription = \"Does nothing.\"\nprogram = "
        "\"/bin/true\"\nreplicas = 3\n"
        "[[parameter]]\nname = \"epochs\"\ntype = \"integer\"\ndefault = 4\nmin = 1\nmax = 9\nhelp = "
        "\"Passes\"\n"
        "[[parameter]]\nname = \"quick\"\ntype = \"flag\"\ndefault = false\n");
    out.close();
    return run::Recipe::load(file.toStdString());
  }

  template <typename Field>
  static Field* field(const QWidget& dialog, const char* name) {
    for (Field* found : dialog.findChildren<Field*>()) {
      if (found->accessibleName() == QLatin1String(name)) return found;
    }
    return nullptr;
  }

 private Q_SLOTS:
  void initTestCase() {
    catalogue_ = std::make_unique<storage::Catalogue>(protocol::catalogue_path());
    test::SyntheticOptions options;
    options.stepsPerGeneration = 50;
    options.lostSteps = 5;
    id_ = test::writeSyntheticRun(*catalogue_, options);
    watcher_ = std::make_unique<CatalogueWatcher>(protocol::catalogue_path());
  }

  void whatIsTypedIsWhatIsStarted() {
    RecipeDialog dialog({recipe()});
    dialog.show();
    auto* replicas = field<QSpinBox>(dialog, "Replicas");
    auto* epochs = field<QLineEdit>(dialog, "epochs");
    QVERIFY(replicas != nullptr && epochs != nullptr);
    QCOMPARE(replicas->value(), 3);
    QCOMPARE(epochs->text(), QStringLiteral("4"));
    epochs->selectAll();
    QTest::keyClicks(epochs, QStringLiteral("7"));
    field<QCheckBox>(dialog, "quick")->setFocus();
    QTest::keyClick(field<QCheckBox>(dialog, "quick"), Qt::Key_Space);
    QCOMPARE(dialog.command(), QStringLiteral("batchscope run toy --replicas 3 -- --epochs 7 --quick"));
    QCOMPARE(field<QLineEdit>(dialog, "The same in a terminal")->text(), dialog.command());
    const protocol::RunSpec spec = dialog.spec();
    QCOMPARE(spec.replicas, 3);
    QCOMPARE(spec.arguments, (std::vector<std::string>{"--epochs", "7", "--quick"}));
  }

  void whatARecipeRefusesCannotBeStarted() {
    RecipeDialog dialog({recipe()});
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    auto* complaint = dialog.findChild<QLabel*>(QStringLiteral("complaint"));
    auto* epochs = field<QLineEdit>(dialog, "epochs");
    QVERIFY(start->isEnabled() && !complaint->isVisible());
    epochs->selectAll();
    QTest::keyClicks(epochs, QStringLiteral("70"));
    QVERIFY(!start->isEnabled());
    QVERIFY2(complaint->isVisible() && complaint->text().startsWith(QStringLiteral("epochs: ")),
             qPrintable(complaint->text()));
    QTest::keyClick(epochs, Qt::Key_Backspace);
    QVERIFY(start->isEnabled() && !complaint->isVisible());
  }

  void aProgramThatIsNotBuiltIsNamed() {
    run::Recipe unbuilt = recipe();
    unbuilt.program = "not-built-here";
    RecipeDialog dialog({unbuilt});
    dialog.show();
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("primary"))->isEnabled());
    const auto* complaint = dialog.findChild<QLabel*>(QStringLiteral("complaint"));
    QVERIFY2(complaint->isVisible() && complaint->text().contains(QStringLiteral("not-built-here")),
             qPrintable(complaint->text()));
  }

  void theSheetListsEveryKeyOnce() {
    MainWindow window(watcher_.get(), false);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F1);
    const QPointer<ShortcutSheet> sheet = window.findChild<ShortcutSheet*>();
    QVERIFY(sheet != nullptr && sheet->isVisible());
    QStringList keys;
    for (const QLabel* label : sheet->findChildren<QLabel*>(QStringLiteral("keys"))) keys << label->text();
    for (const QAction* action : window.findChildren<QAction*>()) {
      if (action->shortcut().isEmpty()) continue;
      QCOMPARE(keys.count(action->shortcut().toString(QKeySequence::NativeText)), 1);
    }
    QVERIFY2(sheet->width() <= 1280, qPrintable(QString::number(sheet->width())));
    sheet->close();
    QTRY_VERIFY(sheet.isNull());
  }

  void theLogFollowsTheNewestGeneration() {
    const QDir logs(QString::fromStdString(protocol::run_paths(id_).logs.string()));
    const auto write = [&](const char* name, const char* text) {
      QFile file(logs.filePath(QLatin1String(name)));
      if (!file.open(QIODevice::Append)) qFatal("cannot write %s", name);
      file.write(text);
    };
    write("g0-r0.log", "first generation\n");
    RunSession session(watcher_.get());
    ViewState view;
    LogPanel panel(&session, &view);
    panel.resize(400, 200);
    panel.show();
    session.open(id_);
    auto* text = panel.findChild<QPlainTextEdit*>();
    auto* files = panel.findChild<QComboBox*>();
    QTRY_COMPARE(text->toPlainText(), QStringLiteral("first generation"));
    write("g0-r0.log", "second line\nunfinished");
    QTRY_COMPARE(text->toPlainText(), QStringLiteral("first generation\nsecond line"));
    write("g1-r0.log", "restarted\n");
    write("g1-r1.log", "restarted too\n");
    QTRY_COMPARE(files->currentText(), QStringLiteral("Replica 0, generation 1"));
    QTRY_COMPARE(text->toPlainText(), QStringLiteral("restarted"));
    files->setFocus();
    QTest::keyClick(files, Qt::Key_Down);
    QTRY_COMPARE(text->toPlainText(), QStringLiteral("restarted too"));
  }

  void cleanupTestCase() {
    watcher_.reset();
    catalogue_.reset();
  }
};

BATCHSCOPE_TEST(TestDialogs)
#include "test_dialogs.moc"
