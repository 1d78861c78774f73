// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/status_line.h"

#include <QLabel>
#include <QThread>

#include "batchscope/common/number_text.h"
#include "batchscope/storage/maintenance.h"

namespace batchscope::desktop {
namespace {

namespace fs = std::filesystem;

// The catalogue and the series of every run, without checkpoints and logs.
std::int64_t storeSize(const fs::path& catalogue) {
  std::int64_t bytes = storage::size_on_disk(catalogue);
  std::error_code missing;
  for (const auto& run : fs::directory_iterator(catalogue.parent_path() / "runs", missing))
    bytes += storage::size_on_disk(run.path() / "samples.db");
  return bytes;
}

}  // namespace

StatusLine::StatusLine(const fs::path& catalogue, QWidget* parent)
    : QStatusBar(parent), recording_(new QLabel(this)) {
  const int cores = QThread::idealThreadCount();
  auto* machine = new QLabel(cores == 1 ? tr("1 core") : tr("%1 cores").arg(cores), this);
  auto* store = new QLabel(this);
  for (QLabel* label : {machine, store, recording_}) addWidget(label);
  addPermanentWidget(new QLabel(tr("F1 shortcuts"), this));
  setSizeGripEnabled(false);

  const auto measure = [catalogue, store] {
    store->setText(tr("store %1").arg(common::formatBytes(storeSize(catalogue))));
  };
  connect(&storeTimer_, &QTimer::timeout, this, measure);
  storeTimer_.start(10'000);
  measure();
}

void StatusLine::setRecording(bool isRecording) {
  recording_->setText(isRecording ? tr("recording every step") : QString());
}

}  // namespace batchscope::desktop
