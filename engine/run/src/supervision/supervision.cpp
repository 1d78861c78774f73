// SPDX-License-Identifier: Apache-2.0
//
// What happens to the run, and what is done about it.
#include "supervision/supervision.h"

#include <signal.h>
#include <sys/wait.h>

#include <QThread>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <type_traits>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/run/application.h"
#include "batchscope/storage/medium.h"
#include "log/memory_fault.h"
#include "record/predecessor.h"
#include "words.h"

namespace batchscope::run {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 200ms;  // the series are committed
constexpr int kTicksPerProgress = 5;
constexpr auto kStatusInterval = 100ms;
constexpr auto kDeviceInterval = 1000ms;  // and what lies on disk is looked after
constexpr auto kLeftoversInterval = 50ms;
constexpr int kLastAttempts = 10;  // to write down how the run ended

}  // namespace

Supervision::Supervision(storage::Catalogue& catalogue, const storage::Run& run, int replicas)
    : catalogue_(catalogue),
      run_(run),
      spec_(run.spec),
      wanted_replicas_(replicas),
      paths_(run_paths(run.id)),
      began_(monotonic_seconds()),
      recorder_(catalogue, run.id, paths_),
      telemetry_(paths_.telemetry_socket),
      control_(paths_.control_socket),
      launcher_(program_order(run.spec, paths_.logs / "fork-server.log")),
      devices_(catalogue, run.id, Machine::here()),
      board_(run.step, run.epoch, run.epochs, run.fraction, run.latest),
      hang_watch_(run.spec.time_outs.step),
      machine_({run.spec.time_outs.checkpoint, run.spec.time_outs.rescale, run.spec.restart_budget,
                run.spec.non_finite == NonFinite::stop},
               *this),
      volatile_checkpoints_(paths_),
      fired_(run.spec.triggers.size()) {
  signals_.on_exit = [this](pid_t pid, int status) { on_exit(pid, status); };
  signals_.on_terminate = [this] {
    tell("info", "the supervisor was asked to end; stopping with a checkpoint");
    if (machine_.state() != RunState::stopping && !machine_.over()) machine_.stop();
    settle();
  };
  launcher_.on_news = [this](const std::string& level, const std::string& text) { tell(level, text); };
  devices_.on_trouble = [this](const std::string& text) { tell("warning", text); };
  recorder_.on_trouble = [this](const std::string& text) {
    const std::string disk = full_disk();
    control_.send_notice("error", disk.empty() ? text : text + "; " + disk);
  };
  telemetry_.on_message = [this](int rank, const Message& message) { on_message(rank, message); };
  telemetry_.on_fault = [this](const std::string& text) { tell("warning", text); };
  control_.on_fault = [this](const std::string& text) { tell("warning", text); };
  control_.on_request = [this](const Request& request, const ControlServer::Responder& responder) {
    on_request(request, responder);
  };

  machine_timer_.setSingleShot(true);
  quiet_timer_.setSingleShot(true);
  QObject::connect(&machine_timer_, &QTimer::timeout, &loop_, [this] {
    machine_.time_out();
    settle();
  });
  QObject::connect(&quiet_timer_, &QTimer::timeout, &loop_, [this] {
    if (speaks_) return;
    tell("info", "the program reports nothing yet; it is taken to be running");
    taken_to_run();
  });
  QObject::connect(&tick_, &QTimer::timeout, &loop_, [this] { on_tick(); });
  QObject::connect(&status_timer_, &QTimer::timeout, &loop_, [this] {
    if (dirty_ || clock_.running()) publish_status();
  });
  for (const auto& path : {paths_.root, paths_.samples}) folders_[path] = inode_of(path);
  QObject::connect(&device_timer_, &QTimer::timeout, &loop_, [this] {
    look_after_folders();
    if (!generation_) return;
    if (progressed_) recorder_.measured(board_.step(), device_metrics_.read(generation_->living()));
    for (const auto& [rank, pid] : generation_->living())
      log_times_.note(paths_.log_file(generation_->number(), rank), storage::now());
  });
  QObject::connect(&leftovers_timer_, &QTimer::timeout, &loop_, [this] { await_leftovers(); });
}

