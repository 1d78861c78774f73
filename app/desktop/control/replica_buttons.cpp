// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/replica_buttons.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStyle>
#include <algorithm>
#include <set>
#include <utility>

#include "batchscope/common/run_text.h"

namespace batchscope::desktop {

std::vector<int> replicaChoices(int devices, int present) {
  std::set<int> counts{devices};
  int power = 1;
  for (; power <= devices; power *= 2) counts.insert(power);
  counts.insert(power);
  if (devices < 4) counts.insert(devices + 1);
  if (present > 0) counts.insert(present);
  return {counts.begin(), counts.end()};
}

ReplicaButtons::ReplicaButtons(QWidget* parent)
    : QWidget(parent), row_(new QHBoxLayout(this)), group_(new QButtonGroup(this)) {
  row_->setContentsMargins(0, 0, 0, 0);
  row_->setSpacing(0);
  setAccessibleName(tr("Number of replicas"));
  group_->setExclusive(true);
  connect(group_, &QButtonGroup::idClicked, this, [this](int replicas) {
    chosen_ = replicas;
    Q_EMIT chosenChanged(replicas);
  });
  rebuild();
}

void ReplicaButtons::rebuild() {
  choices_ = replicaChoices(devices_.all, present_);
  if (chosen_ > 0 && std::find(choices_.begin(), choices_.end(), chosen_) == choices_.end())
    choices_.insert(std::upper_bound(choices_.begin(), choices_.end(), chosen_), chosen_);
  for (QAbstractButton* old : group_->buttons()) {
    group_->removeButton(old);
    row_->removeWidget(old);
    old->hide();
    old->deleteLater();
  }
  for (const int replicas : choices_) {
    auto* button = new QPushButton(QString::number(replicas), this);
    button->setObjectName(QStringLiteral("segment"));
    button->setCheckable(true);
    button->setChecked(replicas == chosen_);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setProperty("place", replicas == choices_.front()  ? "first"
                                 : replicas == choices_.back() ? "last"
                                                               : "middle");
    button->setProperty("present", replicas == present_);
    button->setProperty("beyond", replicas > devices_.free);
    button->setAccessibleName(common::replicaCount(replicas));
    button->setToolTip(hint(replicas));
    group_->addButton(button, replicas);
    row_->addWidget(button, 1);
  }
}

QString ReplicaButtons::hint(int replicas) const {
  const QString prediction = prediction_ ? prediction_(replicas) : QString();
  return prediction.isEmpty() ? sharing(replicas) : sharing(replicas) + QLatin1Char('\n') + prediction;
}

QString ReplicaButtons::sharing(int replicas) const {
  const QString count = common::replicaCount(replicas);
  if (replicas <= devices_.free) return count;
  if (devices_.areGpus) {
    const QString all = devices_.all == 1 ? tr("1 GPU") : tr("%1 GPUs").arg(devices_.all);
    return tr("%1, and %2 of %3 free").arg(count).arg(devices_.free).arg(all);
  }
  const QString all = devices_.all == 1 ? tr("1 core") : tr("%1 cores").arg(devices_.all);
  return replicas > devices_.all ? tr("%1 on %2: they will share, and each step takes longer").arg(count, all)
                                 : tr("%1, and %2 of %3 free: they will share with other runs")
                                       .arg(count)
                                       .arg(devices_.free)
                                       .arg(all);
}

void ReplicaButtons::setDevices(const Devices& devices) {
  if (devices == devices_) return;
  devices_ = devices;
  rebuild();
}

void ReplicaButtons::setPresent(int replicas) {
  if (replicas == present_) return;
  present_ = replicas;
  rebuild();
}

void ReplicaButtons::setPrediction(std::function<QString(int)> of) {
  prediction_ = std::move(of);
  for (QAbstractButton* button : group_->buttons()) button->setToolTip(hint(group_->id(button)));
}

void ReplicaButtons::setChosen(int replicas) {
  if (replicas == chosen_) return;
  const bool hadExtra = choices_ != replicaChoices(devices_.all, present_);
  chosen_ = replicas;
  if (hadExtra || group_->button(replicas) == nullptr) {
    rebuild();
  } else {
    group_->button(replicas)->setChecked(true);
  }
}

void ReplicaButtons::choose(int replicas) {
  if (replicas == chosen_) return;
  setChosen(replicas);
  Q_EMIT chosenChanged(replicas);
}

void ReplicaButtons::step(int offset) {
  const auto at = std::find(choices_.begin(), choices_.end(), chosen_) - choices_.begin();
  const auto to =
      std::clamp<std::ptrdiff_t>(at + offset, 0, static_cast<std::ptrdiff_t>(choices_.size()) - 1);
  choose(choices_[static_cast<std::size_t>(to)]);
}

}  // namespace batchscope::desktop
