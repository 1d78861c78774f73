// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/box.h"

#include <QEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

namespace batchscope::desktop {
namespace {

template <class Box>
Box* filled(QWidget* parent, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items) {
  auto* box = new Box(parent);
  box->setContentsMargins(margins);
  box->setSpacing(spacing);
  for (const BoxItem& item : items) {
    if (item.widget != nullptr) {
      box->addWidget(item.widget, item.stretch, item.place);
    } else if (item.layout != nullptr) {
      box->addLayout(item.layout, item.stretch);
    } else if (item.gap >= 0) {
      box->addSpacing(item.gap);
    } else {
      box->addStretch(item.stretch);
    }
  }
  return box;
}

// Never narrower than its page.
class DownArea : public QScrollArea {
 public:
  using QScrollArea::QScrollArea;

  QSize minimumSizeHint() const override {
    const int width = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
    return {width, QScrollArea::minimumSizeHint().height()};
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(watched, event);
  }
};

template <class Area>
QScrollArea* areaOf(QWidget* page, QWidget* parent) {
  auto* area = new Area(parent);
  area->setWidget(page);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->viewport()->setAutoFillBackground(false);
  page->setAutoFillBackground(false);  // which setWidget() turns on
  return area;
}

}  // namespace

BoxItem gap(int pixels) {
  BoxItem item;
  item.gap = pixels;
  return item;
}

BoxItem rest() {
  BoxItem item;
  item.stretch = 1;
  return item;
}

QHBoxLayout* hbox(QWidget* parent, const QMargins& margins, int spacing,
                  std::initializer_list<BoxItem> items) {
  return filled<QHBoxLayout>(parent, margins, spacing, items);
}

QVBoxLayout* vbox(QWidget* parent, const QMargins& margins, int spacing,
                  std::initializer_list<BoxItem> items) {
  return filled<QVBoxLayout>(parent, margins, spacing, items);
}

QWidget* scrolled(QWidget* page, QWidget* parent) { return areaOf<QScrollArea>(page, parent); }

QWidget* scrolledDown(QWidget* page, QWidget* parent) {
  QScrollArea* area = areaOf<DownArea>(page, parent);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return area;
}

QFrame* card(QWidget* parent) {
  auto* frame = new QFrame(parent);
  frame->setObjectName(QStringLiteral("card"));
  return frame;
}

QLabel* named(const char* name, QWidget* parent, const QString& text) {
  auto* label = new QLabel(text, parent);
  label->setObjectName(QLatin1String(name));
  return label;
}

QToolButton* buttonOf(QAction* action, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

}  // namespace batchscope::desktop