Supervision::~Supervision() {
  if (auto* const application = dynamic_cast<Application*>(QCoreApplication::instance()))
    application->on_exception = nullptr;
  generation_.reset();
  // Whatever detached itself from its replica has come to us, the subreaper.
  for (const pid_t child : children()) {
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
}

int Supervision::exec() {
  if (auto* const application = dynamic_cast<Application*>(QCoreApplication::instance()))
    application->on_exception = [this](const std::exception& exception) { on_exception(exception); };
  tick_.start(kTick);
  status_timer_.start(kStatusInterval);
  device_timer_.start(kDeviceInterval);
  if (const auto leftovers = leftover_replicas(paths_); !leftovers.empty()) {
    tell("warning", on_replicas(static_cast<int>(leftovers.size())) +
                        " of an earlier supervisor still run; waiting for their checkpoint");
    leftovers_deadline_ = monotonic_seconds() + run_.spec.time_outs.checkpoint;
    leftovers_timer_.start(kLeftoversInterval);
  } else {
    QTimer::singleShot(0, &loop_, [this] { prepare(); });
  }
  const int code = loop_.exec();
  if (!concluded_) throw Error(ErrorKind::failure, broken_);
  return code;
}

void Supervision::await_leftovers() {
  const auto leftovers = leftover_replicas(paths_);
  if (leftovers.empty()) {
    leftovers_timer_.stop();
    prepare();
  } else if (monotonic_seconds() > leftovers_deadline_) {
    for (const ProcessId& replica : leftovers) ::kill(-replica.pid, SIGKILL);
  }
}

void Supervision::prepare() {
  if (machine_.over()) return;
  launcher_.prepare([this] { begin(); });
  settle();
}

void Supervision::begin() {
  if (machine_.over()) return;
  reconcile(catalogue_, run_, paths_);
  const auto generations = catalogue_.generations(run_.id);
  if (const std::string warning = storage::network_warning(paths_.root);
      generations.empty() && !warning.empty())
    tell("warning", warning);
  int replicas = spec_.replicas;
  if (wanted_replicas_ > 0)
    choose_replicas({});  // a person has
  else if (spec_.auto_replicas)
    auto_.emplace(placed_spec(), Machine::here());
  if (!generations.empty()) {
    const auto& last = *std::max_element(generations.begin(), generations.end(),
                                         [](const auto& a, const auto& b) { return a.number < b.number; });
    replicas = last.replicas;
  }
  next_generation_ = next_generation(generations, paths_);
  serve_adaptdl();
  elapsed_before_ = time_in_generations(generations);
  for (std::size_t i = 0; i < fired_.size(); ++i)
    fired_[i] = run_.spec.triggers[i].at <= elapsed_before_ && !generations.empty();
  machine_.start(wanted_replicas_ > 0 ? wanted_replicas_ : replicas,
                 generations.empty() ? "start" : "resume");
  settle();
}

// A run whose checkpoints are gone does not begin again from nothing by itself.
void Supervision::insist_on_checkpoints() {
  if (!list_checkpoints(paths_.checkpoints).empty()) return;
  for (const auto& checkpoint : catalogue_.checkpoints(run_.id))
    if (!volatile_checkpoints_.lost().contains(checkpoint.name))
      throw Error(ErrorKind::not_found,
                  checkpoint.name + " and all other checkpoints of the run are gone from " +
                      paths_.checkpoints.string() + ": put them back and resume, or start a new run");
}

// --- orders of the machine ---

void Supervision::launch(int replicas, const std::string& reason) {
  keep_sockets();  // which the replicas look for
  insist_on_checkpoints();
  const double now = launched_ = monotonic_seconds();
  const Placement placement = take_devices(replicas);
  if (auto_) {
    if (record_.reason == "auto" && !under_way_) auto_->refuse(record_.replicas);
    auto_->begin_generation();
  }
  if (reason == "resume") clock_.begin(now, now);
  const int number = next_generation_++;
  heard_ = progressed_ = under_way_ = forked_ = false;
  next_checkpoint_ = false;
  checkpoint_.reset();
  failures_.clear();
  memory_kills_ = out_of_memory_kills();
  hang_watch_.begin(replicas);
  telemetry_.expect(number, replicas);
  recorder_.begin_generation(number);
  device_metrics_.begin_generation();
  RunPaths paths = paths_;
  paths.memory = volatile_checkpoints_.place();
  generation_.emplace(number, run_.id, spec_, paths, placement, adaptdl_ ? adaptdl_->url() : std::string(),
                      launcher_, unloadable_);
  if (adaptdl_)
    adaptdl_->stands(number, std::vector(static_cast<std::size_t>(replicas), master_address(number)));
  write_replicas(paths_.root / "replicas.json", generation_->processes());
  clock_.launched(now);
  if (!speaks_) quiet_timer_.start(time_out::kQuiet);

  record_ = {};
  record_.number = number;
  record_.replicas = replicas;
  record_.reason = reason;
  record_.started = recorder_.wall(now);
  recorder_.put(record_);
  if (!placement.warning.empty() && placement.warning != placement_warning_)
    tell("warning", placement.warning);
  placement_warning_ = placement.warning;
  if (!generation_->warning().empty()) tell("warning", generation_->warning());
}

// Whatever comes next begins with the checkpoint, except after a stop, which waits for the disk.
void Supervision::ask_exit() { generation_->ask_exit(machine_.state() != RunState::stopping); }

void Supervision::kill() { generation_->kill_all(); }

void Supervision::set_timer(double seconds) {
  if (seconds < 0)
    machine_timer_.stop();
  else
    machine_timer_.start(static_cast<int>(std::min(seconds * 1000, 2e9)));
}

void Supervision::tell(const std::string& level, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", level.c_str(), text.c_str());
  recorder_.event(board_.step(), level, text);
  control_.send_notice(level, text);
}

void Supervision::ended(const Outcome& outcome) {
  quiet_timer_.stop();
  generation_.reset();
  write_replicas(paths_.root / "replicas.json", {});
  board_.interrupted();
  record_.ended = storage::now();
  record_.last_step = recorder_.last_step();
  record_.outcome = outcome.text();
  if (progressed_) fitted_ = {record_.replicas, board_.local_batch_size()};
  recorder_.put(record_);
  recorder_.adopt_checkpoints();
  recorder_.commit();
  refuse_checkpoint(Error(ErrorKind::conflict, "the generation ended before it wrote a checkpoint"));
}

// For all who wait for one.
void Supervision::refuse_checkpoint(const Error& why) {
  for (const Waiting& waiting : waiting_) waiting.responder.fail(why);
  waiting_.clear();
}

// --- what happens ---

void Supervision::on_message(int rank, const Message& message) {
  const std::int64_t step_before = board_.step();
  recorder_.take(message);
  board_.take(message);
  dirty_ = true;
  hang_watch_.heard(rank, monotonic_seconds());
  std::visit(
      [&](const auto& m) {
        using T = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<T, Hello>) {
          heard_ = speaks_ = true;
          hang_watch_.greeted(rank, monotonic_seconds());
          forked_ = m.forked;
          clock_.group_stands(m.mono);
          on_device(m.device);
          device_metrics_.trains_on(rank, m.device);
        } else if constexpr (std::is_same_v<T, Restored>) {
          clock_.restored(m.mono);
          if (rank == 0) on_restored(m, step_before);
        } else if constexpr (std::is_same_v<T, Steps>) {
          const auto& mono = m.columns.at(series::kMono);
          if (!mono.empty() && record_.first_step == 0) {
            record_.first_step = m.first_step;
            if (progressed_) recorder_.put(record_);  // a validation was finished first
          }
          if (!mono.empty()) on_progress(mono.front());
        } else if constexpr (std::is_same_v<T, Heartbeat>) {
          hang_watch_.beat(rank, m, monotonic_seconds());
        } else if constexpr (std::is_same_v<T, Failure>) {
          on_failure(rank, m);
        } else if constexpr (std::is_same_v<T, Position>) {
          if (m.loop == "validate") on_progress(m.mono);
        } else if constexpr (std::is_same_v<T, CheckpointWritten>) {
          on_checkpoint(m);
        } else if constexpr (std::is_same_v<T, Model>) {
          on_model(m);
        } else if constexpr (std::is_same_v<T, Notice>) {
          tell(m.level == "warning" || m.level == "error" ? m.level : "info", m.text);
          // A checkpoint that cannot be written is rank 0's to tell, and no reason to stop training.
          if (rank == 0 && m.level == "error") refuse_checkpoint(Error(ErrorKind::io, m.text));
        } else if constexpr (std::is_same_v<T, Triggered>) {
          on_triggered(m);
        } else if constexpr (std::is_same_v<T, Refused>) {
          if (rank == 0) on_refused(m);
        }
      },
      message);
}

