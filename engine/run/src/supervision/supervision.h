// SPDX-License-Identifier: Apache-2.0
//
// The supervisor of one run, composed: the state machine decides, the current generation and its launcher do
// it, telemetry and signals say what happened, the control socket says what is asked, the recorder and the
// board keep it. Each of these owns its part; here they are wired together. All of it lives on one event
// loop; every handler ends in `settle`, which publishes what has become of the run.
#pragma once

#include <QEventLoop>
#include <QTimer>
#include <map>
#include <memory>

#include "adaptdl/adaptdl_service.h"
#include "batchscope/storage/catalogue.h"
#include "launch/fork_launcher.h"
#include "model/restart_forecast.h"
#include "nodes/node_agents.h"
#include "nodes/node_launcher.h"
#include "record/recorder.h"
#include "socket/control_server.h"
#include "socket/telemetry_server.h"
#include "state/hang_watch.h"
#include "state/memory_limit.h"
#include "state/pause_clock.h"
#include "state/run_board.h"
#include "state/run_machine.h"
#include "supervision/checkpoint_waiters.h"
#include "supervision/current_generation.h"
#include "supervision/disk_watch.h"
#include "supervision/folder_watch.h"
#include "supervision/leftovers.h"
#include "supervision/pool_call.h"
#include "supervision/run_checkpoints.h"
#include "supervision/scaling.h"
#include "supervision/scripted_events.h"
#include "system/process_signals.h"

namespace batchscope::run {

class Supervision final : private Orders {
 public:
  // The caller holds the run's claim. `wanted`: none: as before, or as the spec says.
  Supervision(storage::Catalogue& catalogue, const storage::Run& run, const Allocation& wanted);
  ~Supervision() override;

  // Runs until the run is over; returns an exit code.
  int exec();

 private:
  // Orders
  void launch(const Allocation& allocation, const std::string& reason) override;
  void ask_exit() override;
  void kill() override;
  void set_timer(double seconds) override;
  void tell(const std::string& level, const std::string& text) override;
  void ended(const Outcome& outcome) override;
  std::string last_words(int rank) override;
  std::string log_command(int rank) override;
  std::string restart_point() override;
  std::int64_t step() override { return board_.step(); }
  std::optional<Suspect> suspect() override;
  std::string lower_local_batch_size(std::int64_t local) override;

  // The life of the supervision.
  Tell teller();
  void connect();
  void begin();
  void look_at_other_runs();
  void take_earlier_bound(const Placement& placement);
  goodput::Devices devices_of(const Placement& placement) const;
  void on_tick();
  void on_second();
  void record_progress(double fraction);
  void tell_of_checkpoints();
  void settle();
  void publish_status();
  void finish();
  void fail(const std::string& why);
  void on_exception(const std::exception& exception);

  // Events of the replicas.
  void on_message(int rank, const protocol::Message& message);
  void on_progress(double mono);
  void under_way();
  void on_restored(const protocol::Restored& restored, std::int64_t step_before);
  void on_checkpoint(const protocol::CheckpointWritten& checkpoint);
  void on_obtained(const MeasuredRate& obtained);
  void on_model(const protocol::Model& model);
  void on_triggered(const protocol::Triggered& triggered);
  void on_refused(const protocol::Refused& refused);
  void on_goodbye(int rank, const protocol::Goodbye& goodbye);
  void on_exit(pid_t pid, int status);
  void left(pid_t pid, int status);  // as waitpid says it; nothing where it was not, or has left already
  void on_lost(const std::string& node);
  void use_nodes();
  bool is_lost(const std::string& device) const;  // its node is not there
  bool need_agents(const std::vector<std::string>& devices) const;
  void fetch_agents(const std::vector<std::string>& devices, std::function<void()> then);
  void leave_to_pool();
  void on_hints(const protocol::Json& hints);
  void assume_running();
  void tell_of_silence();
  void watch_for_hangs();

  // Requests.
  void on_request(const protocol::Request& request, const ControlServer::Responder& responder);
  void answer(const protocol::Request& request, const ControlServer::Responder& responder);
  void rescale(const protocol::Request& request);
  protocol::Json restart_json();
  void insist_on_pool(const protocol::Request& request) const;
  void resume(const protocol::Request& request);
  void request_checkpoint(const ControlServer::Responder& responder);
  void fire_due_trigger();
  ScriptedEvents::Place place() const;
  double elapsed() const;  // s of run time
  protocol::RunStatus status() const;

  storage::Catalogue& catalogue_;
  const storage::Run run_;  // as it was when this supervisor began
  protocol::RunSpec spec_;  // as it is now
  const Allocation wanted_;
  const protocol::RunPaths paths_;
  double started_;  // monotonic; were the run's time without interruption

  ProcessSignals signals_;
  Recorder recorder_;
  TelemetryServer telemetry_;
  ControlServer control_;
  ForkLauncher launcher_;
  NodeAgents agents_;
  NodeLauncher node_launcher_;
  std::unique_ptr<AdaptdlService> adaptdl_;  // for programs that know no telemetry
  RunBoard board_;
  PauseClock clock_;
  HangWatch hang_watch_;
  MemoryLimit memory_limit_;
  RunMachine machine_;

  RunCheckpoints checkpoints_;
  CurrentGeneration current_;
  int next_generation_ = 0;
  struct Guess {
    double contention = 0, sync_time = 0;
  };
  std::map<bool, Guess> guesses_;  // as other runs have shown (contention.h); true: on GPUs
  Scaling scaling_;
  RestartForecast forecast_;
  CheckpointWaiters waiters_;
  ScriptedEvents events_;
  FolderWatch folders_;
  DiskWatch disk_;
  Leftovers leftovers_;
  PoolCall pool_call_;

  int unprepared_ = 2;  // of this machine's launcher and the other nodes

  QEventLoop loop_;
  QTimer machine_timer_, tick_, second_, status_timer_, quiet_timer_;
  std::string placement_warning_;   // that was reported last
  int most_replicas_ = 0;           // of all generations that got under way
  bool makes_checkpoints_ = false;  // by our engine, or by AdaptDL's
  bool rescalable_ = false;         // the program has told something of itself: it knows how to leave
  std::string pause_;               // what is told of it when it has come
  bool unpublished_ = true;         // subscribers have not seen the newest status
  bool settling_ = false;           // a flush is on its way
  bool finishing_ = false;          // the run is over
  bool concluded_ = false;          // and nothing is left to do
  std::string broken_;              // what a handler of events threw; empty: nothing
  protocol::RunState published_ = protocol::RunState::starting;
};

}  // namespace batchscope::run
