// SPDX-License-Identifier: Apache-2.0
#include "metrics/metrics_text.h"

#include <fmt/core.h>

#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "batchscope/protocol/series.h"
#include "batchscope/protocol/text.h"

namespace batchscope::web {
namespace {

namespace series = protocol::series;

enum class MetricType { gauge, counter, summary, info };

const char* type_name(MetricType type) {
  switch (type) {
    case MetricType::gauge: return "gauge";
    case MetricType::counter: return "counter";
    case MetricType::summary: return "summary";
    case MetricType::info: return "info";
  }
  return "unknown";
}

std::string metric_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// A label's value. Prometheus refuses a whole answer of which one byte is not UTF-8.
std::string label_value(std::string_view text) {
  std::string escaped;
  for (const char c : protocol::printable_lines(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped;
}

using Labels = std::initializer_list<std::pair<const char*, std::string_view>>;

class MetricsWriter {
 public:
  explicit MetricsWriter(MetricsFormat format) : is_open_(format == MetricsFormat::openmetrics) {}

  // Begins a family, whose samples follow. The name ends with the unit, where there is one.
  void family(const char* name, MetricType type, const char* unit, const char* help) {
    name_ = name;
    suffix_ = type == MetricType::counter ? "_total" : type == MetricType::info ? "_info" : "";
    // The older format knows names of samples only, and no type info.
    const std::string family = is_open_ ? name_ : name_ + suffix_;
    if (!is_open_ && type == MetricType::info) type = MetricType::gauge;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", family, help, family, type_name(type));
    if (is_open_ && *unit) text_ += fmt::format("# UNIT {} {}\n", family, unit);
  }

  void sample(Labels labels, double value) { line(suffix_, labels, value); }
  void summary(Labels labels, std::size_t count, double sum) {
    line("_count", labels, static_cast<double>(count));
    line("_sum", labels, sum);
  }

  std::string end() { return std::move(is_open_ ? text_ += "# EOF\n" : text_); }

 private:
  void line(const char* suffix, Labels labels, double value) {
    text_ += name_ + suffix;
    char separator = '{';
    for (const auto& [label, of] : labels)
      text_ += fmt::format("{}{}=\"{}\"", std::exchange(separator, ','), label, label_value(of));
    text_ += fmt::format("{}{}\n", labels.size() > 0 ? "} " : " ", metric_number(value));
  }

  const bool is_open_;
  std::string text_;
  std::string name_;
  const char* suffix_ = "";
};

// The gauges of each live run. Steps are a gauge because a crash sets them back to the checkpoint.
struct RunGauge {
  const char* name;
  const char* unit;
  const char* help;
  std::optional<double> (*value)(const Metrics::Run& run);
};

template <const char* kSeries>
std::optional<double> newest(const Metrics::Run& run) {
  const auto found = run.latest.find(kSeries);
  return found == run.latest.end() ? std::nullopt : std::optional(found->second);
}

using Value = std::optional<double>;
constexpr RunGauge kRunGauges[] = {
    {"batchscope_run_replicas", "", "Replicas that train; 0 while the run is paused.",
     [](const Metrics::Run& run) -> Value { return run.replicas; }},
    {"batchscope_run_devices", "", "Devices of this machine that the run holds.",
     [](const Metrics::Run& run) -> Value { return static_cast<double>(run.devices); }},
    {"batchscope_run_batch_size_samples", "samples", "Samples per optimizer step, over all replicas.",
     newest<series::kBatchSize>},
    {"batchscope_run_throughput_samples_per_second", "samples_per_second",
     "Samples trained on; only while the run trains.", newest<series::kThroughput>},
    {"batchscope_run_goodput_samples_per_second", "samples_per_second",
     "Throughput times statistical efficiency; only while the run trains.", newest<series::kGoodput>},
    {"batchscope_run_efficiency_ratio", "ratio", "Statistical efficiency of the batch size, 0 to 1.",
     newest<series::kEfficiency>},
    {"batchscope_run_gain", "", "Gain of AdaScale, between 1 and the scale.", newest<series::kGain>},
    {"batchscope_run_steps", "", "Optimizer steps done; a crash sets them back to the checkpoint.",
     [](const Metrics::Run& run) -> Value { return static_cast<double>(run.step); }},
    {"batchscope_run_progress_iterations", "iterations", "Scale-invariant iterations done.",
     newest<series::kProgress>},
    {"batchscope_run_completed_ratio", "ratio", "Share of the run that is done, 0 to 1.",
     [](const Metrics::Run& run) -> Value { return run.fraction; }},
};

void write_runs(MetricsWriter& writer, const Metrics& metrics) {
  writer.family("batchscope_runs", MetricType::gauge, "", "Runs in the store, except those in the trash.");
  for (const auto& [state, count] : metrics.runs)
    writer.sample({{"state", state}}, static_cast<double>(count));
  for (const RunGauge& gauge : kRunGauges) {
    writer.family(gauge.name, MetricType::gauge, gauge.unit, gauge.help);
    for (const Metrics::Run& run : metrics.live)
      if (const Value value = gauge.value(run)) writer.sample({{"run", run.id}, {"name", run.name}}, *value);
  }
  writer.family("batchscope_run_restarts", MetricType::counter, "", "Restarts of the run's replicas.");
  for (const Metrics::Run& run : metrics.live)
    writer.sample({{"run", run.id}, {"name", run.name}}, run.restarts);
  writer.family("batchscope_run_restart_pause_seconds", MetricType::summary, "seconds",
                "Pauses of restarts, from the last step before to the first step after.");
  for (const Metrics::Run& run : metrics.live)
    writer.summary({{"run", run.id}, {"name", run.name}}, run.pauses, run.pause_seconds);
}

void write_queue(MetricsWriter& writer, const Metrics& metrics) {
  writer.family("batchscope_queue_jobs", MetricType::gauge, "",
                "Jobs of the queue that have not ended; pending and paused ones wait for devices.");
  for (const auto& [state, count] : metrics.jobs)
    writer.sample({{"state", state}}, static_cast<double>(count));
  writer.family("batchscope_job_wait_seconds", MetricType::gauge, "seconds",
                "Time that a job of the queue has spent without devices since its submission.");
  for (const Metrics::Wait& wait : metrics.waits)
    writer.sample({{"run", wait.id}, {"name", wait.name}}, wait.seconds);
  writer.family("batchscope_jobs_submitted", MetricType::counter, "",
                "Jobs submitted to the queue since this server began.");
  writer.sample({}, static_cast<double>(metrics.submitted));
  writer.family("batchscope_job_completion_seconds", MetricType::summary, "seconds",
                "Time from submission to end of the jobs that have ended since this server began.");
  for (const auto& [status, completed] : metrics.completed)
    writer.summary({{"status", status}}, completed.count, completed.seconds);
}

void write_devices(MetricsWriter& writer, const char* name, const char* help, const Metrics::Counts& counts) {
  writer.family(name, MetricType::gauge, "", help);
  for (const auto& [kind, count] : counts) writer.sample({{"kind", kind}}, static_cast<double>(count));
}

}  // namespace

std::string metrics_text(const Metrics& metrics, MetricsFormat format) {
  MetricsWriter writer(format);
  writer.family("batchscope_build", MetricType::info, "", "Version of the program that answers.");
  writer.sample({{"version", metrics.version}}, 1);
  write_runs(writer, metrics);
  write_queue(writer, metrics);
  write_devices(writer, "batchscope_devices", "Devices of this machine.", metrics.devices);
  write_devices(writer, "batchscope_devices_in_use", "Devices of this machine that a run holds.",
                metrics.devices_in_use);
  return writer.end();
}

}  // namespace batchscope::web