// A step or a validation batch was finished.
void Supervision::on_progress(double mono) {
  clock_.stepped(board_.last_progress());
  if (progressed_) return;
  progressed_ = under_way_ = true;
  const std::string origin = forked_ ? ", forked" : "";
  if (clock_.running()) {
    const Pause pause = clock_.first_step(mono);
    record_.pause = known_pause_ = pause.seconds;
    record_.pause_parts = pause.parts;
    tell("info", (record_.reason == "resume" ? "resumed on " : "restarted on ") +
                     on_replicas(record_.replicas) + " in " + seconds_text(pause.seconds) + origin);
  } else {
    known_pause_ = mono - launched_;
    tell("info", "training on " + on_replicas(record_.replicas) + origin);
  }
  recorder_.put(record_);
  volatile_checkpoints_.persist();  // the processors were the restart's until now
  machine_.first_step();
  keep_devices();
  settle();
}

void Supervision::on_restored(const Restored& restored, std::int64_t step_before) {
  record_.checkpoint = restored.checkpoint;
  recorder_.put(record_);
  recorder_.restored(restored.checkpoint);
  if (step_before > restored.step)
    tell("warning", "went back to step " + std::to_string(restored.step) + ": " +
                        std::to_string(step_before - restored.step) + " steps are repeated");
  settle();
}

