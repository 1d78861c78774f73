// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lesson_panel.h"

#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextList>
#include <QTextTable>
#include <QToolButton>
#include <utility>

#include "lessons/lesson_model.h"
#include "look/box.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kMargin = 16;
constexpr int kParagraphGap = 8, kIndent = 14;  // of paragraphs, of lists

QLabel* paragraph(const char* name, QWidget* parent) {
  QLabel* label = named(name, parent);
  label->setWordWrap(true);
  return label;
}

// A lesson in the list: its title, below it what it is about, and a tick once it is done.
class LessonDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = view != nullptr ? view->viewport()->width() : option.rect.width();
    return {100, 2 * kRowMargin + kTitle + summaryHeight(index, width)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = Theme::current();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool isCurrent = option.state.testFlag(QStyle::State_HasFocus);
    if (isCurrent || option.state.testFlag(QStyle::State_MouseOver)) {
      painter->setPen(isCurrent ? QPen(theme.accent, 1) : QPen(Qt::NoPen));
      painter->setBrush(isCurrent ? theme.selection : theme.grid);
      painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    const QRect text = option.rect.adjusted(kRowMargin, kRowMargin - 2, -kRowMargin, -kRowMargin + 2);
    if (index.data(LessonModel::DoneRole).toBool()) {
      painter->setFont(interfaceFont(13));
      painter->setPen(theme.good);
      painter->drawText(text, Qt::AlignRight | Qt::AlignTop, QStringLiteral("✓"));
    }
    painter->setFont(interfaceFont(13, QFont::DemiBold));
    painter->setPen(theme.text);
    painter->drawText(
        text, Qt::AlignLeft | Qt::AlignTop,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width() - kTick));
    painter->setFont(interfaceFont(11));
    painter->setPen(theme.dim);
    painter->drawText(text.adjusted(0, kTitle, 0, 0), Qt::TextWordWrap,
                      index.data(LessonModel::SummaryRole).toString());
    painter->restore();
  }

 private:
  static constexpr int kRowMargin = 10, kTitle = 20, kTick = 20;

  // Returns the height of the summary, in a row of this width.
  static int summaryHeight(const QModelIndex& index, int width) {
    return QFontMetrics(interfaceFont(11))
        .boundingRect(QRect(0, 0, width - 2 * kRowMargin, 1000), Qt::TextWordWrap,
                      index.data(LessonModel::SummaryRole).toString())
        .height();
  }
};

}  // namespace

LessonPanel::LessonPanel(std::vector<Lesson> lessons, QWidget* parent)
    : QFrame(parent), model_(new LessonModel(std::move(lessons), this)), pages_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("leftPanel"));
  lessons_ = new QToolButton(this);
  lessons_->setObjectName(QStringLiteral("link"));
  lessons_->setFocusPolicy(Qt::TabFocus);
  auto* close = new QToolButton(this);
  close->setObjectName(QStringLiteral("link"));
  close->setText(tr("Back to the runs"));
  close->setFocusPolicy(Qt::TabFocus);
  QLayout* head = hbox(nullptr, {kMargin - 4, 10, kMargin - 4, 4}, -1, {lessons_, rest(), close});
  vbox(this, {0, 0, 1, 0}, 0, {head, {pages_, 1}});
  pages_->addWidget(buildList());
  pages_->addWidget(buildPage());
  connect(lessons_, &QToolButton::clicked, this, &LessonPanel::showList);
  connect(close, &QToolButton::clicked, this, [this] {
    showList();
    Q_EMIT closed();
  });
  showList();
}

QWidget* LessonPanel::buildList() {
  list_ = new QListView(this);
  list_->setModel(model_);
  list_->setItemDelegate(new LessonDelegate(list_));
  list_->setObjectName(QStringLiteral("lessonList"));
  list_->setAccessibleName(tr("Lessons"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setResizeMode(QListView::Adjust);
  list_->setMouseTracking(true);
  auto* page = new QWidget(this);
  vbox(page, {8, 4, 8, 8}, -1, {list_});
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) { start(index.row()); });
  connect(list_, &QListView::activated, this, [this](const QModelIndex& index) {
    if (row_ < 0) start(index.row());  // where a click activates, it has done so
  });
  return page;
}

QWidget* LessonPanel::buildPage() {
  auto* content = new QWidget(this);
  place_ = paragraph("hint", content);
  title_ = paragraph("lessonTitle", content);
  text_ = paragraph("lessonText", content);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  reply_ = paragraph("lessonReply", content);
  launch_ = new QPushButton(tr("Run it live"), content);
  launch_->setObjectName(QStringLiteral("primary"));
  command_ = paragraph("hint", content);
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  choiceColumn_ = new QVBoxLayout;
  choiceColumn_->setSpacing(6);

  vbox(content, {kMargin, 6, kMargin, 12}, 0,
       {place_, gap(4), title_, gap(10), text_, gap(14), choiceColumn_, gap(10), reply_, launch_, gap(6),
        command_, rest()});
  scroll_ = new QScrollArea(this);
  scroll_->setWidget(content);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

  back_ = new QPushButton(tr("Back"), this);
  next_ = new QPushButton(tr("Next"), this);
  auto* page = new QWidget(this);
  vbox(page, {}, 0, {{scroll_, 1}, hbox(nullptr, {kMargin, 10, kMargin, 12}, 8, {{back_, 1}, {next_, 2}})});
  connect(back_, &QPushButton::clicked, this, [this] { turn(-1); });
  connect(next_, &QPushButton::clicked, this, [this] { turn(1); });
  connect(launch_, &QPushButton::clicked, this, [this] { Q_EMIT launchRequested(*this->page()->launch); });
  return page;
}

