// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's life, and the orders of its state machine carried out.
#include "supervision/supervision.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <QThread>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/time_outs.h"
#include "batchscope/run/application.h"
#include "batchscope/run/contention.h"
#include "batchscope/run/end_notice.h"
#include "batchscope/run/node_devices.h"
#include "batchscope/storage/medium.h"
#include "launch/program_file.h"
#include "log/last_words.h"
#include "record/predecessor.h"
#include "supervision/our_clock.h"
#include "system/process_table.h"
#include "words.h"

namespace batchscope::run {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr auto kTick = 200ms;     // the series are committed
constexpr auto kSecond = 1000ms;  // progress is recorded, the machine is measured, the disk looked after
constexpr auto kStatusInterval = 100ms;
constexpr int kLastAttempts = 10;  // to write down how the run ended

// Where nobody has said otherwise, a program that is not ours.
bool wants_adaptdl(const RunSpec& spec) {
  const auto environment = program_order(spec, {}).environment;
  const auto http_variable = environment.find(variable::kHttp);
  const std::string answer = http_variable == environment.end() ? "" : http_variable->second;
  return answer != "off" && (answer == "on" || !knows_fork_server(spec.program));
}

// How long a program may tell nothing before it counts as running: less than a restart may take.
std::chrono::milliseconds quiet_time(const RunSpec& spec) {
  const std::chrono::duration<double> half(spec.time_outs.rescale / 2);
  return std::min<std::chrono::milliseconds>(time_out::kQuiet,
                                             std::chrono::duration_cast<std::chrono::milliseconds>(half));
}

bool trains_on_gpus(const Placement& placement) {
  return !placement.devices.empty() && is_gpu(placement.devices.front());
}

// A trial that diverges has told its sweep what it was to find out; it would diverge again from its
// checkpoint.
bool ends_when_not_finite(const storage::Run& run) {
  return run.spec.non_finite == NonFinite::stop || (run.trial && run.spec.non_finite == NonFinite::skip);
}

}  // namespace

Supervision::Supervision(storage::Catalogue& catalogue, const storage::Run& run, const Allocation& wanted)
    : catalogue_(catalogue),
      run_(run),
      spec_(run.spec),
      wanted_(wanted),
      paths_(run_paths(run.id)),
      started_(monotonic_seconds()),
      recorder_(catalogue, run.id, paths_),
      telemetry_(paths_.telemetry_socket),
      control_(paths_.control_socket),
      launcher_(program_order(run.spec, paths_.logs / "fork-server.log")),
      agents_(NodePlan::from_environment(run.spec.tls), program_order(run.spec, {}), paths_.telemetry_socket,
              paths_.checkpoints),
      node_launcher_(launcher_, agents_),
      board_(run.step, run.epoch, run.epochs, run.fraction, run.latest),
      hang_watch_(run.spec.time_outs.step),
      machine_({run.spec.time_outs.checkpoint, run.spec.time_outs.rescale, run.spec.restart_budget,
                ends_when_not_finite(run)},
               *this),
      checkpoints_(paths_),
      current_(paths_, recorder_),
      scaling_(catalogue, run.id, spec_, machine_, next_generation_, recorder_, teller()),
      waiters_(run.spec.time_outs.checkpoint),
      events_(run.spec.triggers),
      folders_(paths_, {&telemetry_.listener(), &control_.listener()}, teller()),
      disk_(paths_.checkpoints, teller()),
      leftovers_(paths_, run.spec.time_outs.checkpoint, teller()),
      pool_call_(catalogue, teller()) {
  connect();
}

Tell Supervision::teller() {
  return [this](const std::string& level, const std::string& text) { tell(level, text); };
}

void Supervision::connect() {
  signals_.on_exit = [this](pid_t pid, int status) { on_exit(pid, status); };
  signals_.on_terminate = [this] {
    tell("info", "the supervisor was asked to end; stopping with a checkpoint");
    if (machine_.state() != RunState::stopping && !machine_.over()) machine_.stop();
    settle();
  };
  recorder_.on_trouble = [this](const std::string& text) {
    const std::string disk = disk_.full();
    control_.send_notice("error", disk.empty() ? text : text + "; " + disk);
  };
  const auto warn = [this](const std::string& text) { tell("warning", text); };
  launcher_.on_news = agents_.on_news = teller();
  agents_.on_lost = [this](const std::string& node) { on_lost(node); };
  telemetry_.on_fault = warn;
  telemetry_.on_message = [this](int rank, const Message& message) {
    if (const std::string node = current_.node_of(rank); !node.empty())
      on_message(rank, by_our_clock(message, agents_.clock_offset(node)));
    else
      on_message(rank, message);
  };
  control_.on_fault = warn;
  control_.on_request = [this](const Request& request, const ControlServer::Responder& responder) {
    on_request(request, responder);
  };

  const auto on_timeout = [this](QTimer& timer, auto act) {
    QObject::connect(&timer, &QTimer::timeout, &loop_, act);
  };
  machine_timer_.setSingleShot(true);
  quiet_timer_.setSingleShot(true);
  on_timeout(machine_timer_, [this] {
    machine_.time_out();
    settle();
  });
  on_timeout(quiet_timer_, [this] {
    if (current_.has_telemetry()) return;
    tell("debug", "the program has reported nothing so far; the run counts as running");
    for (const Trigger& trigger : events_.waiting_for_steps())
      tell("warning",
           "scripted event " + trigger.text() + " cannot happen yet: the program does not report its steps");
    assume_running();
  });
  on_timeout(tick_, [this] { on_tick(); });
  on_timeout(second_, [this] { on_second(); });
  on_timeout(status_timer_, [this] {
    if (unpublished_ || clock_.running()) publish_status();
  });
}