void Supervision::on_checkpoint(const CheckpointWritten& checkpoint) {
  checkpoint_ = checkpoint;
  checkpoint_bytes_ = checkpoint.bytes;
  unloadable_.erase(checkpoint.name);
  machine_.checkpoint_written(checkpoint.step);
  if (checkpoint.reason == "periodic") return settle();  // it is not the one that anybody waits for
  if (clock_.running() && progressed_) clock_.checkpointed(checkpoint.last_step, checkpoint.mono);
  const Json result{{"name", checkpoint.name},
                    {"step", checkpoint.step},
                    {"bytes", checkpoint.bytes},
                    {"seconds", checkpoint.mono - checkpoint.began}};
  for (const Waiting& waiting : waiting_) waiting.responder.ok(result);
  waiting_.clear();
  settle();
}

// The replicas exit by themselves, so that a count this machine cannot give is too late to refuse.
void Supervision::on_triggered(const Triggered& triggered) {
  if (triggered.index < 0 || triggered.index >= static_cast<int>(run_.spec.triggers.size()))
    throw Error(ErrorKind::usage, "no scripted event has the index " + std::to_string(triggered.index));
  Trigger trigger = run_.spec.triggers[static_cast<std::size_t>(triggered.index)];
  tell("info", "scripted event " + trigger.text());
  if (trigger.action == Trigger::Action::replicas) {
    try {
      take_devices(trigger.replicas);
    } catch (const Error& error) {
      tell("warning", "scripted event " + trigger.text() + " keeps the number of replicas: " + error.what());
      trigger.replicas = machine_.replicas();
    }
    choose_replicas({});
  }
  machine_.triggered(trigger);
  settle();
}

