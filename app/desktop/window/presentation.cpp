// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/presentation.h"

#include <QGraphicsProxyWidget>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "chart/dashboard.h"
#include "look/theme.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

// The chart is laid out this wide and magnified to the screen.
constexpr double kUsualWidth = 560;

}  // namespace

Presentation::Presentation(Dashboard* dashboard, int place, RunSession* session, QWidget* parent)
    : QGraphicsView(parent), dashboard_(dashboard), place_(place) {
  setWindowFlag(Qt::Window);
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Chart – BatchScope"));
  setAccessibleName(tr("Chart on the whole screen"));
  setScene(new QGraphicsScene(this));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(session, &RunSession::samplesChanged, this, [this] {
    if (card_ != nullptr) card_->plot()->refresh();
  });
  // The card borrows the model and the comparison from those of the dashboard.
  for (const auto change : {&Dashboard::modelChanged, &Dashboard::comparedChanged, &Dashboard::chartsChanged})
    connect(dashboard, change, this, [this] { turn(0); });
  turn(0);
}

void Presentation::turn(int by) {
  const auto& cards = dashboard_->cards();
  const auto count = static_cast<int>(cards.size());
  // The others may have come to other places.
  if (card_ != nullptr) {
    const auto same = std::ranges::find_if(cards, [this](const ChartCard* each) {
      return each->plot()->spec().name == card_->plot()->spec().name;
    });
    if (same != cards.end()) place_ = static_cast<int>(same - cards.begin());
  }
  delete proxy_;  // with its card
  proxy_ = nullptr;
  card_ = nullptr;
  if (count == 0) {
    close();
    return;
  }
  place_ = (std::min(place_, count - 1) + by + count) % count;
  card_ = dashboard_->copyOf(cards[static_cast<std::size_t>(place_)]);
  card_->setProperty("isPresented", true);
  proxy_ = scene()->addWidget(card_);
  fit();
}

void Presentation::fit() {
  if (card_ == nullptr) return;
  const double magnification = std::max(1.0, viewport()->width() / kUsualWidth);
  const QSizeF size = QSizeF(viewport()->size()) / magnification;
  card_->plot()->setMagnification(magnification);
  proxy_->resize(size);
  scene()->setSceneRect({{0, 0}, size});
  setTransform(QTransform::fromScale(magnification, magnification));
}

void Presentation::drawBackground(QPainter* painter, const QRectF& rect) {
  painter->fillRect(rect, Theme::current().panel);
}

void Presentation::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  fit();
}

void Presentation::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Escape:
    case Qt::Key_F11: close(); return;
    case Qt::Key_Left:
    case Qt::Key_PageUp: turn(-1); return;
    case Qt::Key_Right:
    case Qt::Key_PageDown: turn(1); return;
    default: QGraphicsView::keyPressEvent(event);
  }
}

}  // namespace batchscope::desktop
