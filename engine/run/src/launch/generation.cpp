// SPDX-License-Identifier: Apache-2.0
#include "launch/generation.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/contention.h"
#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/protocol/random_text.h"
#include "batchscope/run/own_snapshot.h"
#include "launch/program_file.h"
#include "system/programs.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

// Ports that are free now at every address (AdaptDL's rank 0 listens at all of them), for programs that meet
// at ADAPTDL_MASTER_PORT, or by torch.distributed at MASTER_PORT: a script may do both. Ours use the
// rendezvous directory, where nothing can be taken in between.
struct FreePorts {
  int adaptdl = 0, torch = 0;
};

int bound_socket(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  const bool bound = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!bound) {
    const int error = errno;
    close(fd);
    throw Error(ErrorKind::io, std::string("no free port: ") + std::strerror(error));
  }
  port = ntohs(address.sin_port);
  return fd;
}

FreePorts free_ports() {
  FreePorts ports;
  const int first = bound_socket(ports.adaptdl);  // held until the other is another one
  close(bound_socket(ports.torch));
  close(first);
  return ports;
}

// Sets the variables that torchrun sets, for a program that shares its work out by torch.distributed. What
// the run's own environment says stays.
void set_torchrun_variables(const GenerationOrder& order, int rank, const std::string& address, int port,
                            std::map<std::string, std::string>& variables) {
  const auto& places = order.placement.places;
  const auto own_place = places.begin() + rank;
  const auto on_node = [&](const Place& place) { return place.node == own_place->node; };
  std::vector<std::string> nodes;  // in the order of their first ranks
  for (const Place& place : places)
    if (std::find(nodes.begin(), nodes.end(), place.node) == nodes.end()) nodes.push_back(place.node);
  const auto set_variable = [&](const char* name, const std::string& value) {
    if (!order.spec.environment.contains(name)) variables[name] = value;
  };
  const std::string ranks = std::to_string(rank), world = std::to_string(places.size());
  set_variable("RANK", ranks);
  set_variable("ROLE_RANK", ranks);
  set_variable("WORLD_SIZE", world);
  set_variable("ROLE_WORLD_SIZE", world);
  set_variable("ROLE_NAME", "default");
  set_variable("LOCAL_RANK", std::to_string(std::count_if(places.begin(), own_place, on_node)));
  set_variable("LOCAL_WORLD_SIZE", std::to_string(std::count_if(places.begin(), places.end(), on_node)));
  set_variable("GROUP_RANK",
               std::to_string(std::find(nodes.begin(), nodes.end(), own_place->node) - nodes.begin()));
  set_variable("GROUP_WORLD_SIZE", std::to_string(nodes.size()));
  set_variable("MASTER_ADDR", address);
  set_variable("MASTER_PORT", std::to_string(port));
  // Scripts and Lightning take the first one for a sign of torchrun.
  set_variable("TORCHELASTIC_RUN_ID", order.run);
  set_variable("TORCHELASTIC_RESTART_COUNT", std::to_string(order.number));
  set_variable("TORCHELASTIC_MAX_RESTARTS", std::to_string(order.spec.restart_budget));
  set_variable("TORCHELASTIC_USE_AGENT_STORE", "False");  // rank 0 listens at MASTER_PORT itself
}

constexpr std::size_t kRendezvousTokenDigits = 64;