void Supervision::on_refused(const Refused& refused) {
  machine_.refused(refused.text);
  if (machine_.training()) clock_.cancel();  // it was no pause
  refuse_checkpoint(Error(ErrorKind::io, refused.text));
  settle();
}

void Supervision::on_exit(pid_t pid, int status) {
  if (launcher_.take_exited(pid, status) || !generation_) return;
  telemetry_.drain();
  const auto rank = generation_->take_exited(pid);
  if (!rank) return;
  hang_watch_.left(*rank);
  machine_.replica_exited(account_of(*rank, status));
  settle();
}

// --- keeping the books ---

void Supervision::tell_of_volatile_checkpoints() {
  for (const auto& [level, text] : volatile_checkpoints_.take_news()) tell(level, text);
}

void Supervision::on_tick() {
  recorder_.commit();
  volatile_checkpoints_.try_again();
  tell_of_volatile_checkpoints();
  if (++ticks_ % kTicksPerProgress == 0 && !finished_) {
    recorder_.flush();  // progress gives way to writes that wait
    recorder_.progress(board_.step(), board_.epoch(), board_.epochs(), board_.fraction(), board_.latest());
  }
  const double now = monotonic_seconds();
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (now < waiting.deadline) return false;
    waiting.responder.fail(
        Error(ErrorKind::timeout, "no checkpoint within " + seconds_text(run_.spec.time_outs.checkpoint)));
    return true;
  });
  check_triggers();
  watch();
  recorder_.flush();
}

// Publishes what has become of the run. The catalogue is written when the event loop is idle, so that a
// launch never waits for a disk.
void Supervision::settle() {
  dirty_ = true;
  const RunState state = machine_.state();
  const double now = monotonic_seconds();
  if (state == RunState::restarting && !clock_.running()) {
    clock_.begin(now, board_.last_progress());
    // A scripted event is told after its checkpoint was written.
    if (checkpoint_ && checkpoint_->mono >= board_.last_progress())
      clock_.checkpointed(checkpoint_->last_step, checkpoint_->mono);
  }
  if (state == RunState::paused) {
    clock_.cancel();
    volatile_checkpoints_.settle();
    keep_devices();
  }
  if (state != published_ && !machine_.over()) {
    published_ = state;
    recorder_.state(state, machine_.message());
    publish_status();  // a restart may be shorter than the interval of status events
    if (state == RunState::paused) tell("info", "paused");
  }
  if (machine_.over() && !finished_) {
    finished_ = true;
    QTimer::singleShot(0, &loop_, [this] { finish(); });
  } else if (!std::exchange(settling_, true)) {
    QTimer::singleShot(0, &loop_, [this] {
      settling_ = false;
      recorder_.flush();
    });
  }
}

void Supervision::publish_status() {
  dirty_ = false;
  if (control_.has_subscribers()) control_.send_status(status());
}

void Supervision::finish() {
  volatile_checkpoints_.settle();
  tell_of_volatile_checkpoints();
  devices_.keep({});
  const RunState state = machine_.state();
  const std::string& message = machine_.message();
  tell(state == RunState::failed ? "error" : "info",
       std::string(run_state_name(state)) + (message.empty() ? "" : ": " + message));
  recorder_.commit();
  recorder_.flush();  // progress gives way to writes that wait
  recorder_.progress(board_.step(), board_.epoch(), board_.epochs(),
                     state == RunState::finished ? 1 : board_.fraction(), board_.latest());
  recorder_.state(state, message);  // last: who reads that the run is over finds all of it
  recorder_.flush();
  for (int attempt = 0; attempt < kLastAttempts && !recorder_.flushed(); ++attempt) {
    QThread::msleep(200);
    recorder_.flush();
  }
  concluded_ = true;
  publish_status();
  control_.flush();
  loop_.exit(state == RunState::finished  ? kExitOk
             : state == RunState::stopped ? kExitCheckpointed
                                          : kExitFailure);
}

}  // namespace batchscope::run
