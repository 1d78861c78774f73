// SPDX-License-Identifier: Apache-2.0
/// \file
/// What was measured of an application, in the form that was published with Pollux: step times for placements
/// and local batch sizes, and for some batch sizes a training from its begin to its end, a row an epoch. From
/// it follows all that the simulator asks: step time, gradient statistics and progress in any configuration.
///
///     a measured placement        between its local batch sizes, on a line
///     any other                   the same in a table by (nodes, replicas), where there is one
///     else                        the performance model, fitted to all that was measured, or refused
///     gradient, iterations        between the batch sizes of the trainings, on a line
///     progress                    the least among the trainings
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/goodput/model.h"

namespace batchscope::policy {

/// Times of one step with one micro-batch.
struct StepTimes {
  double step = 0;  ///< s, all of it
  double sync = 0;  ///< s, of it what a micro-batch that does not synchronise is shorter
};

/// A step that was measured.
struct MeasuredStep {
  int num_nodes = 1;                  ///< at least 1
  int num_replicas = 1;               ///< at least num_nodes
  std::int64_t local_batch_size = 1;  ///< samples of a replica's micro-batch
  StepTimes times;                    ///< mean
};

/// An epoch of a training with one batch size.
struct MeasuredEpoch {
  double progress = 0;           ///< scale-invariant iterations at its end
  double iteration = 0;          ///< iterations at its end
  goodput::GradParams gradient;  ///< during it
};

/// Thrown where steps are asked for on a placement that was not measured.
struct NotMeasured : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Everything that was read.
struct ProfileData {
  std::string name;  ///< the application's
  /// Measured epochs by batch size. At least one batch size, each with at least one epoch.
  std::map<std::int64_t, std::vector<MeasuredEpoch>> trainings;
  /// Measured steps by replicas on each node (smallest rotation), sorted by local batch size. At least one.
  std::map<std::vector<int>, std::vector<MeasuredStep>> placements;
  /// Measured steps on more nodes than placements tells apart: for the model.
  std::vector<MeasuredStep> elsewhere;
  /// Measured steps by nodes and replicas, sorted by local batch size, for placements that were not measured.
  std::map<std::pair<int, int>, std::vector<MeasuredStep>> between;
  std::int64_t max_local_batch_size = 0;  ///< samples; 0: the largest measured
  std::int64_t batch_size = 0;            ///< samples, where it is not chosen freely; 0: it is
  bool accumulation = true;               ///< whether several micro-batches a step may be chosen
  bool single_gradient = false;           ///< whether one replica may grow without them (goodput::Bounds)
  bool measured_only = false;  ///< placements without a measurement or a table are refused, not modelled
  int max_replicas = 0;        ///< 0: no limit but that of the batch size
  double epoch_rounding = 1;   ///< s that epochs end in whole multiples of, as was published; 0: none
};

/// Returns the rotation of the replicas on each node that comes first in numeric order: to a ring all
/// rotations are alike.
std::vector<int> smallest_rotation(const std::vector<int>& per_node);

/// An application as the simulator sees it. Remembers what it has answered; for use by one thread at a time.
class Application {
 public:
  /// Throws std::invalid_argument, with what is missing, for data without trainings, epochs or steps, with
  /// progress that does not grow, or limits that exclude everything.
  explicit Application(ProfileData data);
  ~Application();
  Application(Application&&) noexcept;             ///< leaves the other one to be destroyed
  Application& operator=(Application&&) noexcept;  ///< as the constructor

  const std::string& name() const { return data_.name; }              ///< as read
  std::int64_t init_batch_size() const;                               ///< the smallest of the trainings
  std::int64_t max_batch_size() const;                                ///< the largest of the trainings
  std::int64_t min_local_batch_size() const { return min_local_; }    ///< samples
  std::int64_t max_local_batch_size() const { return max_local_; }    ///< samples
  std::int64_t fixed_batch_size() const { return data_.batch_size; }  ///< samples; 0: none
  double epoch_rounding() const { return data_.epoch_rounding; }      ///< s; 0: none
  int epochs() const { return epochs_; }                              ///< until it ends, at least 1
  bool uses_model() const;  ///< whether the model has stood in for a placement that was asked for
  /// Returns the most replicas that a batch size allows: at least 1.
  int max_replicas(std::int64_t batch_size) const;
  /// Returns the bounds of the batch sizes that goodput may choose.
  goodput::Bounds bounds() const;

  /// Returns the times of a step of this micro-batch on so many replicas a node; they are positive. Throws
  /// NotMeasured where ProfileData::measured_only forbids the model.
  StepTimes step_times(const std::vector<int>& per_node, std::int64_t local_batch_size) const;
  /// Returns the statistics during an epoch, from 0, of a training with this batch size, or with the nearest
  /// that was measured.
  goodput::GradParams gradient(std::int64_t batch_size, int epoch) const;
  /// Returns the scale-invariant iterations after so many epochs.
  double progress(int epochs) const;
  /// Returns the iterations at the end of an epoch, from 0, with this batch size.
  double iterations(std::int64_t batch_size, int epoch) const;

 private:
  struct Memory;
  StepTimes measured(std::span<const MeasuredStep> steps, std::int64_t local_batch_size) const;
  StepTimes modelled(int num_nodes, int num_replicas, std::int64_t local_batch_size) const;
  std::pair<std::int64_t, std::int64_t> neighbours(std::int64_t batch_size) const;

  ProfileData data_;
  std::int64_t min_local_ = 0, max_local_ = 0;
  int epochs_ = 0;
  std::vector<double> progress_;
  std::unique_ptr<Memory> memory_;
};

/// The applications of a workload, by name.
using Applications = std::map<std::string, Application>;

}  // namespace batchscope::policy
