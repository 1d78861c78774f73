// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/run_command.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "batchscope/common/run_text.h"
#include "session/shell_words.h"

namespace batchscope::desktop {
namespace {

using protocol::RunSpec;

class Words {
 public:
  explicit Words(std::vector<std::string> first) : words_(std::move(first)) {}

  void add(const char* flag, const std::string& value) { words_.insert(words_.end(), {flag, value}); }
  void add(const char* flag, double value) { add(flag, QString::number(value, 'g', 10).toStdString()); }
  void add(std::string word) { words_.push_back(std::move(word)); }
  // Where it is not what the command would take by itself.
  template <class Value>
  void addChanged(const char* flag, const Value& value, const Value& otherwise) {
    if (value != otherwise) add(flag, value);
  }
  const std::vector<std::string>& all() const { return words_; }

 private:
  std::vector<std::string> words_;
};

std::string seconds(double value) { return QString::number(value, 'g', 10).toStdString() + "s"; }

void addFaults(Words& words, const RunSpec& spec, const RunSpec& base) {
  const auto time = [&](const char* flag, double value, double otherwise) {
    words.addChanged(flag, seconds(value), seconds(otherwise));
  };
  time("--checkpoint-every", spec.checkpoint_interval, base.checkpoint_interval);
  time("--collective-timeout", spec.time_outs.collective, base.time_outs.collective);
  time("--hang-timeout", spec.time_outs.step, base.time_outs.step);
  time("--rescale-timeout", spec.time_outs.rescale, base.time_outs.rescale);
  time("--checkpoint-timeout", spec.time_outs.checkpoint, base.time_outs.checkpoint);
  words.addChanged("--restart-budget", std::to_string(spec.restart_budget),
                   std::to_string(base.restart_budget));
  words.addChanged<std::string>("--non-finite", protocol::non_finite_name(spec.non_finite),
                                protocol::non_finite_name(base.non_finite));
  words.addChanged("--max-local-batch-size", std::to_string(spec.max_local_batch_size),
                   std::to_string(base.max_local_batch_size));
}

void addJob(Words& words, const pool::JobOptions& job) {
  words.addChanged("--priority", std::to_string(job.priority), std::string("0"));
  words.addChanged("--after", job.after, std::string());
  if (job.held) words.add("--hold");
  if (job.pin) words.add("--pin");
}

}  // namespace

QString replicasText(const RunSpec& spec) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("NewRun", text); };
  if (!spec.auto_replicas) return common::replicaCount(spec.replicas);
  const auto [least, most] = *spec.auto_replicas;
  if (least == most) return common::replicaCount(least);
  if (most > 0) return tr("%1 to %2 replicas").arg(least).arg(most);
  return least > 1 ? tr("%1 replicas or more").arg(least) : tr("any number of replicas");
}

QString runCommand(const NewRun& run, const run::Recipe* recipe, const run::Recipe::Values& changed) {
  const RunSpec& spec = run.spec;
  RunSpec base;
  base.name = QFileInfo(QString::fromStdString(spec.program)).fileName().toStdString();
  if (recipe != nullptr) {
    base.name = recipe->name;
    base.time_outs = recipe->time_outs;
    base.restart_budget = recipe->restart_budget;
    base.non_finite = recipe->non_finite;
  }
  Words words({"batchscope", run.queued ? "submit" : "run"});
  if (recipe != nullptr) words.add("--recipe", recipe->name);
  words.add("--replicas", spec.auto_replicas ? spec.auto_replicas->text() : std::to_string(spec.replicas));
  words.addChanged("--name", spec.name, base.name);
  words.addChanged("--group", spec.group, std::string());
  for (const std::string& tag : run.tags) words.add("--tag", tag);
  words.addChanged("--note", run.note, std::string());
  words.addChanged("--device", spec.device, base.device);
  const int base_each = recipe != nullptr ? recipe->devices_per_replica : base.devices_per_replica;
  if (spec.devices_per_replica != base_each)
    words.add("--devices-per-replica", std::to_string(spec.devices_per_replica));
  if (spec.oversubscribe && !run.queued) words.add("--oversubscribe");
  if (spec.tls) words.add("--tls");
  words.addChanged("--efficiency-floor", spec.efficiency_floor, base.efficiency_floor);
  for (const protocol::Trigger& trigger : spec.triggers) words.add("--at", trigger.text());
  addFaults(words, spec, base);
  if (run.queued) addJob(words, *run.queued);
  if (recipe != nullptr) {
    for (const auto& [name, value] : changed) words.add("--set", name + "=" + value);
    return shellWords(words.all());
  }
  words.add(spec.program);
  if (!spec.arguments.empty()) words.add("--");
  for (const std::string& argument : spec.arguments) words.add(argument);
  return shellWords({"cd", spec.working_directory}) + QStringLiteral(" && ") + shellWords(words.all());
}

}  // namespace batchscope::desktop
