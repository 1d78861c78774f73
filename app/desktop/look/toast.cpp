// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/toast.h"

#include <QAccessible>
#include <QAccessibleEvent>
#include <QEvent>
#include <QKeyEvent>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "look/box.h"

namespace batchscope::desktop {
namespace {

constexpr int kWidth = 360, kMargin = 16, kAboveStatus = 40;
constexpr std::size_t kMostOffers = 2;
// Long texts take longer to read.
constexpr int kShortest = 8'000, kCharacter = 70;  // ms

}  // namespace

class Toast : public QFrame {
  Q_OBJECT
 public:
  Toast(const QString& message, QWidget* parent) : QFrame(parent), text_(named("message", this, message)) {
    setObjectName(QStringLiteral("toast"));
    setAccessibleName(message);
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setToolTip(message);  // should it be higher than the window
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("close"));
    close->setText(QStringLiteral("×"));
    close->setAccessibleName(tr("Close the notice"));
    close->setToolTip(close->accessibleName());
    close->setFocusPolicy(Qt::TabFocus);
    connect(close, &QToolButton::clicked, this, &Toast::gone);
    row_ = hbox(this, {14, 8, 6, 8}, 8, {{text_, 1}, {close, 0, Qt::AlignTop}});
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, [this] {
      const QWidget* focus = window()->focusWidget();
      if (underMouse() || (focus != nullptr && isAncestorOf(focus)))
        timer_.start();
      else
        Q_EMIT gone();
    });
    timer_.start(std::max<int>(kShortest, kCharacter * static_cast<int>(message.size())));
  }

  void offer(const QString& action, std::function<void()> act) {
    action_ = action;
    button_ = new QPushButton(action, this);
    button_->setFocusPolicy(Qt::TabFocus);
    row_->insertWidget(1, button_, 0, Qt::AlignVCenter);
    button_->show();
    connect(button_, &QPushButton::clicked, this, [this, act = std::move(act)] {
      Q_EMIT gone();
      act();
    });
  }

  // Whether Alt and the letter of its action press it.
  void setKeyed(bool isKeyed) {
    button_->setText(isKeyed ? action_ : QString(action_).remove(QLatin1Char('&')));
  }

 Q_SIGNALS:
  void gone();

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Escape)
      Q_EMIT gone();
    else
      QFrame::keyPressEvent(event);
  }

 private:
  QLabel* text_;
  QHBoxLayout* row_;
  QPushButton* button_ = nullptr;
  QString action_;
  QTimer timer_;
};

Toasts::Toasts(QWidget* window) : QWidget(window), column_(vbox(this, {}, 8, {})) {
  window->installEventFilter(this);
  hide();
}

void Toasts::say(const QString& message) {
  if (said_ != nullptr) Q_EMIT said_->gone();
  if (!message.isEmpty()) said_ = add(message);
}

void Toasts::offer(const QString& message, const QString& action, std::function<void()> act) {
  if (offers_.size() == kMostOffers) Q_EMIT offers_.front()->gone();
  offers_.push_back(add(message));
  offers_.back()->offer(action, std::move(act));
  giveKeys();
  place();
}

Toast* Toasts::add(const QString& message) {
  auto* toast = new Toast(message, this);
  connect(toast, &Toast::gone, this, [this, toast] {
    if (said_ == toast) said_ = nullptr;
    std::erase(offers_, toast);
    giveKeys();
    column_->removeWidget(toast);
    toast->hide();
    toast->deleteLater();  // its button may be what was pressed
    place();
  });
  column_->addWidget(toast);
  toast->show();
  place();
  QAccessibleEvent alert(toast, QAccessible::Alert);
  QAccessible::updateAccessibility(&alert);
  return toast;
}

// Gives the keys to the newest toast that offers something: a key that two have would press neither.
void Toasts::giveKeys() {
  for (Toast* offer : offers_) offer->setKeyed(offer == offers_.back());
}

void Toasts::place() {
  setVisible(column_->count() > 0);
  const QSize room = parentWidget()->size();
  const int width = std::min(kWidth, room.width() - 2 * kMargin);
  setFixedWidth(width);
  column_->activate();
  const int height = std::min(column_->heightForWidth(width), room.height() - kAboveStatus - kMargin);
  setGeometry(room.width() - width - kMargin, room.height() - height - kAboveStatus, width, height);
  raise();
}

bool Toasts::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) place();
  return QWidget::eventFilter(watched, event);
}

}  // namespace batchscope::desktop

#include "toast.moc"
