// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/waiting_page.h"

#include <QFrame>
#include <QGridLayout>
#include <QPushButton>

#include "batchscope/common/capital.h"
#include "batchscope/common/cluster_text.h"
#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "look/theme.h"
#include "queue/cancel_question.h"
#include "session/queue_session.h"
#include "session/run_command.h"
#include "session/run_session.h"
#include "session/shell_words.h"

namespace batchscope::desktop {
namespace {

constexpr int kWidth = 560;

// Returns whether Slurm holds the job, until somebody releases it.
bool isHeld(const storage::Origin& origin) { return origin.job && origin.job->reason.starts_with("JobHeld"); }

}  // namespace

WaitingPage::WaitingPage(RunSession* run, QueueSession* queue, QWidget* parent)
    : QWidget(parent),
      run_(run),
      queue_(queue),
      name_(new ElidedLabel(this)),
      chip_(named("chip", this)),
      why_(new QLabel(this)),
      hold_(new QPushButton(tr("Hold"), this)) {
  name_->setObjectName(QStringLiteral("runName"));
  chip_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setStyleProperty(chip_, "tone", QStringLiteral("warning"));
  why_->setObjectName(QStringLiteral("lessonText"));
  why_->setWordWrap(true);
  QFrame* const frame = card(this);
  frame->setFixedWidth(kWidth);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 1);
  for (std::size_t row = 0; row < values_.size(); ++row) {
    names_[row] = named("dim", frame);
    values_[row] = row + 1 < values_.size() ? new QLabel(frame) : new ElidedLabel(frame);
    grid->addWidget(names_[row], static_cast<int>(row), 0);
    grid->addWidget(values_[row], static_cast<int>(row), 1);
  }
  queueButton_ = new QPushButton(tr("Show the queue"), frame);
  queueButton_->setObjectName(QStringLiteral("primary"));
  auto* cancel = new QPushButton(tr("Cancel …"), frame);
  cancel->setObjectName(QStringLiteral("danger"));
  vbox(frame, {18, 16, 18, 16}, 0,
       {named("section", frame, tr("Why it waits")), gap(6), why_, gap(16), grid, gap(18),
        hbox(nullptr, {}, 8, {queueButton_, rest(), hold_, cancel})});
  QLayout* head = hbox(nullptr, {}, 10, {name_, {chip_, 0, Qt::AlignVCenter}, rest()});
  QLabel* hint = named("dim", this, tr("Its charts are drawn here as soon as it has devices."));
  vbox(this, {14, 12, 14, 12}, 0,
       {head, rest(), {frame, 0, Qt::AlignHCenter}, gap(12), {hint, 0, Qt::AlignHCenter}, rest(), rest()});

  connect(queueButton_, &QPushButton::clicked, this, &WaitingPage::queueRequested);
  connect(hold_, &QPushButton::clicked, this, &WaitingPage::holdOrRelease);
  connect(cancel, &QPushButton::clicked, this, &WaitingPage::cancel);
  connect(run_, &RunSession::opened, this, &WaitingPage::refresh);
  connect(run_, &RunSession::statusChanged, this, &WaitingPage::refresh);
  connect(queue_, &QueueSession::changed, this, &WaitingPage::refresh);
}

void WaitingPage::holdOrRelease() {
  if (run_->elsewhere())
    return run_->handOn(run_->run().id,
                        isHeld(*run_->elsewhere()) ? QStringLiteral("release") : QStringLiteral("hold"));
  const pool::QueueEntry* entry = queue_->find(run_->run().id);
  if (entry == nullptr) return;
  queue_->change([id = entry->run.id, isHeld = entry->job.held](storage::Catalogue& catalogue) {
    isHeld ? pool::release(catalogue, id) : pool::hold(catalogue, id);
  });
}

void WaitingPage::cancel() {
  const std::string& id = run_->run().id;
  const QString name = QString::fromStdString(run_->run().name);
  if (!run_->elsewhere()) return askToCancel(queue_, {id}, name, window());
  askToCancel(name, tr("Its job is taken out of the cluster's queue. A new job can resume the run later."),
              window(), this, [this, id] { run_->handOn(id, QStringLiteral("cancel")); });
}

// Shows what the cluster says of the run's job.
void WaitingPage::refreshElsewhere(const storage::Origin& origin) {
  const storage::ClusterJob job = origin.job.value_or(storage::ClusterJob());
  const auto word = [](const std::string& text) {
    return text.empty() ? QStringLiteral("–") : QString::fromStdString(text);
  };
  chip_->setText(isHeld(origin) ? tr("Held") : tr("Pending"));
  why_->setText(common::waitText(origin));
  hold_->setText(isHeld(origin) ? tr("Release") : tr("Hold"));
  hold_->setEnabled(storage::waits(job));
  values_[0]->setText(QString::fromStdString(common::clusterName(origin)));
  values_[1]->setText(word(job.partition));
  values_[2]->setText(word(job.number));
  values_[3]->setText(word(job.nodes));
  values_[4]->setText(job.start > 0 ? common::formatTimeOfDay(job.start) : tr("not known yet"));
}

void WaitingPage::refresh() {
  if (!isVisible() || !run_->isOpen()) return;
  const storage::Run& waiting = run_->run();
  const bool isElsewhere = run_->elsewhere().has_value();
  const std::array<QString, 6> names =
      isElsewhere ? std::array{tr("Cluster"), tr("Partition"),      tr("Job"),
                               tr("Nodes"),   tr("Expected start"), tr("Command")}
                  : std::array{tr("Place in the queue"), tr("Allowed"),      tr("Priority"),
                               tr("Submitted"),          tr("Expected end"), tr("Command")};
  for (std::size_t row = 0; row < names.size(); ++row) {
    names_[row]->setText(names[row]);
    values_[row]->setAccessibleName(names[row]);
  }
  name_->setText(QString::fromStdString(waiting.name));
  values_[5]->setText(commandOf(waiting.spec));
  values_[5]->setToolTip(values_[5]->text());
  queueButton_->setVisible(!isElsewhere);
  if (isElsewhere) return refreshElsewhere(*run_->elsewhere());
  values_[1]->setText(replicasText(waiting.spec));
  const pool::QueueEntry* entry = queue_->find(waiting.id);
  hold_->setEnabled(entry != nullptr);
  hold_->setText(entry != nullptr && entry->job.held ? tr("Release") : tr("Hold"));
  if (entry == nullptr) {  // not read yet
    chip_->setText(tr("Pending"));
    for (const std::size_t row : {0, 2, 3, 4}) values_[row]->setText(QStringLiteral("–"));
    why_->clear();
    return;
  }
  const storage::Job& job = entry->job;
  chip_->setText(job.held ? tr("Held") : tr("Pending"));
  QString why = common::whyText(*entry);
  if (const pool::QueueEntry* before = queue_->find(job.after); before != nullptr && !hasEnded(*before))
    why = tr("waits for the end of %1").arg(QString::fromStdString(before->run.name));
  why_->setText(common::capital(why) + QLatin1Char('.'));
  values_[0]->setText(
      tr("%1 of %2").arg(queue_->place(waiting.id)).arg(queueLength(queue_->snapshot().entries)));
  values_[2]->setText(QString::number(job.priority));
  values_[3]->setText(
      tr("%1, waited %2").arg(common::formatTimeOfDay(job.submitted), common::formatDuration(entry->waited)));
  values_[4]->setText(job.expected_end > 0 ? common::formatTimeOfDay(job.expected_end) : tr("not known yet"));
}

void WaitingPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

}  // namespace batchscope::desktop
