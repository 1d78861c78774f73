// SPDX-License-Identifier: Apache-2.0
//
// Names are checked, not used as keys: a parameter is found by its place in the module.
#include "training_state.h"

#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <torch/serialize/archive.h>

#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/train/lr_scheduler.h"
#include "gradient_sync.h"
#include "optimizer_state.h"

namespace batchscope {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

constexpr std::int64_t kVersion = 1;

// A view would drag its whole storage (a bucket) into the archive.
at::Tensor compact(const at::Tensor& tensor) {
  const at::Tensor detached = tensor.detach();
  return detached.storage().nbytes() == detached.nbytes() ? detached : detached.clone();
}

void write_numbers(OutputArchive& archive, const std::string& key, const std::vector<double>& numbers) {
  archive.write(key, at::tensor(numbers, at::kDouble), /*is_buffer=*/true);
}

// Empty where there are none.
std::vector<double> read_numbers(InputArchive& archive, const std::string& key) {
  at::Tensor tensor;
  if (!archive.try_read(key, tensor, /*is_buffer=*/true)) return {};
  tensor = tensor.to(at::kDouble).contiguous();
  return {tensor.data_ptr<double>(), tensor.data_ptr<double>() + tensor.numel()};
}

std::int64_t read_count(InputArchive& archive, const std::string& key) {
  c10::IValue value;
  archive.read(key, value);
  return value.toInt();
}

std::string text(at::IntArrayRef sizes) {
  std::ostringstream out;
  out << sizes;
  return out.str();
}

// All of a training state at one moment; the archive is made of it when it is written, which is the slow
// part.
struct Image {
  std::vector<NamedTensor> tensors;
  OptimizerImage optimizer;
  std::optional<std::vector<double>> scheduler;
  std::vector<double> noise, last_step, order;
  std::vector<at::Tensor> previous;

  void write(std::ostream& out) const {
    const c10::NoGradGuard no_grad;
    OutputArchive archive;
    archive.write("version", c10::IValue(kVersion));
    archive.write("tensors", c10::IValue(static_cast<std::int64_t>(tensors.size())));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      archive.write("name" + std::to_string(i), c10::IValue(tensors[i].name));
      archive.write("tensor" + std::to_string(i), compact(tensors[i].tensor), /*is_buffer=*/true);
    }
    OutputArchive optimizer_archive(archive.compilation_unit());
    optimizer.save(optimizer_archive);
    archive.write("optimizer", optimizer_archive);
    if (scheduler) write_numbers(archive, "scheduler", *scheduler);
    write_numbers(archive, "noise", noise);
    write_numbers(archive, "last_step", last_step);
    write_numbers(archive, "order", order);
    archive.write("previous", c10::IValue(static_cast<std::int64_t>(previous.size())));
    for (std::size_t i = 0; i < previous.size(); ++i)
      if (previous[i].defined())
        archive.write("previous" + std::to_string(i), compact(previous[i]), /*is_buffer=*/true);
    archive.save_to(out);
  }
};

Image image_of(const TrainingState::Parts& parts, OptimizerImage::Tensors tensors) {
  const std::vector<std::size_t> order = parts.gradients.order();
  Image image{parts.module.all(),
              OptimizerImage(parts.optimizer, tensors),
              {},
              parts.noise.state(),
              {parts.last_step.gain, parts.last_step.lr_factor},
              {order.begin(), order.end()},
              parts.gradients.previous_gradient()};
  if (parts.scheduler) image.scheduler = parts.scheduler->state();
  return image;
}

}  // namespace

void TrainingState::save(std::ostream& out) { image_of(parts_, OptimizerImage::Tensors::shared).write(out); }

checkpoint::State::Writer TrainingState::snapshot() {
  const c10::NoGradGuard no_grad;
  const auto image = std::make_shared<Image>(image_of(parts_, OptimizerImage::Tensors::copied));
  for (NamedTensor& named : image->tensors) named.tensor = named.tensor.detach().clone();
  for (at::Tensor& tensor : image->previous)
    if (tensor.defined()) tensor = tensor.detach().clone();
  return [image](std::ostream& out) { image->write(out); };
}

void TrainingState::load(std::istream& in) try {
  const c10::NoGradGuard no_grad;
  InputArchive archive;
  archive.load_from(in);
  if (const std::int64_t version = read_count(archive, "version"); version > kVersion)
    throw Error(ErrorKind::version, "the state '" + name() + "' has version " + std::to_string(version) +
                                        ", written by a newer BatchScope; this one reads up to " +
                                        std::to_string(kVersion));

  const std::vector<NamedTensor> tensors = parts_.module.all();
  const std::int64_t count = read_count(archive, "tensors");
  if (count != static_cast<std::int64_t>(tensors.size()))
    throw Error(ErrorKind::usage, "the checkpoint's module has " + std::to_string(count) +
                                      " parameters and buffers, this program's has " +
                                      std::to_string(tensors.size()));
  std::vector<at::Tensor> saved(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    c10::IValue saved_name;
    archive.read("name" + std::to_string(i), saved_name);
    archive.read("tensor" + std::to_string(i), saved[i], /*is_buffer=*/true);
    if (saved_name.toStringRef() != tensors[i].name || saved[i].sizes() != tensors[i].tensor.sizes())
      throw Error(ErrorKind::usage, "the checkpoint has " + saved_name.toStringRef() + " of shape " +
                                        text(saved[i].sizes()) + " where this program has " +
                                        tensors[i].name + " of shape " + text(tensors[i].tensor.sizes()));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].tensor.copy_(saved[i]);

  InputArchive optimizer;
  archive.read("optimizer", optimizer);
  load_optimizer(parts_.optimizer, optimizer);
  const std::vector<double> scheduler = read_numbers(archive, "scheduler");
  if (parts_.scheduler && !scheduler.empty()) parts_.scheduler->restore(scheduler);
  parts_.noise.restore(read_numbers(archive, "noise"));
  // Checkpoints made before these were kept have neither.
  if (const auto last = read_numbers(archive, "last_step"); last.size() == 2)
    parts_.last_step = {last[0], last[1]};
  const std::vector<double> order = read_numbers(archive, "order");
  parts_.gradients.restore_order({order.begin(), order.end()});

  std::vector<at::Tensor> previous(static_cast<std::size_t>(read_count(archive, "previous")));
  for (std::size_t i = 0; i < previous.size(); ++i)
    archive.try_read("previous" + std::to_string(i), previous[i], /*is_buffer=*/true);
  if (!previous.empty()) parts_.gradients.restore_previous_gradient(std::move(previous));
} catch (const c10::Error& error) {
  throw Error(ErrorKind::corrupt,
              "the state '" + name() + "' cannot be read: " + error.what_without_backtrace());
}

}  // namespace batchscope
