// SPDX-License-Identifier: Apache-2.0
/// \file
/// What replicas tell the supervisor, over a Unix stream socket, one JSON object a line. Rank 0 sends at
/// most 20 Steps messages a second, each with every step since the last; every rank sends a Heartbeat
/// with its step. Times are CLOCK_MONOTONIC seconds: comparable between the processes of one machine, and
/// never set back. Sending never blocks a training step; what overflows is counted in `dropped`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::protocol {

/// First message of a connection, sent when the process group stands.
struct Hello {
  int version = 1;          ///< of these messages
  int rank = 0;             ///< 0 to replicas - 1
  int generation = 0;       ///< restarts so far
  std::int64_t pid = 0;     ///< of the replica
  std::string backend;      ///< "gloo", "nccl" or "none" (a single process)
  std::string device;       ///< "cpu", "cuda:0"; empty: not known
  std::string library;      ///< "LibTorch 1.13.0", "AdaptDL 0.2.11, PyTorch 1.13.1"
  int threads = 1;          ///< compute threads
  bool forked = false;      ///< by the fork server, not exec'ed
  double started = 0;       ///< s, when the process entered init_process_group
  double mono = 0;          ///< s, when the group stood
  bool heartbeats = true;   ///< it sends them; a replica without them is never taken to hang
  bool checkpoints = true;  ///< it writes one whenever SIGUSR1 asks for it
  bool serves = false;  ///< it could be forked though its program's file does not say so, such as a script's
};

/// The states are loaded, and the first loop that is not skipped begins.
struct Restored {
  int rank = 0;            ///< of the sender
  std::string checkpoint;  ///< file name of the checkpoint directory; empty: a fresh start
  std::int64_t step = 0;   ///< optimizer steps done so far
  double mono = 0;         ///< s, when it was sent
};

/// Per-step series of rank 0: columns of equal length, one entry per optimizer step, beginning with
/// `first_step` (the first step of a run is 1). "mono" is always among them. Names in series.h.
struct Steps {
  std::int64_t first_step = 0;                         ///< that the columns begin with
  std::map<std::string, std::vector<double>> columns;  ///< by name, units as in series.h
  std::int64_t dropped = 0;                            ///< steps lost to a full socket so far
};

/// A value at a step that does not come with every step: validation metrics, user scalars.
struct Scalar {
  std::string name;       ///< of the series
  std::int64_t step = 0;  ///< optimizer steps done
  double value = 0;       ///< in the program's own unit
  double mono = 0;        ///< s, when it was sent
};

/// A sign of life of a replica, and what it does.
struct Heartbeat {
  int rank = 0;           ///< of the sender
  std::int64_t step = 0;  ///< optimizer steps done
  std::string phase;      ///< "train", "validate", "checkpoint", "idle"
  std::string waiting;    ///< the collective in which it waits for other replicas; empty: it computes
  double since = 0;       ///< s, since when it has done only that: its last sign of progress
  double mono = 0;        ///< s, when it was sent
};

/// Where the run stands, for progress bars; rank 0, with each batch of Steps and during validation.
struct Position {
  int epoch = 0;        ///< epochs finished
  int epochs = 0;       ///< epochs asked for; 0: unknown
  std::string loop;     ///< "train" or "validate"
  double fraction = 0;  ///< of this loop, 0..1
  double progress = 0;  ///< scale-invariant iterations done
  double mono = 0;      ///< s, when it was sent
};

/// An epoch begins or ends.
struct EpochMark {
  int epoch = 0;          ///< from 0
  bool begin = true;      ///< else its end
  std::int64_t step = 0;  ///< optimizer steps done
  double mono = 0;        ///< s, when it was sent
};

/// A stretch of one dataset pass that was consumed: positions [from, to) of the permutation of (epoch,
/// pass). Padding that kept replicas aligned is counted, not listed: it has no weight.
struct LedgerEntry {
  std::string loader;             ///< "train-0": kind and index of the loader in the program
  int epoch = 0;                  ///< from 0
  int pass = 0;                   ///< over the dataset, within the epoch, from 0
  std::int64_t from = 0;          ///< first position
  std::int64_t to = 0;            ///< position behind the last
  std::int64_t padding = 0;       ///< samples without weight
  std::int64_t dataset_size = 0;  ///< samples
  std::int64_t step = 0;          ///< optimizer steps done when the stretch ended

  bool operator==(const LedgerEntry&) const = default;  ///< all fields
};

/// Calls visit(name, member) for each field of a LedgerEntry, which may be const.
template <class Entry, class Visit>
requires std::is_same_v<std::remove_const_t<Entry>, LedgerEntry>
void visit_fields(Entry& entry, Visit&& visit) {
  visit("loader", entry.loader), visit("epoch", entry.epoch), visit("pass", entry.pass);
  visit("from", entry.from), visit("to", entry.to), visit("padding", entry.padding);
  visit("dataset_size", entry.dataset_size), visit("step", entry.step);
}

/// Parameters of the performance model (goodput/model.h).
struct PerfParams {
  double alpha_c = 0;  ///< s, of a micro-batch whatever its size
  double beta_c = 0;   ///< s per sample of a micro-batch
  double alpha_n = 0;  ///< s, of synchronisation between nodes
  double beta_n = 0;   ///< s per replica beyond two, between nodes
  double alpha_r = 0;  ///< s, of synchronisation within one node
  double beta_r = 0;   ///< s per replica beyond two, within one node
  double gamma = 1;    ///< 1: no overlap, 10: full overlap of compute and synchronisation

  bool operator==(const PerfParams&) const = default;  ///< all of them
};

