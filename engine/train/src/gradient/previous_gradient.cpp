// SPDX-License-Identifier: Apache-2.0
#include "gradient/previous_gradient.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace batchscope::train {

PreviousGradient::PreviousGradient(const std::vector<std::size_t>& group_of, bool divided)
    : copying_(divided) {
  for (const std::size_t group : group_of) {
    entries_.emplace_back().group = group;
    groups_ = std::max(groups_, group + 1);
  }
}

bool PreviousGradient::measure(std::size_t parameter, const at::Tensor& gradient, const at::Tensor& divisor) {
  Entry& entry = entries_[parameter];
  entry.present = true;
  entry.squares = {};
  if (!measured_at_once(gradient)) {
    entry.waiting = gradient;
    entry.divisor = divisor;
    return false;
  }
  if (entry.previous.defined())
    add_pair(gradient, entry.previous, entry.squares, divisor);
  else
    add_square(gradient, entry.squares.current, divisor);
  if (copying_) copy(entry, gradient);
  return true;
}

void PreviousGradient::copy(Entry& entry, const at::Tensor& gradient) {
  if (!entry.copy.defined()) entry.copy = at::empty_like(gradient);
  entry.copy.copy_(gradient);
}

void PreviousGradient::measure_waiting() {
  std::vector<at::Tensor> current, previous, paired;
  std::vector<SquareSum*> of_current, of_previous, of_mean;
  for (Entry& entry : entries_) {
    if (!entry.waiting.defined()) continue;
    const auto divided = [&](const at::Tensor& gradient) {
      return entry.divisor.defined() ? at::div(gradient, entry.divisor) : gradient;
    };
    current.push_back(divided(entry.waiting));
    of_current.push_back(&entry.squares.current);
    if (entry.previous.defined()) {
      previous.push_back(divided(entry.previous));
      of_previous.push_back(&entry.squares.previous);
      paired.push_back(current.back());
      of_mean.push_back(&entry.squares.mean);
    }
    if (copying_) copy(entry, entry.waiting);
  }
  if (current.empty()) return;
  measured_.sums = std::move(of_current);
  if (!previous.empty()) {
    std::vector<at::Tensor> mean = at::_foreach_add(paired, previous);
    at::_foreach_mul_(mean, 0.5);
    for (auto* more : {&previous, &mean}) current.insert(current.end(), more->begin(), more->end());
    for (auto* more : {&of_previous, &of_mean})
      measured_.sums.insert(measured_.sums.end(), more->begin(), more->end());
  }
  measured_.squares = squares_of(std::move(current));
}

void PreviousGradient::fetch_measured() {
  if (measured_.sums.empty()) return;
  const at::Tensor squares = measured_.squares.cpu();
  const double* next = squares.data_ptr<double>();
  for (SquareSum* sum : measured_.sums) {
    sum->clear();
    sum->add(*next++);
  }
  measured_ = {};
}

PreviousGradient::Norms PreviousGradient::advance(const std::vector<at::Tensor>& parameters) {
  fetch_measured();
  std::vector<SquareSum> sums;
  sums.reserve(3 * entries_.size());
  for (const Entry& entry : entries_)
    sums.insert(sums.end(), {entry.squares.current, entry.squares.previous, entry.squares.mean});
  const std::vector<double> squares = values(sums);

  Norms norms{std::vector<double>(groups_), std::vector<double>(groups_), std::vector<double>(groups_),
              known_};
  bool touched = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    // Where a parameter has a gradient in one of the two steps only, the other one's is zero.
    const bool pair = entry.present && entry.previous.defined();
    const double current = squares[3 * i];
    const double previous = pair ? squares[3 * i + 1] : entry.previous_square;
    norms.current[entry.group] += current;
    norms.previous[entry.group] += previous;
    norms.mean[entry.group] += pair ? squares[3 * i + 2] : (current + previous) / 4;
    norms.pair = norms.pair && std::isfinite(previous);
    touched = touched || (!copied_ && previous != entry.previous_square);

    if (!entry.present)
      entry.previous.reset();
    else if (copying_)
      std::swap(entry.previous, entry.copy);
    else
      entry.previous = parameters[i].grad();
    entry.previous_square = current;
    entry.present = false;
    entry.squares = {};
    entry.waiting.reset();
    entry.divisor.reset();
  }
  copied_ = copying_;
  if (norms.pair && touched) {
    norms.pair = false;
    copying_ = true;
  }
  known_ = true;
  return norms;
}

void PreviousGradient::forget() {
  known_ = false;
  measured_ = {};
  for (Entry& entry : entries_) {
    entry.previous.reset();
    entry.previous_square = 0;
    entry.present = false;
    entry.squares = {};
    entry.waiting.reset();
    entry.divisor.reset();
  }
}

std::vector<at::Tensor> PreviousGradient::tensors() const {
  std::vector<at::Tensor> tensors;
  if (known_)
    for (const Entry& entry : entries_) tensors.push_back(entry.previous);
  return tensors;
}

void PreviousGradient::restore(std::vector<at::Tensor> tensors) {
  forget();
  if (tensors.size() != entries_.size()) return;
  std::vector<SquareSum> sums(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].previous = std::move(tensors[i]);
    if (entries_[i].previous.defined()) add_square(entries_[i].previous, sums[i]);
  }
  const std::vector<double> squares = values(sums);
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].previous_square = squares[i];
  known_ = copied_ = true;
}

}  // namespace batchscope::train
