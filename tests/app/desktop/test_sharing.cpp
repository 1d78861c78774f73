// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two runs that share devices: what is reckoned of a split, what the policies choose, and the panel in which
// a person moves devices from one to the other, by slider, keys, in the plot and by buttons.
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QWheelEvent>
#include <QtTest>

#include "lessons/sharing_panel.h"
#include "lessons/sharing_plot.h"
#include "look/theme.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::common;
using namespace batchscope::desktop;

namespace {

constexpr int kDevices = 8;

// One that learns twice as fast with twice as many, and one that hardly does.
Sharing sharing() {
  SharingRun linear{QStringLiteral("linear"), {}, 80'000}, flat{QStringLiteral("flat"), {}, 8'000};
  for (int count = 0; count <= kDevices; ++count) {
    linear.goodput.push_back(100.0 * count);
    flat.goodput.push_back(count == 0 ? 0 : 100 * std::pow(count, 0.2));
  }
  return {linear, flat};
}

}  // namespace

class TestSharing : public QObject {
  Q_OBJECT

  std::unique_ptr<SharingPanel> panel_;

  QPushButton* button(const char* text) const {
    for (QPushButton* found : panel_->findChildren<QPushButton*>())
      if (found->text() == QLatin1String(text)) return found;
    return nullptr;
  }
  bool says(const QString& text) const {
    const auto labels = panel_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text() == text; });
  }

 private Q_SLOTS:
  void init() {
    applyTheme(Theme::Mode::Light);
    panel_ = std::make_unique<SharingPanel>();
    panel_->setSharing(sharing());
    panel_->resize(700, 460);
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
  }

  void aSplitIsReckoned() {
    const Sharing both = sharing();
    QCOMPARE(both.goodput(0, 3), 300.0);
    QCOMPARE(both.share(1, 3), 5);
    QCOMPARE(both.speedup(0, 6), 1.5);
    QCOMPARE(both.speedup(1, kDevices / 2), 1.0);
    QCOMPARE(both.speedup(1, kDevices), 0.0);
    QCOMPARE(both.mostInSum(), 7);
    // Fair asks who gains most, and lets nobody go without; fast lets the short one have more of them.
    const int fair = both.decided(policy::Objective::fair), fast = both.decided(policy::Objective::fast);
    QVERIFY(fair > kDevices / 2 && fair < kDevices);
    QVERIFY(fast > 0 && fast <= fair);
  }

  void aModelIsAsked() {
    protocol::Model model;
    model.perf = {0.002, 0.0001, 0.001, 0.001, 0.001, 0.001, 1};
    model.grad_sqr = 1;
    model.grad_var = 40;
    model.init_batch_size = 32;
    model.max_batch_size = 1024;
    model.max_local_batch_size = 256;
    const SharingRun run = sharingRun(QStringLiteral("one"), model, 100, 4);
    QCOMPARE(run.goodput.size(), 5u);
    QCOMPARE(run.goodput[0], 0.0);
    QVERIFY(run.goodput[1] > 0 && run.goodput[4] > run.goodput[1]);
    QCOMPARE(run.work, 3200.0);
    const SharingRun none = sharingRun(QStringLiteral("none"), {}, 100, 4);
    QCOMPARE(none.goodput[4], 0.0);
    QCOMPARE(Sharing(none, none).mostInSum(), 0);
  }

  void devicesAreMoved() {
    QSlider* slider = panel_->slider();
    QCOMPARE(slider->value(), kDevices / 2);
    QVERIFY(says(QStringLiteral("400")));
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Right);
    QCOMPARE(slider->value(), 5);
    QVERIFY(says(QStringLiteral("500")));
    QVERIFY(says(QStringLiteral("× 1.25")));
    QVERIFY(says(QStringLiteral("linear: 5")) && says(QStringLiteral("flat: 3")));
    QWheelEvent turn({5, 5}, slider->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, {},
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(slider, &turn);
    QCOMPARE(slider->value(), 5);

    SharingPlot* plot = panel_->plot();
    const auto at = [&](int first) { return QPointF(plot->place(first, 0).x(), 90).toPoint(); };
    QWidget* canvas = plot->viewport();
    QTest::mousePress(canvas, Qt::LeftButton, {}, at(5));
    QTest::mouseMove(canvas, at(2));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, at(2));
    QCOMPARE(slider->value(), 2);
    QCOMPARE(plot->data().notes.back().x, 2.0);
    QCOMPARE(plot->data().series[1].points.front(), plot->data().series[0].points[2]);
  }

  void buttonsSplitAsThePoolWould() {
    QTest::mouseClick(button("Largest sum"), Qt::LeftButton);
    QCOMPARE(panel_->slider()->value(), 7);
    QTest::mouseClick(button("fair"), Qt::LeftButton);
    QCOMPARE(panel_->slider()->value(), sharing().decided(policy::Objective::fair));
    QTest::mouseClick(button("fast"), Qt::LeftButton);
    QCOMPARE(panel_->slider()->value(), sharing().decided(policy::Objective::fast));
    QTest::mouseClick(button("Even"), Qt::LeftButton);
    QCOMPARE(panel_->slider()->value(), kDevices / 2);
  }

  void theLookIsSound() {
    QTRY_COMPARE(test::fault(*panel_), QString());
    test::keepPicture(*panel_, QStringLiteral("sharing"));
  }
};

BATCHSCOPE_TEST(TestSharing)
#include "test_sharing.moc"
