// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/dashboard.h"

#include <QMenu>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>
#include <memory>
#include <utility>

#include "batchscope/common/charts.h"
#include "look/box.h"
#include "look/theme.h"
#include "series/formulas.h"

namespace batchscope::desktop {
namespace {

constexpr int kCardGap = 10;
// A card is no smaller than can be read.
constexpr int kLeastWidth = 340, kLeastHeight = 155;
constexpr int kMoreHeight = 24, kScrollBarWidth = 10;

const std::string& nameOf(const ChartCard* card) { return card->plot()->spec().name; }

}  // namespace

Dashboard::Dashboard(ViewState* state, QWidget* parent)
    : QScrollArea(parent), state_(state), more_(new QToolButton) {
  setObjectName(QStringLiteral("dashboard"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumSize(kLeastWidth, kLeastHeight);
  setFocusPolicy(Qt::NoFocus);
  auto* sheet = new QWidget;
  sheet->setObjectName(QStringLiteral("sheet"));
  setWidget(sheet);
  more_->setParent(sheet);
  more_->setObjectName(QStringLiteral("link"));
  more_->hide();
  connect(more_, &QToolButton::clicked, this,
          [this] { Q_EMIT choiceRequested(more_->mapToGlobal(QPoint(0, more_->height()))); });
  offer_ = makeOffer();
  updateAvailable();
}

QWidget* Dashboard::makeOffer() {
  auto* offer = new QWidget(widget());
  const auto link = [&](const QString& text) {
    auto* button = new QToolButton(offer);
    button->setObjectName(QStringLiteral("link"));
    button->setText(text);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
  };
  QToolButton *choose = link(tr("Choose which are shown")), *all = link(tr("Show the default charts"));
  connect(choose, &QToolButton::clicked, this,
          [this, choose] { Q_EMIT choiceRequested(choose->mapToGlobal(QPoint(0, choose->height()))); });
  connect(all, &QToolButton::clicked, this, &Dashboard::restoreDefaultLayout);
  vbox(offer, {}, 8,
       {rest(),
        {named("hint", offer, tr("All charts are hidden.")), 0, Qt::AlignHCenter},
        {choose, 0, Qt::AlignHCenter},
        {all, 0, Qt::AlignHCenter},
        rest()});
  return offer;
}

// Charts come with the model's first samples, which are being read: those that stay are kept.
void Dashboard::setModel(SeriesModel* model) {
  model_ = model;
  for (const auto& [name, card] : made_) card->plot()->setModel(model);
  if (model_ != nullptr) model_->want(wanted());
  Q_EMIT modelChanged();
}

void Dashboard::setCompared(const std::vector<SceneRun>& runs, GroupBands bands) {
  runs_ = runs;
  bands_ = bands;
  for (const auto& [name, card] : made_) card->setCompared(runs, bands);
  Q_EMIT comparedChanged();
}

void Dashboard::refresh() {
  if (model_ != nullptr && model_->recorded() != recorded_) updateAvailable();
  for (ChartCard* card : cards_) card->plot()->refresh();
}

std::set<std::string> Dashboard::series() const {
  std::set<std::string> series;
  for (const ChartCard* card : cards_) series.merge(card->plot()->spec().series());
  return series;
}

// Besides what is drawn, what explains it.
std::set<std::string> Dashboard::wanted() const {
  std::set<std::string> wanted = series();
  for (const std::string& each : series()) wanted.merge(formulaInputs(each));
  return wanted;
}

void Dashboard::updateAvailable() {
  if (model_ != nullptr) recorded_ = model_->recorded();
  layout_.setAvailable(common::chartsOf(recorded_));
  updateCards();
}

// A card stays as it is, with its hidden lines, for as long as its chart draws the same.
void Dashboard::updateCards(bool isBeingDragged) {
  std::vector<ChartCard*> cards;
  std::vector<std::unique_ptr<ChartCard>> gone;  // until nothing is laid out that has them
  for (const common::ChartSpec& spec : layout_.charts()) {
    if (!layout_.isShown(spec.name)) continue;
    ChartCard*& card = made_[spec.name];
    if (card != nullptr && card->plot()->spec().series() != spec.series()) {
      gone.emplace_back(card);
      card = nullptr;
    }
    if (card == nullptr) card = makeCard(spec);
    cards.push_back(card);
  }
  for (auto made = made_.begin(); made != made_.end();) {
    if (std::find(cards.begin(), cards.end(), made->second) != cards.end()) {
      ++made;
      continue;
    }
    gone.emplace_back(made->second);
    made = made_.erase(made);
  }
  const bool isNew = cards != cards_;
  cards_ = std::move(cards);
  if (std::find(cards_.begin(), cards_.end(), enlarged_) == cards_.end()) enlarged_ = nullptr;
  if (model_ != nullptr) model_->want(wanted());
  layOut();
  // Places that a card passes while it is dragged do not count; the place where it is dropped does.
  if (isBeingDragged)
    isMoved_ = isMoved_ || isNew;
  else if (isNew)
    Q_EMIT chartsChanged();
}

ChartCard* Dashboard::cardOf(const common::ChartSpec& spec) const {
  auto* card = new ChartCard(spec, state_);
  card->plot()->setModel(model_);
  card->setCompared(runs_, bands_);
  return card;
}

ChartCard* Dashboard::copyOf(ChartCard* card) const {
  ChartCard* copy = cardOf(card->plot()->spec());
  copy->setHidden(card->hidden());
  connect(copy, &ChartCard::hiddenChanged, card, [card, copy] { card->setHidden(copy->hidden()); });
  return copy;
}

ChartCard* Dashboard::makeCard(const common::ChartSpec& spec) {
  ChartCard* card = cardOf(spec);
  card->setParent(widget());
  card->setArrangeable();
  connect(card, &ChartCard::dragged, this, [this, card](const QPoint& global) { drag(card, global); });
  connect(card, &ChartCard::dropped, this, [this, card] {
    setStyleProperty(card, "dragged", false);
    if (std::exchange(isMoved_, false)) Q_EMIT chartsChanged();
  });
  connect(card, &ChartCard::opened, this, [this, card] { enlarge(enlarged_ == nullptr ? card : nullptr); });
  connect(card, &ChartCard::menuRequested, this, [this, card](const QPoint& global) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    Q_EMIT menuRequested(menu, card);
    menu->popup(global);
  });
  return card;
}

// Rows share the height; where there are too many, as many whole rows as fit are in view.
void Dashboard::layOut() {
  offer_->setVisible(cards_.empty());
  offer_->setGeometry(contentsRect());
  const std::size_t leftOut = enlarged_ == nullptr && !cards_.empty() ? layout_.leftOut() : 0;
  more_->setVisible(leftOut > 0);
  more_->setText(tr("and %n more: choose which are shown", nullptr, static_cast<int>(leftOut)));
  const int height = contentsRect().height(), below = leftOut > 0 ? kCardGap + kMoreHeight : 0;
  const std::size_t count = enlarged_ != nullptr ? 1 : cards_.size();
  int width = contentsRect().width();
  const auto columnsOf = [&] {
    return std::clamp<std::size_t>(static_cast<std::size_t>((width + kCardGap) / (kLeastWidth + kCardGap)), 1,
                                   std::max<std::size_t>(count, 1));
  };
  const auto rowsOf = [&] { return static_cast<int>((count + columnsOf() - 1) / columnsOf()); };
  const auto rowHeight = [](int room, int rows) { return (room + kCardGap) / std::max(1, rows) - kCardGap; };
  const int fit = std::max(1, (height + kCardGap) / (kLeastHeight + kCardGap));
  const bool isScrolled = rowsOf() > fit || rowHeight(height - below, rowsOf()) < kLeastHeight / 2;
  if (isScrolled) width -= kScrollBarWidth + kCardGap / 2;
  const int rows = rowsOf(), columns = static_cast<int>(columnsOf());
  const int high = isScrolled ? rowHeight(height, fit) : rowHeight(height - below, rows);
  const int wide = (width - (columns - 1) * kCardGap) / columns;

  int place = 0;
  for (ChartCard* card : cards_) {
    const bool isShown = enlarged_ == nullptr || card == enlarged_;
    card->setVisible(isShown);
    if (!isShown) continue;
    const int column = place % columns;
    // The last column takes what division leaves.
    card->setGeometry(column * (wide + kCardGap), place / columns * (high + kCardGap),
                      column + 1 == columns ? width - column * (wide + kCardGap) : wide, high);
    ++place;
  }
  const int end = cards_.empty() ? height : rows * (high + kCardGap) - kCardGap;
  more_->setGeometry(0, end + kCardGap, more_->sizeHint().width(), kMoreHeight);
  widget()->resize(width, end + below);
  verticalScrollBar()->setSingleStep((high + kCardGap) / 3);  // a notch of the wheel is a row
  QWidget* before = nullptr;
  for (ChartCard* card : cards_) {
    if (before != nullptr) setTabOrder(before, card);
    before = card;
  }
}

void Dashboard::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  layOut();
}

void Dashboard::setShown(const std::string& chart, bool isShown) {
  layout_.setShown(chart, isShown);
  updateCards();
}

void Dashboard::moveCard(ChartCard* card, int by) {
  const auto place = std::find(cards_.begin(), cards_.end(), card) - cards_.begin() + by;
  if (place < 0 || place >= static_cast<std::ptrdiff_t>(cards_.size())) return;
  layout_.move(nameOf(card), nameOf(cards_[static_cast<std::size_t>(place)]));
  updateCards();
  ensureWidgetVisible(card, 0, 0);
}

// The others make room while it moves.
void Dashboard::drag(ChartCard* card, const QPoint& global) {
  if (enlarged_ != nullptr) return;
  setStyleProperty(card, "dragged", true);
  card->raise();
  const QPoint at = widget()->mapFromGlobal(global);
  for (const ChartCard* other : cards_) {
    if (other == card || !other->geometry().contains(at)) continue;
    layout_.move(nameOf(card), nameOf(other));
    updateCards(true);
    break;
  }
  ensureVisible(at.x(), at.y(), 0, kLeastHeight / 4);
}

void Dashboard::enlarge(ChartCard* card) {
  if (card == enlarged_) return;
  enlarged_ = card;
  layOut();
  if (card != nullptr) verticalScrollBar()->setValue(0);
  Q_EMIT enlargedChanged();
}

ChartCard* Dashboard::current() const {
  if (enlarged_ != nullptr || cards_.empty()) return enlarged_;
  const auto firstCard = [this](auto predicate) {
    const auto found = std::find_if(cards_.begin(), cards_.end(), predicate);
    return found == cards_.end() ? nullptr : *found;
  };
  const QWidget* focus = window()->focusWidget();
  ChartCard* card =
      firstCard([focus](ChartCard* each) { return each == focus || each->isAncestorOf(focus); });
  if (card == nullptr) card = firstCard([](ChartCard* each) { return each->underMouse(); });
  return card == nullptr ? cards_.front() : card;
}

void Dashboard::focusNeighbour(int by) {
  const ChartCard* now = current();
  if (now == nullptr) return;
  const auto count = static_cast<std::ptrdiff_t>(cards_.size());
  auto place = std::find(cards_.begin(), cards_.end(), now) - cards_.begin();
  // The first step shows where one is.
  if (enlarged_ != nullptr || now->hasFocus()) place = (place + by + count) % count;
  ChartCard* next = cards_[static_cast<std::size_t>(place)];
  if (enlarged_ != nullptr) enlarge(next);
  next->setFocus(Qt::TabFocusReason);
  ensureWidgetVisible(next, 0, 0);
}

ChartCard* Dashboard::reveal(const std::string& series) {
  const auto found = std::find_if(cards_.begin(), cards_.end(),
                                  [&](const ChartCard* card) { return card->plot()->spec().draws(series); });
  if (found == cards_.end()) return nullptr;
  enlarge(nullptr);
  ensureWidgetVisible(*found, 0, 0);
  return *found;
}

void Dashboard::restoreDefaultLayout() {
  enlarge(nullptr);
  layout_.reset();
  updateCards();
  verticalScrollBar()->setValue(0);
}

void Dashboard::restore(const QSettings& settings) {
  layout_.restore(settings);
  updateCards();
}

}  // namespace batchscope::desktop