// Lists what the supervisor adds to its own environment, for people to read (`batchscope show --json`);
// without the tokens, which are the replicas' alone.
void list_environment(const fs::path& file, std::map<std::string, std::string> variables) {
  using protocol::Json;
  variables.erase(protocol::variable::kRendezvousToken);
  if (const auto url = variables.find(protocol::variable::kSupervisorUrl); url != variables.end())
    url->second.erase(url->second.rfind('/'));
  protocol::make_private_file(file);
  std::ofstream(file) << Json(variables).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

// Where replicas meet; where the disk has no room for that, in memory.
fs::path make_rendezvous(const protocol::RunPaths& paths, int generation) {
  const fs::path wanted = paths.rendezvous(generation);
  std::error_code error, ignored;
  fs::remove_all(wanted, ignored);
  if (fs::create_directory(wanted, error)) return wanted;
  const fs::path other = paths.memory / wanted.filename();
  if (!paths.memory.empty() && fs::create_directory(other, ignored)) return other;
  throw Error(ErrorKind::io, "cannot make the directory " + wanted.string() + ": " + error.message());
}

constexpr char kPythonPath[] = "PYTHONPATH";

// Puts the package by which a Python program reports before what is in PYTHONPATH already; does nothing for a
// program that links our engine, nor where somebody wants none of it, nor from a folder whose name PYTHONPATH
// cannot hold.
void set_python_path(ReplicaOrder& order) {
  const auto value = [&](const char* name) {
    const auto found = order.environment.find(name);
    return found == order.environment.end() ? std::string() : found->second;
  };
  const std::string hook = python_hook().string(), path = value(kPythonPath);
  if (hook.empty() || hook.find(':') != std::string::npos ||
      value(protocol::variable::kPythonHook) == "off" || knows_fork_server(order.program))
    return;
  order.environment[kPythonPath] = path.empty() ? hook : hook + ":" + path;
}

// Tells a program of the snapshot that it wrote itself, where its run was told by which argument.
void add_resume_argument(const protocol::RunSpec& spec, const fs::path& share,
                         std::vector<std::string>& arguments) {
  const auto found = spec.environment.find(kResumeArgument);
  if (found == spec.environment.end() || found->second.empty()) return;
  const auto snapshot = own_snapshot(share);
  if (!snapshot) return;
  const std::string& argument = found->second;
  if (!argument.ends_with('=')) arguments.push_back(argument);
  arguments.push_back((argument.ends_with('=') ? argument : "") + snapshot->file.string());
}

bool can_be_written(const fs::path& log) {
  const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Replicas of several nodes meet by TCP, and share what lies on a shared disk and nothing else. The run's
// folder may be a node's own, with links to what is shared.
void meet_over_nodes(const GenerationOrder& order, protocol::Environment& e) {
  const auto where_it_lies = [](const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    return (error ? folder : real).string();
  };
  e.rendezvous_dir.clear();
  e.checkpoint_path = where_it_lies(order.paths.checkpoints);
  e.share_path = where_it_lies(order.paths.share);
}

// Hides the list in our environment, which is of this one's GPUs and means nothing on another node.
void set_visible_gpus(const Place& place, std::map<std::string, std::string>& inherited,
                      std::map<std::string, std::string>& own) {
  constexpr char kVisible[] = "CUDA_VISIBLE_DEVICES";
  if (!place.node.empty()) inherited.erase(kVisible);
  if (place.visible_gpus) own[kVisible] = *place.visible_gpus;
}

}  // namespace

std::string master_address(int generation) {
  return fmt::format("127.1.{}.{}", generation >> 8 & 255, generation & 255);
}

ReplicaOrder program_order(const protocol::RunSpec& spec, const fs::path& log) {
  ReplicaOrder order{spec.program, spec.arguments, spec.working_directory, {}, log};
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos && !text.starts_with("ADAPTDL_"))
      order.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const char* name :
       {protocol::variable::kTelemetrySocket, protocol::variable::kRendezvousDir,
        protocol::variable::kThreads, protocol::variable::kNumDevices, protocol::variable::kDevicesPerReplica,
        protocol::variable::kContention, protocol::variable::kSyncTime, protocol::variable::kTriggers,
        protocol::variable::kMemoryPath, protocol::variable::kUnloadable,
        protocol::variable::kCollectiveTimeout, protocol::variable::kMaxLocalBatchSize,
        protocol::variable::kNonFinite, protocol::variable::kRendezvousToken,
        protocol::variable::kMeetingTimeout, protocol::variable::kBranch})
    order.environment.erase(name);
  for (const auto& [name, value] : spec.environment) order.environment[name] = value;
  // OpenMP's threads wait for one another by spinning, which on cores that are shared costs a small step ten
  // times its work. Somebody who has the cores to himself may say otherwise in the environment.
  order.environment.emplace("OMP_WAIT_POLICY", "passive");
  // OpenBLAS's spin as well, for 2^28 cycles: a tenth of a second that a replica's first step waits.
  order.environment.emplace("OPENBLAS_THREAD_TIMEOUT", "20");
  // Large memory comes in pages of 2 MiB, where the kernel leaves that to programs: a restart touches all
  // that its state needs anew, and each first touch of a page of 4 KiB costs it microseconds.
  order.environment.emplace("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
  // Python keeps what it prints into a file back by the 8 KiB; a log is read while it grows.
  order.environment.emplace("PYTHONUNBUFFERED", "1");
  set_python_path(order);
  return order;
}

