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
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QWheelEvent>

#include "batchscope/protocol/error.h"
#include "look/segments.h"
#include "records/log_panel.h"
#include "runs/recipe_dialog.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window/shortcut_sheet.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestDialogs : public test::WindowTest {
  Q_OBJECT

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

 private Q_SLOTS:
  void initTestCase() { id_ = test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 50}); }

  void whatIsTypedIsWhatIsStarted() {
    RecipeDialog dialog({recipe()});
    dialog.show();
    auto* replicas = test::named<QSpinBox>(dialog, "Replicas");
    auto* epochs = test::named<QLineEdit>(dialog, "epochs");
    QVERIFY(replicas != nullptr && epochs != nullptr);
    QCOMPARE(replicas->value(), 3);
    QCOMPARE(epochs->text(), QStringLiteral("4"));
    epochs->selectAll();
    QTest::keyClicks(epochs, QStringLiteral("7"));
    test::named<QCheckBox>(dialog, "quick")->setFocus();
    QTest::keyClick(test::named<QCheckBox>(dialog, "quick"), Qt::Key_Space);
    QCOMPARE(dialog.command(), QStringLiteral("batchscope run toy --replicas 3 -- --epochs 7 --quick"));
    QCOMPARE(test::named<QLineEdit>(dialog, "The same in a terminal")->text(), dialog.command());
    const protocol::RunSpec spec = dialog.spec();
    QCOMPARE(spec.replicas, 3);
    QCOMPARE(spec.arguments, (std::vector<std::string>{"--epochs", "7", "--quick"}));
  }

  void aRunIsPutIntoTheQueue() {
    RecipeDialog dialog({recipe()}, {.devices = 4, .runs = {{"abcd1234", "the one before"}}});
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    auto* segments = dialog.findChild<Segments*>();
    auto *fewest = test::named<QSpinBox>(dialog, "Fewest replicas"),
         *most = test::named<QSpinBox>(dialog, "Most replicas");
    QVERIFY(!dialog.isQueued() && !fewest->isVisible());
    QTest::mouseClick(segments->at(1), Qt::LeftButton);
    QVERIFY(dialog.isQueued() && fewest->isVisible());
    QVERIFY(!test::named<QSpinBox>(dialog, "Replicas")->isVisible());
    QCOMPARE(start->text(), QStringLiteral("Add to the queue"));
    QCOMPARE(dialog.command(), QStringLiteral("batchscope submit toy --replicas 1-4 -- --epochs 4"));
    QCOMPARE(*dialog.spec().auto_replicas, (protocol::AutoReplicas{1, 4}));
    fewest->setValue(5);  // and with it the most
    QCOMPARE(most->value(), 5);
    QVERIFY(!dialog.spec().auto_replicas.has_value());
    QCOMPARE(dialog.spec().replicas, 5);
    most->setValue(2);

    auto* priority = test::named<QSpinBox>(dialog, "Priority");
    QVERIFY(!priority->isVisible());
    for (auto* fold : dialog.findChildren<QToolButton*>()) fold->click();
    QVERIFY(priority->isVisible());
    QWheelEvent turn({5, 5}, priority->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, {},
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(priority, &turn);
    QCOMPARE(priority->value(), 0);
    priority->setFocus();
    QTest::keyClick(priority, Qt::Key_Up);
    auto* after = test::named<QComboBox>(dialog, "After");
    QCOMPARE(after->itemText(1), QStringLiteral("the one before (abcd1234)"));
    after->setFocus();
    QTest::keyClick(after, Qt::Key_Down);
    for (auto* box : dialog.findChildren<QCheckBox*>())
      if (box->text().startsWith(QStringLiteral("Hold")) || box->text().startsWith(QStringLiteral("Pin")))
        box->click();
    const pool::JobOptions options = dialog.jobOptions();
    QVERIFY(options.pin && options.held);
    QCOMPARE(options.priority, 1);
    QCOMPARE(options.after, std::string("abcd1234"));
    QCOMPARE(
        dialog.command(),
        QStringLiteral("batchscope submit toy --replicas 2 --priority 1 --after abcd1234 --hold --pin -- "
                       "--epochs 4"));
    QTRY_COMPARE(test::fault(dialog), QString());
    test::keepPicture(dialog, QStringLiteral("dialog-queue"));
    dialog.setQueued(false);
    QCOMPARE(dialog.command(), QStringLiteral("batchscope run toy --replicas 3 -- --epochs 4"));
  }

  void whatARecipeRefusesCannotBeStarted() {
    RecipeDialog dialog({recipe()});
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    auto* complaint = dialog.findChild<QLabel*>(QStringLiteral("complaint"));
    auto* epochs = test::named<QLineEdit>(dialog, "epochs");
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
    showWindow();
    QTest::keyClick(window_.get(), Qt::Key_F1);
    const QPointer<ShortcutSheet> sheet = window_->findChild<ShortcutSheet*>();
    QVERIFY(sheet != nullptr && sheet->isVisible());
    QStringList keys;
    for (const QLabel* label : sheet->findChildren<QLabel*>(QStringLiteral("keys"))) keys << label->text();
    for (const QAction* action : window_->findChildren<QAction*>()) {
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
    RunSession session(&watcher_);
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
};

BATCHSCOPE_TEST(TestDialogs)
#include "test_dialogs.moc"