Supervision::~Supervision() {
  if (auto* const application = dynamic_cast<Application*>(QCoreApplication::instance()))
    application->on_exception = nullptr;
  current_.abandon();
  agents_.dismiss();
  // A process that detached itself from its replica has come to us, the subreaper.
  for (const pid_t child : children()) {
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
}

int Supervision::exec() {
  if (auto* const application = dynamic_cast<Application*>(QCoreApplication::instance()))
    application->on_exception = [this](const std::exception& exception) { on_exception(exception); };
  tick_.start(kTick);
  second_.start(kSecond);
  status_timer_.start(kStatusInterval);
  leftovers_.await([this] {
    if (machine_.over()) return;
    const auto prepared = [this] {
      if (--unprepared_ == 0) begin();
    };
    agents_.prepare([this, prepared] {
      need_agents(wanted_.devices) ? fetch_agents(wanted_.devices, prepared) : prepared();
    });
    launcher_.prepare(prepared);
    settle();
  });
  const int code = loop_.exec();
  if (!concluded_) throw Error(ErrorKind::failure, broken_);
  return code;
}

void Supervision::begin() {
  if (machine_.over()) return;
  reconcile(catalogue_, run_, paths_);
  const auto generations = catalogue_.generations(run_.id);
  const bool goes_on = !generations.empty();
  if (const std::string warning = storage::network_warning(paths_.root); !goes_on && !warning.empty())
    tell("warning", warning);
  use_nodes();
  int replicas = spec_.replicas;
  if (wanted_.replicas > 0 && wanted_.devices.empty())
    scaling_.choose({});  // a person has
  else
    scaling_.automate();
  if (goes_on) {
    replicas = std::max_element(generations.begin(), generations.end(), [](const auto& a, const auto& b) {
                 return a.number < b.number;
               })->replicas;
    for (const storage::Generation& generation : generations)
      if (generation.first_step > 0) most_replicas_ = std::max(most_replicas_, generation.replicas);
    current_.remember(generations);
    try {
      if (const auto model = catalogue_.model(run_.id)) forecast_.take(*model);
    } catch (const Error&) {
      // One that cannot be read predicts nothing, and the next comes soon.
    }
    const double elapsed_before = time_in_generations(generations);
    started_ -= elapsed_before;
    events_.skip(place());
  }
  if (wanted_.replicas == 0) replicas = scaling_.first_replicas(replicas);
  // A person's number is refused where the nodes are too few, but for those that did not come.
  Allocation first = wanted_.replicas > 0 ? wanted_ : Allocation(replicas);
  if (const auto room = scaling_.room(); room && first.devices.empty() && first.replicas > *room &&
                                         (agents_.nodes_missing() || (goes_on && wanted_.replicas == 0))) {
    tell("warning", fmt::format("the present nodes have room for {}, not for {}", replica_count_text(*room),
                                first.replicas));
    first = *room;
  }
  next_generation_ = next_generation(generations, paths_);
  look_at_other_runs();
  if (wants_adaptdl(run_.spec)) {
    adaptdl_ = std::make_unique<AdaptdlService>(run_.id);
    adaptdl_->on_hints = [this](const Json& hints) { on_hints(hints); };
  }
  if (scaling_.in_queue() && need_agents(first.devices)) {
    tell("warning", "the run waits: " + device_list(first.devices) + " cannot be reached");
    machine_.rest(first);
    leave_to_pool();
  } else {
    machine_.start(first, goes_on ? "resume" : "start");
  }
  settle();
}

goodput::Devices Supervision::devices_of(const Placement& placement) const {
  const int sets = static_cast<int>(placement.devices.size()) / run_.spec.devices_of_each();
  return {std::max(1, sets), false, placement.places.front().threads};
}

void Supervision::look_at_other_runs() {
  try {
    auto models = storage::machine_models(catalogue_path());
    std::erase_if(models, [this](const storage::MachineModel& model) { return model.run == run_.id; });
    for (const bool gpus : {false, true}) {
      const auto shown = shown_contention(models, gpus, spec_.program);
      guesses_[gpus] = {shown ? shown->share : 0, shown_sync_time(models, gpus, spec_.program).value_or(0)};
    }
  } catch (const Error&) {
    // Each run finds it out by itself, then.
  }
}

// --- orders of the machine ---

void Supervision::launch(const Allocation& allocation, const std::string& reason) {
  const int replicas = allocation.replicas;
  folders_.keep_sockets();  // which the replicas look for
  checkpoints_.require_any(catalogue_, run_.id);
  pause_ = "paused";
  const double now = monotonic_seconds();
  const Placement placement = scaling_.take_devices(allocation, reason);
  scaling_.begin_generation(current_.record(), current_.under_way());
  if (reason == "start") take_earlier_bound(placement);
  if (reason == "resume") clock_.begin(now, now);
  const int number = next_generation_++;
  const auto& predicted = forecast_.begin(reason != "start", board_.configuration(), replicas,
                                          devices_of(placement), placement.nodes());
  hang_watch_.begin(replicas);
  telemetry_.expect(number, replicas);
  recorder_.begin_generation(number);
  RunPaths paths = paths_;
  // This node's memory is nothing that others could read, nor what outlives the node.
  const bool alone = !agents_.plan().several() && agents_.nodes().empty();
  paths.memory = alone ? checkpoints_.in_memory().place() : std::filesystem::path();
  if (!alone) checkpoints_.in_memory().settle();
  const Guess guess = guesses_[trains_on_gpus(placement)];
  current_.launch({.number = number,
                   .run = run_.id,
                   .spec = spec_,
                   .paths = paths,
                   .placement = placement,
                   .supervisor_url = adaptdl_ ? adaptdl_->url() : std::string(),
                   .unloadable = checkpoints_.unloadable(),
                   .address_for_nodes = agents_.address(placement.places.front().node),
                   .contention = guess.contention,
                   .sync_time = guess.sync_time},
                  reason, predicted, now, node_launcher_);
  if (adaptdl_)
    adaptdl_->stands(number,
                     std::vector(static_cast<std::size_t>(replicas), current_.replicas()->master_address()));
  clock_.launched(now);
  if (!current_.has_telemetry()) quiet_timer_.start(quiet_time(run_.spec));
  if (!placement.warning.empty() && placement.warning != placement_warning_)
    tell("warning", placement.warning);
  placement_warning_ = placement.warning;
  if (const std::string& warning = current_.replicas()->warning(); !warning.empty()) tell("warning", warning);
}

// The next generation begins with the checkpoint, except after a stop, which waits for the disk.
void Supervision::ask_exit() { current_.replicas()->ask_exit(machine_.state() != RunState::stopping); }

void Supervision::kill() { current_.replicas()->kill_all(); }

void Supervision::set_timer(double seconds) {
  if (seconds < 0)
    machine_timer_.stop();
  else
    machine_timer_.start(static_cast<int>(seconds * 1000));
}

void Supervision::tell(const std::string& level, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", level.c_str(), text.c_str());
  recorder_.event(board_.step(), level, text);
  control_.send_notice(level, text);
}

void Supervision::ended(const Outcome& outcome) {
  quiet_timer_.stop();
  board_.interrupted();
  current_.end(outcome, board_.local_batch_size());
  forecast_.end();
  recorder_.adopt_checkpoints();
  recorder_.commit();
  waiters_.refuse(Error(ErrorKind::conflict, "the generation ended before it wrote a checkpoint"));
}

std::string Supervision::last_words(int rank) { return run::last_words(current_.log_of(rank)); }

std::string Supervision::log_command(int rank) {
  return fmt::format("batchscope logs {} --generation {} --replica {}", run_.id, current_.record().number,
                     rank);
}

std::string Supervision::restart_point() {
  return checkpoints_.restart_point(board_, current_.record().number, makes_checkpoints_);
}

// Half of a collective's patience: who only just became busy did not make anybody give up.
std::optional<Suspect> Supervision::suspect() {
  const double patience = run_.spec.time_outs.collective;
  auto suspect = hang_watch_.suspect(monotonic_seconds(), patience / 2);
  if (suspect) suspect->why += " (--collective-timeout is " + seconds_text(patience) + ")";
  return suspect;
}

// --- keeping the books ---

void Supervision::on_tick() {
  recorder_.commit();
  checkpoints_.in_memory().try_again();
  tell_of_checkpoints();
  waiters_.time_out(monotonic_seconds());
  fire_due_trigger();
  watch_for_hangs();
  recorder_.flush();
}

void Supervision::on_second() {
  if (!finishing_) record_progress(board_.fraction());
  folders_.keep_sockets();
  disk_.check();
  if (!machine_.over())
    if (const auto removed = folders_.take_removed())
      fail(removed->string() + " was removed while the run trained; the record in it is gone");
  current_.measure(board_.step(), agents_.take_use(current_.record().number));
  if (machine_.training() || machine_.state() == RunState::paused) pool_call_.check(monotonic_seconds());
}

void Supervision::record_progress(double fraction) {
  recorder_.flush();  // progress gives way to writes that wait
  recorder_.progress(board_.step(), board_.epoch(), board_.epochs(), fraction, board_.latest());
}

void Supervision::tell_of_checkpoints() {
  for (const auto& [level, text] : checkpoints_.in_memory().take_news()) tell(level, text);
}

// Publishes what has become of the run. The catalogue is written when the event loop is idle, so that a
// launch never waits for a disk.
void Supervision::settle() {
  unpublished_ = true;
  const RunState state = machine_.state();
  if (state == RunState::restarting && !clock_.running()) {
    // Before the first step training has not begun, and the pause begins with the failure.
    const double now = monotonic_seconds();
    clock_.begin(now, board_.last_progress() > 0 ? board_.last_progress() : now);
    forecast_.ask();
    // A scripted event is told after its checkpoint was written.
    if (const auto& checkpoint = current_.checkpoint();
        checkpoint && checkpoint->mono >= board_.last_progress())
      clock_.checkpointed(checkpoint->last_step, checkpoint->mono);
  }
  if (state == RunState::paused) {
    clock_.cancel();
    checkpoints_.in_memory().settle();
    scaling_.keep_devices();
    agents_.keep(scaling_.nodes_in_use());
  }
  if (state != published_ && !machine_.over()) {
    published_ = state;
    // A client that reads that the run rests finds all that came before.
    if (state == RunState::paused) record_progress(board_.fraction());
    recorder_.state(state, machine_.message());
    publish_status();  // a restart may be shorter than the interval of status events
    if (state == RunState::paused) tell("info", pause_);
  }
  if (machine_.over() && !finishing_) {
    finishing_ = true;
    QTimer::singleShot(0, &loop_, [this] { finish(); });
  } else if (!std::exchange(settling_, true)) {
    QTimer::singleShot(0, &loop_, [this] {
      settling_ = false;
      recorder_.flush();
    });
  }
}

void Supervision::publish_status() {
  unpublished_ = false;
  if (control_.has_subscribers()) control_.send_status(status());
}

void Supervision::finish() {
  checkpoints_.in_memory().settle();
  tell_of_checkpoints();
  scaling_.release_devices();
  const RunState state = machine_.state();
  const std::string& message = machine_.message();
  if (state == RunState::finished) tell_of_silence();
  tell(state == RunState::failed ? "error" : "info",
       std::string(run_state_name(state)) + (message.empty() ? "" : ": " + message));
  recorder_.commit();
  record_progress(state == RunState::finished ? 1 : board_.fraction());
  recorder_.state(state, message);  // last: who reads that the run is over finds all of it
  recorder_.flush(kLastAttempts, [] { QThread::msleep(200); });
  concluded_ = true;
  pool_call_.call();  // the run leaves devices behind
  publish_status();
  control_.flush();
  announce_end(run_.id, run_.spec);
  loop_.exit(state == RunState::finished  ? kExitOk
             : state == RunState::stopped ? kExitCheckpointed
                                          : kExitFailure);
}

void Supervision::fail(const std::string& why) {
  machine_.fail(why);
  if (!machine_.over()) tell("error", why + "; the run ends, and writes a last checkpoint if it can");
  settle();
}

// Ends the run in order after an exception that a handler of events did not foresee: with a last checkpoint,
// an event and a message. What is done only now and then rests from here on, for it might throw the same
// again; whatever else does ends the run without the checkpoint, and at its very end the loop.
void Supervision::on_exception(const std::exception& exception) {
  std::fprintf(stderr, "error: thrown in an event's handler: %s\n", exception.what());
  std::string why = exception.what();
  if (!dynamic_cast<const Error*>(&exception))  // that says by itself what was wrong with what
    why = "the supervisor cannot go on after an error: " + why;
  if (broken_.empty()) broken_ = why;
  for (QTimer* const timer : {&tick_, &second_, &status_timer_}) timer->stop();
  const bool concluding = finishing_;
  try {
    fail(why);
  } catch (const std::exception&) {
    loop_.exit(kExitFailure);
  }
  if (concluding) loop_.exit(kExitFailure);
}

}  // namespace batchscope::run
