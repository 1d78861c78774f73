// SPDX-License-Identifier: Apache-2.0
//
// The supervisor of one run, composed: the state machine decides, the generation and its launcher do it,
// telemetry and signals say what happened, the control socket says what is asked, the recorder and the
// board keep it. All of it lives on one event loop; every handler ends in `settle`, which publishes what
// has become of the run.
#pragma once

#include <QEventLoop>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "adaptdl/adaptdl_service.h"
#include "batchscope/storage/catalogue.h"
#include "devices/device_leases.h"
#include "devices/device_metrics.h"
#include "launch/fork_launcher.h"
#include "launch/generation.h"
#include "log/log_times.h"
#include "model/auto_scaling.h"
#include "record/recorder.h"
#include "record/volatile_checkpoints.h"
#include "socket/control_server.h"
#include "socket/telemetry_server.h"
#include "state/hang_watch.h"
#include "state/pause_clock.h"
#include "state/run_board.h"
#include "state/run_machine.h"
#include "system/process_signals.h"

namespace batchscope::run {

class Supervision final : private Orders {
 public:
  // The caller holds the run's claim. `replicas` 0: as before, or as the spec says.
  Supervision(storage::Catalogue& catalogue, const storage::Run& run, int replicas);
  ~Supervision() override;

  // Until the run is over; an exit code.
  int exec();

 private:
  // Orders
  void launch(int replicas, const std::string& reason) override;
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

  void on_exception(const std::exception& exception);
  void fail(const std::string& why);
  void await_leftovers();
  void prepare();
  void begin();
  void insist_on_checkpoints();

  void on_message(int rank, const protocol::Message& message);
  void on_progress(double mono);
  void on_restored(const protocol::Restored& restored, std::int64_t step_before);
  void on_checkpoint(const protocol::CheckpointWritten& checkpoint);
  void on_triggered(const protocol::Triggered& triggered);
  void on_refused(const protocol::Refused& refused);
  void on_failure(int rank, const protocol::Failure& failure);
  void on_model(const protocol::Model& model);
  void on_exit(pid_t pid, int status);
  Exit account_of(int rank, int status);
  std::string repeated_from(std::int64_t step) const;
  void watch();
  void serve_adaptdl();
  void on_hints(const protocol::Json& hints);
  void taken_to_run();

  void on_request(const protocol::Request& request, const ControlServer::Responder& responder);
  void rescale(const protocol::Request& request);
  protocol::RunSpec placed_spec() const;
  const Placement& take_devices(int replicas);
  void move_to(int replicas, const std::string& reason);
  void keep_devices();
  void on_device(const std::string& device);
  void choose_replicas(const std::optional<protocol::AutoReplicas>& range);
  void request_checkpoint(const ControlServer::Responder& responder);
  void refuse_checkpoint(const Error& why);
  void carry_out(const protocol::Trigger& trigger);

  void on_tick();
  void look_after_folders();
  void keep_sockets();
  void watch_disk();
  std::string full_disk() const;
  std::int64_t room_wanted() const;
  void tell_of_volatile_checkpoints();
  void check_triggers();
  void settle();
  void publish_status();
  void finish();
  double elapsed() const;
  protocol::RunStatus status() const;

  storage::Catalogue& catalogue_;
  const storage::Run run_;  // as it was when this supervisor began
  protocol::RunSpec spec_;  // as it is now
  const int wanted_replicas_;
  const protocol::RunPaths paths_;
  const double began_;  // monotonic

  ProcessSignals signals_;
  Recorder recorder_;
  TelemetryServer telemetry_;
  ControlServer control_;
  ForkLauncher launcher_;
  DeviceLeases devices_;
  std::unique_ptr<AdaptdlService> adaptdl_;  // for programs that know no telemetry
  RunBoard board_;
  PauseClock clock_;
  HangWatch hang_watch_;
  RunMachine machine_;
  VolatileCheckpoints volatile_checkpoints_;
  DeviceMetrics device_metrics_;
  LogTimes log_times_;

  std::optional<AutoScaling> auto_;  // where the supervisor chooses the number of replicas
  std::string placement_warning_;    // that was told last
  std::string found_device_;         // "cuda" or "cpu", once a program for any device was given GPUs
  double launched_ = 0;              // monotonic, the present generation
  double known_pause_ = 0;           // s, of the last restart; before the first, from launch to first step
  double elapsed_before_ = 0;        // run time under earlier supervisors
  int next_generation_ = 0;
  std::optional<Generation> generation_;
  storage::Generation record_;                             // of the present generation, or of the last
  bool heard_ = false;                                     // a replica of the present generation said hello
  bool speaks_ = false;                                    // a replica of any generation did
  bool forked_ = false;                                    // its replicas came from the fork server, they say
  bool progressed_ = false;                                // the present generation has had its first step
  bool under_way_ = false;                                 // so it has, or is taken to have
  std::optional<protocol::CheckpointWritten> checkpoint_;  // the newest of the present generation
  std::map<int, protocol::Failure> failures_;              // by rank, of the present generation
  std::map<std::string, std::string> unloadable_;  // checkpoints that replicas could not load, and why
  bool next_checkpoint_ = false;                   // one was found in the present generation
  std::int64_t memory_kills_ = 0;                  // of this machine, when it was launched

  // The last generation that made a step.
  struct Fitted {
    int replicas = 0;
    std::int64_t local_batch_size = 0;  // 0: none did, or it does not say
  } fitted_;

  struct Waiting {
    ControlServer::Responder responder;
    double deadline;
  };
  std::vector<Waiting> waiting_;  // for a checkpoint
  std::vector<bool> fired_;       // elapsed triggers, by index

  QEventLoop loop_;
  QTimer machine_timer_, tick_, status_timer_, quiet_timer_, leftovers_timer_, device_timer_;
  double leftovers_deadline_ = 0;
  std::map<std::filesystem::path, Inode> folders_;  // that the run cannot do without, as they were
  std::int64_t checkpoint_bytes_ = 0;               // of the newest checkpoint that was told of
  bool full_disk_told_ = false;                     // that the disk has no room for another
  bool sockets_missing_ = false;                    // and cannot be made anew, as was told
  int ticks_ = 0;
  bool dirty_ = true;      // subscribers have not seen the newest status
  bool settling_ = false;  // a flush is on its way
  bool finished_ = false;
  std::string broken_;      // what a handler of events threw; empty: nothing
  bool concluded_ = false;  // finished_, to the end
  protocol::RunState published_ = protocol::RunState::starting;
};

}  // namespace batchscope::run