/// Calls visit(name, member) for each of them, which may be const.
template <class Params, class Visit>
requires std::is_same_v<std::remove_const_t<Params>, PerfParams>
void visit_fields(Params& params, Visit&& visit) {
  visit("alpha_c", params.alpha_c), visit("beta_c", params.beta_c), visit("alpha_n", params.alpha_n);
  visit("beta_n", params.beta_n), visit("alpha_r", params.alpha_r), visit("beta_r", params.beta_r);
  visit("gamma", params.gamma);
}

/// The fitted goodput model, sent each time it was fitted: enough to predict any configuration.
struct Model {
  std::optional<PerfParams> perf;         ///< none before the first fit
  double grad_sqr = 0;                    ///< |true gradient|^2
  double grad_var = 0;                    ///< trace of its covariance at the initial batch size
  double grad_sqr_error = 0;              ///< standard error of grad_sqr, grad_var taken as exact; 0: unknown
  std::int64_t init_batch_size = 0;       ///< samples, all replicas
  std::int64_t max_batch_size = 0;        ///< samples, all replicas; 0: none
  std::int64_t min_local_batch_size = 0;  ///< samples of a micro-batch; 0: none
  std::int64_t max_local_batch_size = 0;  ///< samples of a micro-batch; 0: none
  bool accumulation = false;              ///< several micro-batches a step are allowed
  bool single_gradient = false;           ///< one replica may grow without them (goodput::Bounds)
  /// Micro-batches of the initial batch size that each replica takes a step, however many replicas there are;
  /// 0: the batch size is chosen, or all replicas share the initial one.
  int micro_batches = 0;
  int devices = 0;                ///< that the replicas of the run may have, by the supervisor; 0: unknown
  int max_profiled_replicas = 0;  ///< largest number that was measured
  /// Samples of a micro-batch, the least and the most that were measured; 0: unknown.
  ///@{
  std::int64_t min_profiled_local_batch_size = 0;
  std::int64_t max_profiled_local_batch_size = 0;
  ///@}
  /// How far measured step times are from the model's: root mean square of logarithms; negative: unknown.
  double residual = -1;
  std::int64_t step = 0;     ///< optimizer steps done when it was fitted
  double core_exponent = 0;  ///< of the model: what the cores of a replica are worth
  double core_overhead = 0;  ///< of the model, s: what a replica's further cores cost
  double contention = 0;     ///< of the model: what a neighbour on the node costs
  double update_time = 0;    ///< of the model, s: what the optimizer takes once a step; 0: unknown
  int cores = 0;             ///< that each replica computes with now; 0: a GPU, or unknown
  /// Replicas divide all cores of the run, by the supervisor; else each keeps `cores`.
  bool divides_cores = false;
  bool keeps_fastest_cores = false;  ///< a lone replica computes with as many of them as are the fastest
};

/// A checkpoint is complete on disk.
struct CheckpointWritten {
  std::string name;        ///< directory name under the checkpoint path
  std::string reason;      ///< "manual", "rescale", "trigger", "exit", "periodic"
  std::int64_t step = 0;   ///< optimizer steps done
  int epoch = 0;           ///< epochs finished
  double progress = 0;     ///< scale-invariant iterations done
  std::int64_t bytes = 0;  ///< of all its files
  double last_step = 0;    ///< s, when the last optimizer step before it finished
  double began = 0;        ///< s, when writing began
  double mono = 0;         ///< s, when it was complete on disk
};

/// A scripted trigger fired (its index in the RunSpec). Its checkpoint, if any, has been written before.
struct Triggered {
  int index = 0;          ///< from 0
  std::int64_t step = 0;  ///< optimizer steps done
  double mono = 0;        ///< s, when it was sent
};

/// The checkpoint with which the replicas were to leave cannot be written: they stay and go on training.
struct Refused {
  std::string text;       ///< why
  std::int64_t step = 0;  ///< optimizer steps done
};

/// Hyperparameters of the program, for people to read.
struct Hyperparameters {
  std::map<std::string, std::string> values;  ///< by name
};

/// A line for the events list.
struct Notice {
  std::string level;      ///< "info", "warning", "error"; any other is taken for "info"
  std::string text;       ///< a sentence
  std::int64_t step = 0;  ///< optimizer steps done
};

/// Last message before an orderly end; code 143 after a checkpoint, 0 when the program is done.
struct Goodbye {
  int rank = 0;           ///< of the sender
  int code = 0;           ///< exit code
  std::int64_t step = 0;  ///< optimizer steps done
  double mono = 0;        ///< s, when it was sent
};

/// Why this replica is about to fail, as far as it knows; its exit follows.
struct Failure {
  int rank = 0;  ///< of the sender
  /// "exception", "peer" (another replica's end), "non_finite", "checkpoint" (that it cannot load) or "exit".
  std::string kind;
  std::string text;                   ///< a sentence, or the exception's; empty for "exit"
  std::int64_t step = 0;              ///< optimizer steps done
  std::int64_t local_batch_size = 0;  ///< samples of the micro-batch in flight; 0: none
  double mono = 0;                    ///< s, when it was sent
  std::string checkpoint;             ///< of the kind "checkpoint": its directory name
};

/// Any of these messages.
using Message =
    std::variant<Hello, Restored, Steps, Scalar, Heartbeat, Position, EpochMark, LedgerEntry, Model,
                 CheckpointWritten, Triggered, Refused, Hyperparameters, Notice, Goodbye, Failure>;

/// Returns a message as one line, newline included.
std::string encode(const Message& message);

/// Reads a message. Throws Error(usage) naming the type and the field for anything malformed.
Message decode(std::string_view line);

/// Returns CLOCK_MONOTONIC now, in seconds.
double monotonic_seconds();

}  // namespace batchscope::protocol
