// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dialogs and the log, as a person uses them: what is typed into the recipe dialog is what is started,
// and nothing that its recipe refuses; the shortcut sheet lists every key of the menus once; the log follows
// its file.
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QWheelEvent>

#include "batchscope/protocol/error.h"
#include "look/segments.h"
#include "records/log_panel.h"
#include "rows.h"
#include "runs/fork_dialog.h"
#include "runs/new_run_dialog.h"
#include "test_case.h"
#include "thrown.h"
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
        "[[parameter]]\nname = \"most\"\ntype = \"integer\"\ndefault = 8\nat_least = \"epochs\"\n"
        "[[parameter]]\nname = \"quick\"\ntype = \"flag\"\ndefault = false\n");
    out.close();
    return run::Recipe::load(file.toStdString());
  }

  static QLineEdit* field(const QWidget& dialog, const char* name) {
    auto* found = test::named<QLineEdit>(dialog, name);
    if (found == nullptr) qFatal("there is no field %s", name);
    return found;
  }
  static void type(QLineEdit* field, const char* text) {
    field->setFocus();
    field->selectAll();
    QTest::keyClick(field, Qt::Key_Delete);
    QTest::keyClicks(field, QString::fromUtf8(text));
  }

 private Q_SLOTS:
  void initTestCase() { id_ = test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 50}); }

  void whatIsTypedIsWhatIsStarted() {
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 4});
    dialog.show();
    auto *replicas = field(dialog, "Replicas"), *epochs = field(dialog, "epochs");
    QCOMPARE(replicas->text(), QStringLiteral("3"));
    QCOMPARE(epochs->text(), QStringLiteral("4"));
    QCOMPARE(dialog.command(), QStringLiteral("batchscope run --recipe toy --replicas 3"));
    type(epochs, "7");
    test::named<QCheckBox>(dialog, "quick")->setFocus();
    QTest::keyClick(test::named<QCheckBox>(dialog, "quick"), Qt::Key_Space);
    type(field(dialog, "Name"), "a toy's run");
    type(field(dialog, "Group"), "toys");
    type(field(dialog, "Tags"), "best, paper");
    type(field(dialog, "Note"), "see $HOME");
    type(replicas, "1-4");
    test::named<QComboBox>(dialog, "Device")->setFocus();
    QTest::keyClick(test::named<QComboBox>(dialog, "Device"), Qt::Key_Down);
    QCOMPARE(
        dialog.command(),
        QStringLiteral("batchscope run --recipe toy --replicas auto:1-4 --name 'a toy'\\''s run' --group "
                       "toys --tag best --tag paper --note 'see $HOME' --device cpu --set epochs=7 --set "
                       "quick=true"));
    QCOMPARE(test::named<QLineEdit>(dialog, "The same in a terminal")->text(), dialog.command());
    QTest::mouseClick(test::named<QPushButton>(dialog, "Copy the command"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), dialog.command());
    const NewRun run = dialog.newRun();
    QCOMPARE(run.spec.name, std::string("a toy's run"));
    QCOMPARE(*run.spec.auto_replicas, (protocol::AutoReplicas{1, 4}));
    QCOMPARE(run.spec.replicas, 3);
    QCOMPARE(run.spec.group, std::string("toys"));
    QCOMPARE(run.spec.device, std::string("cpu"));
    QCOMPARE(run.spec.arguments, (std::vector<std::string>{"--epochs", "7", "--most", "8", "--quick"}));
    QCOMPARE(run.tags, (std::vector<std::string>{"best", "paper"}));
    QCOMPARE(run.note, std::string("see $HOME"));
    QVERIFY(!run.queued);
    QTest::qWait(100);  // until all that has come and gone is laid out
    QTRY_COMPARE(test::fault(dialog), QString());
    test::keepPicture(dialog, QStringLiteral("dialog-new-run"));
  }

  // The keyboard goes from above to below, and comes to the command last.
  void tabsGoFromFieldToField() {
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 4, .gpus = {"cuda:0"}});
    dialog.resize(560, 1400);  // nothing scrolls
    dialog.show();
    dialog.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&dialog));
    int before = -1, fields = 0;
    for (QWidget* at = dialog.focusWidget(); ++fields < 40; at = dialog.focusWidget()) {
      const int y = at->mapTo(&dialog, at->rect().center()).y();
      QVERIFY2(y >= before, qPrintable(at->accessibleName()));
      if (at->objectName() == QLatin1String("primary")) break;
      before = y;
      QTest::keyClick(at, Qt::Key_Tab);
    }
    QVERIFY(fields > 10 && fields < 40);
  }

  void aRunIsPutIntoTheQueue() {
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 4, .runs = {{"abcd1234", "the one before"}}});
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    auto* segments = dialog.findChild<Segments*>();
    auto *priority = field(dialog, "Priority"), *replicas = field(dialog, "Replicas");
    QVERIFY(!dialog.isQueued() && !priority->isVisible());
    QTest::mouseClick(segments->at(1), Qt::LeftButton);
    QVERIFY(dialog.isQueued() && priority->isVisible());
    QCOMPARE(start->text(), QStringLiteral("Add to the queue"));
    QCOMPARE(replicas->text(), QStringLiteral("1-4"));
    QCOMPARE(dialog.command(), QStringLiteral("batchscope submit --recipe toy --replicas auto:1-4"));
    type(priority, "11");
    QVERIFY(!start->isEnabled());
    type(priority, "1");
    type(replicas, "2");
    auto* after = test::named<QComboBox>(dialog, "After");
    QCOMPARE(after->itemText(1), QStringLiteral("the one before (abcd1234)"));
    after->setFocus();
    QTest::keyClick(after, Qt::Key_Down);
    for (auto* box : dialog.findChildren<QCheckBox*>())
      if (box->text().startsWith(QStringLiteral("Hold")) || box->text().startsWith(QStringLiteral("Pin")))
        box->click();
    const NewRun run = dialog.newRun();
    QVERIFY(run.queued && run.queued->pin && run.queued->held);
    QCOMPARE(run.queued->priority, 1);
    QCOMPARE(run.queued->after, std::string("abcd1234"));
    QVERIFY(!run.spec.auto_replicas);
    QCOMPARE(dialog.command(),
             QStringLiteral("batchscope submit --recipe toy --replicas 2 --priority 1 --after "
                            "abcd1234 --hold --pin"));
    QTest::qWait(100);  // until all that has come and gone is laid out
    QTRY_COMPARE(test::fault(dialog), QString());
    test::keepPicture(dialog, QStringLiteral("dialog-queue"));
    dialog.setQueued(false);
    QCOMPARE(replicas->text(), QStringLiteral("2"));  // a person's own
    QCOMPARE(dialog.command(), QStringLiteral("batchscope run --recipe toy --replicas 2"));
  }

  // Nothing is changed behind one's back: what is wrong stays, is marked, and keeps the run from starting.
  void whatIsWrongIsMarkedWhereItStands_data() {
    const auto row = testing::columns<QString, QString, QString>({"name", "text", "complaint"});
    row("above", "epochs", "70", "at least 1 and at most 9");
    row("below", "epochs", "-1", "at least 1 and at most 9");
    row("no number", "epochs", "many", "expected a whole number");
    row("no whole number", "epochs", "1.5", "expected a whole number");
    row("empty", "epochs", "", "expected a whole number");
    row("below another", "most", "3", "expected at least 4, the epochs");
    row("no replicas", "Replicas", "0", "at least 1");
    row("fewer than none", "Replicas", "-1", "write a whole number");
    row("too many replicas", "Replicas", "99999", "'99999' is not a number of replicas");
    row("backwards", "Replicas", "4-1", "'4-1' is not a number of replicas");
    row("nameless", "Name", "", "a name is one line");
    row("no name", "Name", "latest", "newest run");
    row("no tag", "Tags", "a, " + QString(65, 'x'), "cannot be a tag");
  }

  void whatIsWrongIsMarkedWhereItStands() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    QFETCH(QString, complaint);
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 4});
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    auto* below = dialog.findChild<QLabel*>(QStringLiteral("complaint"));
    auto* wrong = field(dialog, name.toUtf8().constData());
    const QString before = wrong->text();
    QVERIFY(start->isEnabled() && !below->isVisible());
    type(wrong, text.toUtf8().constData());
    QCOMPARE(wrong->text(), text);
    QVERIFY(!start->isEnabled() && wrong->property("isWrong").toBool());
    VERIFY_HOLDS(wrong->accessibleDescription(), complaint);
    QVERIFY(below->isVisible());
    VERIFY_HOLDS(below->text(), complaint);
    VERIFY_HOLDS(start->toolTip(), complaint);
    QVERIFY(test::named<QLineEdit>(dialog, "The same in a terminal")->text().isEmpty());
    type(wrong, before.toUtf8().constData());
    QVERIFY(start->isEnabled() && !below->isVisible() && !wrong->property("isWrong").toBool());
  }

  void whatTheMachineRefusesIsSaidBefore() {
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 2, .check = [](const NewRun& run) {
                           if (run.spec.replicas > 3) throw Error(ErrorKind::conflict, "no GPU is free");
                         }});
    dialog.show();
    auto* replicas = field(dialog, "Replicas");
    QCOMPARE(replicas->text(), QStringLiteral("2"));  // as many as the machine has
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    type(replicas, "3");
    VERIFY_HOLDS(replicas->accessibleDescription(), "share the 2 cores");
    QVERIFY(start->isEnabled());
    type(replicas, "4");
    QVERIFY(!start->isEnabled());
    VERIFY_HOLDS(replicas->accessibleDescription(), "no GPU is free");
  }

  void anyProgramCanBeStarted() {
    const QString script = store_.path(QStringLiteral("my train.py"));
    {
      QFile file(script);
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 4});
    dialog.show();
    auto* what = test::named<QComboBox>(dialog, "What to run");
    what->setFocus();
    QTest::keyClick(what, Qt::Key_End);
    QVERIFY(test::named<QLineEdit>(dialog, "epochs") == nullptr);
    auto* start = dialog.findChild<QPushButton*>(QStringLiteral("primary"));
    QVERIFY(!start->isEnabled());
    auto *program = field(dialog, "Program"), *arguments = field(dialog, "Arguments"),
         *folder = field(dialog, "Folder");
    type(folder, store_.path({}).toUtf8().constData());
    type(program, "nothing");
    VERIFY_HOLDS(program->accessibleDescription(), "there is no file");
    type(program, "/bin");
    VERIFY_HOLDS(program->accessibleDescription(), "a folder");
    type(program, "/etc/passwd");
    VERIFY_HOLDS(program->accessibleDescription(), "chmod +x");
    type(program, "/bin/true");
    QVERIFY(start->isEnabled());
    QCOMPARE(field(dialog, "Name")->text(), QStringLiteral("true"));
    type(arguments, "--lr 0.1 'two words");
    QVERIFY(!start->isEnabled());
    type(arguments, "--lr 0.1 'two words'");
    QCOMPARE(dialog.newRun().spec.arguments, (std::vector<std::string>{"--lr", "0.1", "two words"}));
    const QString directory = QFileInfo(folder->text()).absoluteFilePath();
    QCOMPARE(dialog.newRun().spec.working_directory, directory.toStdString());
    QCOMPARE(dialog.command(),
             QStringLiteral("cd %1 && batchscope run --replicas 1 /bin/true -- --lr 0.1 'two words'")
                 .arg(directory));
    type(arguments, "");
    type(program, "my train.py");  // in the folder, and not executable
    QVERIFY(start->isEnabled());
    QVERIFY(dialog.newRun().spec.program.ends_with("python3"));
    QCOMPARE(field(dialog, "Name")->text(), QStringLiteral("my train"));
    QCOMPARE(dialog.newRun().spec.arguments, std::vector<std::string>{script.toStdString()});
    QTest::qWait(100);  // until all that has come and gone is laid out
    QTRY_COMPARE(test::fault(dialog), QString());
    test::keepPicture(dialog, QStringLiteral("dialog-any-program"));
  }

  void aRunIsCloned() {
    const run::Recipe toy = recipe();
    storage::Run run;
    run.name = "digits";
    run.spec = toy.spec({{"epochs", "7"}, {"quick", "true"}});
    run.spec.group = "toys";
    run.spec.replicas = 2;
    run.spec.device = "cpu";
    run.spec.devices_per_replica = 2;
    run.spec.checkpoint_interval = 30;
    run.spec.triggers.push_back(protocol::Trigger::parse("epoch=2:replicas=1"));
    run.tags = {"best"};
    NewRunDialog dialog({.recipes = {toy}, .devices = 4});
    dialog.clone(run);
    dialog.show();
    QCOMPARE(field(dialog, "epochs")->text(), QStringLiteral("7"));
    QVERIFY(test::named<QCheckBox>(dialog, "quick")->isChecked());
    QCOMPARE(field(dialog, "Tags")->text(), QStringLiteral("best"));
    QCOMPARE(dialog.command(),
             QStringLiteral(
                 "batchscope run --recipe toy --replicas 2 --name 'digits copy' --group toys --tag best "
                 "--device cpu --devices-per-replica 2 --at epoch=2:replicas=1 --checkpoint-every 30s --set "
                 "epochs=7 --set "
                 "quick=true"));
    NewRun made = dialog.newRun();
    QCOMPARE(made.spec.name, std::string("digits copy"));
    made.spec.name = run.spec.name;
    QCOMPARE(protocol::Json(made.spec), protocol::Json(run.spec));

    // One that was started by its program's name says no more than it did.
    run.spec.recipe.clear();
    run.spec.arguments = {"--epochs=6"};
    NewRunDialog byHand({.recipes = {toy}, .devices = 4});
    byHand.clone(run);
    byHand.show();
    QCOMPARE(field(byHand, "epochs")->text(), QStringLiteral("6"));
    QCOMPARE(byHand.newRun().spec.arguments, run.spec.arguments);
    VERIFY_HOLDS(byHand.command(), "/bin/true -- --epochs=6");
    type(field(byHand, "epochs"), "5");
    QCOMPARE(byHand.newRun().spec.arguments, (std::vector<std::string>{"--epochs", "5", "--most", "8"}));

    // And one of a program that no recipe knows, as it is.
    run.spec.program = "/bin/false";
    NewRunDialog other({.recipes = {toy}, .devices = 4});
    other.clone(run);
    other.show();
    QCOMPARE(field(other, "Program")->text(), QStringLiteral("/bin/false"));
    VERIFY_HOLDS(other.command(), "/bin/false -- --epochs=6");
  }

  void aForkShowsWhatItsRecipeKnows() {
    const run::Recipe toy = recipe();
    storage::Run run;
    run.id = "abcd1234";
    run.name = "digits";
    run.replicas = 2;
    run.spec = toy.spec({{"epochs", "7"}});
    storage::Checkpoint checkpoint;
    checkpoint.name = "checkpoint-000003";
    ForkDialog dialog(run, checkpoint, {toy});
    dialog.show();
    QVERIFY(!dialog.options().arguments);  // they are as they were
    QCOMPARE(field(dialog, "epochs")->text(), QStringLiteral("7"));
    type(field(dialog, "epochs"), "9");
    type(field(dialog, "Replicas"), "0");
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("primary"))->isEnabled());
    type(field(dialog, "Replicas"), "3");
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("primary"))->isEnabled());  // most is 8
    type(field(dialog, "most"), "9");
    QCOMPARE(dialog.command(),
             QStringLiteral("batchscope fork abcd1234 --checkpoint checkpoint-000003 --name 'digits fork' "
                            "--replicas 3 -- --epochs 9 --most 9"));
    QTest::qWait(100);  // until all that has come and gone is laid out
    QTRY_COMPARE(test::fault(dialog), QString());
    test::keepPicture(dialog, QStringLiteral("dialog-fork"));
    run.spec.program = "/bin/false";
    run.spec.recipe.clear();
    ForkDialog other(run, checkpoint, {toy});
    other.show();
    QCOMPARE(test::named<QLineEdit>(other, "Arguments of the program")->text(),
             QStringLiteral("--epochs 7 --most 8"));
  }

  void theWheelChangesNoField() {
    run::Recipe toy = recipe();
    run::Parameter rule;
    rule.name = "rule";
    rule.type = run::Parameter::Type::choice;
    rule.value = "adascale";
    rule.choices = {"adascale", "linear"};
    toy.parameters.push_back(rule);
    NewRunDialog start(
        {.recipes = {toy, recipe()}, .devices = 4, .gpus = {"cuda:0"}, .runs = {{"abcd1234", "x"}}});
    start.setQueued(true);
    storage::Run run;
    run.spec = recipe().spec();
    run.spec.arguments = toy.arguments();
    ForkDialog fork(run, storage::Checkpoint(), {toy});
    for (QDialog* dialog : std::initializer_list<QDialog*>{&start, &fork}) {
      dialog->show();
      int fields = 0;
      for (QWidget* each : dialog->findChildren<QWidget*>()) {
        const auto* box = qobject_cast<QComboBox*>(each);
        if (box == nullptr && qobject_cast<QAbstractSpinBox*>(each) == nullptr) continue;
        ++fields;
        const QString before = box != nullptr ? box->currentText() : QString();
        for (const int turn : {-120, 120}) {
          QWheelEvent wheel({5, 5}, each->mapToGlobal(QPointF(5, 5)), {}, {0, turn}, Qt::NoButton, {},
                            Qt::NoScrollPhase, false);
          QApplication::sendEvent(each, &wheel);
          if (box != nullptr) QCOMPARE(box->currentText(), before);
        }
      }
      QVERIFY(fields > 0);
    }
  }

  void aProgramThatIsNotBuiltIsNamed() {
    run::Recipe unbuilt = recipe();
    unbuilt.program = "not-built-here";
    NewRunDialog dialog({.recipes = {unbuilt}});
    dialog.show();
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("primary"))->isEnabled());
    const auto* complaint = dialog.findChild<QLabel*>(QStringLiteral("complaint"));
    QVERIFY2(complaint->isVisible() && complaint->text().contains(QStringLiteral("not-built-here")),
             qPrintable(complaint->text()));
    // Where it is chosen, and not at the replicas.
    const auto* what = test::named<QComboBox>(dialog, "What to run");
    QVERIFY(what->property("isWrong").toBool());
    VERIFY_HOLDS(what->accessibleDescription(), "not-built-here");
    QVERIFY(!field(dialog, "Replicas")->property("isWrong").toBool());
  }

  void aDeviceThatIsMissingIsMarked() {
    storage::Run run;
    run.name = "digits";
    run.spec = recipe().spec();
    run.spec.device = "cuda:3";
    NewRunDialog dialog({.recipes = {recipe()}, .devices = 1, .gpus = {"cuda:0"}});
    dialog.clone(run);
    dialog.show();
    auto* device = test::named<QComboBox>(dialog, "Device");
    QVERIFY(device->property("isWrong").toBool());
    VERIFY_HOLDS(device->accessibleDescription(), "does not have it");
    QVERIFY(!field(dialog, "Replicas")->property("isWrong").toBool());
    device->setFocus();
    QTest::keyClick(device, Qt::Key_Home);
    QVERIFY(dialog.findChild<QPushButton*>(QStringLiteral("primary"))->isEnabled());
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
    // Nothing of it lies off a small screen.
    window_->resize(900, 600);
    QTRY_COMPARE(window_->size(), QSize(900, 600));
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_F1);
    const QPointer<ShortcutSheet> small = window_->findChild<ShortcutSheet*>();
    QVERIFY(small != nullptr && small->width() < 900 && small->height() < 600);
    test::keepPicture(*small, QStringLiteral("shortcuts-small"));
    small->close();
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