const LessonPage* LessonPanel::page() const {
  return row_ < 0 ? nullptr : &model_->lesson(row_).pages.at(page_);
}

void LessonPanel::showList() {
  row_ = -1;
  pages_->setCurrentIndex(0);
  lessons_->setText(tr("Lessons"));
  lessons_->setEnabled(false);
  Q_EMIT left();
}

void LessonPanel::start(int row) {
  if (row < 0 || row >= model_->rowCount()) return;
  row_ = row;
  page_ = 0;
  list_->setCurrentIndex(model_->index(row));
  pages_->setCurrentIndex(1);
  lessons_->setText(tr("‹ All lessons"));
  lessons_->setEnabled(true);
  next_->setFocus();
  showPage();
}

void LessonPanel::turn(int pages) {
  if (page() == nullptr) return;
  const int wanted = static_cast<int>(page_) + pages;
  if (wanted >= static_cast<int>(model_->lesson(row_).pages.size())) {
    model_->markDone(row_);
    showList();
    list_->setFocus();
  } else if (wanted >= 0) {
    page_ = static_cast<std::size_t>(wanted);
    showPage();
  }
}

void LessonPanel::showPage() {
  const Lesson& lesson = model_->lesson(row_);
  const LessonPage& shown = *page();
  const bool isLast = page_ + 1 == lesson.pages.size();
  place_->setText(tr("%1 · %2 of %3").arg(lesson.title).arg(page_ + 1).arg(lesson.pages.size()));
  title_->setText(shown.title);
  text_->clear();
  reply_->hide();
  back_->setEnabled(page_ > 0);
  next_->setText(isLast ? tr("Finish") : tr("Next"));
  launch_->setVisible(shown.launch.has_value());
  command_->setVisible(shown.launch.has_value());
  if (shown.launch) command_->setText(launchCommand(*shown.launch));
  setChoices({});
  scroll_->verticalScrollBar()->setValue(0);
  Q_EMIT pageShown(shown);
}

void LessonPanel::setContent(const QString& markdown, std::vector<LessonChoice> choices) {
  setText(markdown);
  setChoices(std::move(choices));
}

void LessonPanel::setChoices(std::vector<LessonChoice> choices) {
  for (QPushButton* button : choices_) delete button;
  choices_.clear();
  asked_ = std::move(choices);
  for (const LessonChoice& choice : asked_) {
    auto* button = new QPushButton(choice.text, this);
    button->setObjectName(QStringLiteral("choice"));
    connect(button, &QPushButton::clicked, this, [this, i = choices_.size()] { choose(i); });
    choiceColumn_->addWidget(button);
    choices_.push_back(button);
  }
  // The question comes before what turns the page.
  std::vector<QWidget*> order(choices_.begin(), choices_.end());
  order.insert(order.end(), {launch_, back_, next_});
  for (std::size_t i = 1; i < order.size(); ++i) setTabOrder(order[i - 1], order[i]);
}

void LessonPanel::choose(std::size_t choice) {
  const LessonChoice& chosen = asked_.at(choice);
  for (QPushButton* button : choices_) setStyleProperty(button, "tone", QLatin1String(""));
  setStyleProperty(choices_.at(choice), "tone", QLatin1String(chosen.isRight ? "good" : "bad"));
  reply_->setText((chosen.isRight ? tr("Right. %1") : tr("Not quite. %1")).arg(chosen.reply));
  setStyleProperty(reply_, "tone", QLatin1String(chosen.isRight ? "good" : "bad"));
  reply_->show();
}

// Sets the text with air between the paragraphs and in tables, which a label alone does not give.
void LessonPanel::setText(const QString& markdown) {
  QTextDocument document;
  document.setDefaultFont(text_->font());
  document.setIndentWidth(kIndent);
  document.setMarkdown(markdown);
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    QTextBlockFormat format = block.blockFormat();
    const bool goesOn = block.textList() != nullptr && block.next().textList() == block.textList();
    format.setTopMargin(0);
    format.setBottomMargin(goesOn ? kParagraphGap / 2 : block.next().isValid() ? kParagraphGap : 0);
    QTextCursor(block).setBlockFormat(format);
  }
  for (QTextFrame* frame : document.rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setBorder(0);
    format.setCellSpacing(0);
    format.setCellPadding(kParagraphGap / 4);
    format.setTopMargin(kParagraphGap);
    format.setBottomMargin(kParagraphGap);
    table->setFormat(format);
  }
  text_->setText(document.toHtml());
}

}  // namespace batchscope::desktop