Generation::Generation(const GenerationOrder& order, Launcher& launcher)
    : number_(order.number),
      replicas_(static_cast<int>(order.placement.places.size())),
      rendezvous_(make_rendezvous(order.paths, order.number)) {
  const protocol::RunSpec& spec = order.spec;
  const protocol::RunPaths& paths = order.paths;
  protocol::Environment e;
  master_address_ = run::master_address(number_);
  const FreePorts ports = free_ports();
  e.master_port = ports.adaptdl;
  e.num_replicas = replicas_;
  e.num_restarts = number_;
  e.checkpoint_path = paths.checkpoints.string();
  e.share_path = paths.share.string();
  e.tensorboard_dir = paths.tensorboard.string();
  e.job_id = order.run;
  e.sched_version = "0.0.0";  // AdaptDL's word for a scheduler that is not its own
  e.telemetry_socket = paths.telemetry_socket.string();
  e.rendezvous_dir = rendezvous_.string();
  e.checkpoint_interval = spec.checkpoint_interval;
  e.collective_timeout = spec.time_outs.collective;
  e.max_local_batch_size = spec.max_local_batch_size;
  e.non_finite = spec.non_finite;
  e.num_devices = std::max(1, static_cast<int>(order.placement.devices.size()) / spec.devices_of_each());
  e.devices_per_replica = spec.devices_per_replica;
  e.memory_path = paths.memory.string();
  if (!order.unloadable.empty())
    e.unloadable =
        protocol::Json(order.unloadable).dump(-1, ' ', false, protocol::Json::error_handler_t::replace);
  if (!spec.triggers.empty()) e.triggers = protocol::Json(spec.triggers).dump();
  for (const Place& place : order.placement.places) nodes_.push_back(place.node);
  e.num_nodes = order.placement.nodes();
  if (std::any_of(nodes_.begin(), nodes_.end(), [](const std::string& node) { return !node.empty(); })) {
    meet_over_nodes(order, e);
    master_address_ = order.address_for_nodes;
    e.rendezvous_token = protocol::random_text(kRendezvousTokenDigits);
    e.meeting_timeout = spec.time_outs.meeting();
  }
  e.master_address = master_address_;

  const ReplicaOrder program = program_order(spec, {});
  std::vector<ReplicaOrder> orders;
  for (int rank = 0; rank < replicas_; ++rank) {
    const Place& place = order.placement.places[static_cast<std::size_t>(rank)];
    e.replica_rank = rank;
    e.threads = place.threads;
    e.device = place.device;
    e.backend = place.backend;
    e.supervisor_url = place.node.empty() ? order.supervisor_url : std::string();
    fs::path log = paths.log_file(number_, rank);
    if (!can_be_written(log)) {
      warning_ = log.string() + " cannot be written: what the replicas print is lost";
      log = "/dev/null";
    }
    ReplicaOrder replica = program;
    replica.log = log;
    replica.environment.erase(protocol::variable::kForkServer);
    add_resume_argument(spec, paths.share, replica.arguments);
    auto variables = e.to_variables();
    if (order.contention > 0)
      variables[protocol::variable::kContention] = protocol::Json(order.contention).dump();
    if (order.sync_time > 0)
      variables[protocol::variable::kSyncTime] = protocol::Json(order.sync_time).dump();
    for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
      variables[name] = std::to_string(place.threads);
    set_visible_gpus(place, replica.environment, variables);
    set_torchrun_variables(order, rank, master_address_, ports.torch, variables);
    const char* const own_path = std::getenv(kPythonPath);
    if (const auto path = replica.environment.find(kPythonPath);
        path != replica.environment.end() && (!own_path || path->second != own_path))
      variables.insert(*path);
    for (const auto& [name, value] : variables) replica.environment[name] = value;
    replica.node = place.node;
    if (rank == 0) list_environment(paths.environment, std::move(variables));
    orders.push_back(std::move(replica));
  }
  const std::vector<pid_t> pids = launcher.launch(orders);
  for (int rank = 0; rank < replicas_; ++rank) living_[rank] = pids[static_cast<std::size_t>(rank)];
}

Generation::~Generation() {
  kill_all();
  std::error_code error;
  fs::remove_all(rendezvous_, error);
}

std::optional<int> Generation::rank_of(pid_t pid) const {
  const auto found =
      std::find_if(living_.begin(), living_.end(), [pid](const auto& one) { return one.second == pid; });
  return found == living_.end() ? std::nullopt : std::optional(found->first);
}

std::optional<int> Generation::take_exited(pid_t pid) {
  const auto rank = rank_of(pid);
  if (rank) living_.erase(*rank);
  return rank;
}

void Generation::ask_exit(bool restart) const {
  sigval value{};
  value.sival_int = restart ? protocol::kRestartFollows : 0;
  for (const auto& [rank, pid] : living_) sigqueue(pid, SIGTERM, value);
}

void Generation::signal_rank(int rank, int signal) const {
  if (const auto found = living_.find(rank); found != living_.end()) kill(found->second, signal);
}

void Generation::kill_all() const {
  for (const auto& [rank, pid] : living_) kill(-pid, SIGKILL);
}

void Generation::kill_on(const std::string& node) const {
  for (const auto& [rank, pid] : living_)
    if (node_of(rank) == node) kill(-pid, SIGKILL);
}

std::map<int, pid_t> Generation::living_here() const {
  std::map<int, pid_t> here;
  for (const auto& [rank, pid] : living_)
    if (node_of(rank).empty()) here.emplace(rank, pid);
  return here;
}

std::vector<ProcessId> Generation::processes() const {
  std::vector<ProcessId> list;
  for (const auto& [rank, pid] : living_) list.push_back(protocol::identify(pid));
  return list;
}

}  // namespace batchscope::run
