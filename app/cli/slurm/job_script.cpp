// SPDX-License-Identifier: Apache-2.0
#include "slurm/job_script.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "batchscope/common/shell_words.h"
#include "batchscope/protocol/error.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

using Strings = std::vector<std::string>;

constexpr int kMostNodes = 4096;
// Before the time limit, and up to a minute sooner: the checkpoint's time-out is 120 s.
constexpr int kNotice = 180;

[[noreturn]] void refuseScript(const std::string& message) { throw Error(ErrorKind::usage, message); }

bool holdsControls(std::string_view text) { return printable(text) != text; }

// Reserved options, by their names. sbatch also takes the beginning of a name.
struct Reserved {
  const char *name, *letter, *instead;
};
constexpr std::array<Reserved, 10> kReserved{{
    {"--job-name", "-J", word("so that the next job can wait for this one")},
    {"--dependency", "-d", word("so that the next job waits for this one")},
    {"--output", "-o", word("into which `batchscope` writes what became of the run")},
    {"--nodes", "-N", word("which --nodes of `batchscope submit` says")},
    {"--ntasks", "-n", word("which would keep a job from starting on other nodes than the last")},
    {"--array", "-a", word("since a run is one job after the other")},
    {"--no-kill", "-k", word("since the next job could not start where a job outlived its first node")},
    {"--requeue", "", word("since the next job takes its place")},
    {"--wrap", "", word("since there is a script")},
    {"--parsable", "", word("since `batchscope` reads the answer")},
}};

void checkArgument(const std::string& argument) {
  if (argument.size() < 2 || argument.front() != '-' || holdsControls(argument))
    refuseScript(
        say("--sbatch-arg \"{}\": write an option of sbatch as one word, such as "
            "--sbatch-arg=--account=physics",
            printable(argument)));
  if (argument.find_first_of("\"\\") != std::string::npos)
    refuseScript(
        say("--sbatch-arg \"{}\": quotation marks and backslashes mean something else in a script's "
            "lines for Slurm; leave them out",
            argument));
  const std::string name = argument.substr(0, argument.find('='));
  for (const Reserved& reserved : kReserved) {
    const bool isLetter =
        *reserved.letter != '\0' && argument.starts_with(reserved.letter) && argument[1] != '-';
    if (name == reserved.name || isLetter)
      refuseScript(say("--sbatch-arg {}: {} is set by `batchscope`, {}", argument, reserved.name,
                       translated(reserved.instead)));
  }
}

void checkValue(const char* option, const std::string& value) {
  if (value.empty()) return;
  if (value.front() == '-' || holdsControls(value) || value.find_first_of(" \"\\'#") != std::string::npos)
    refuseScript(say("{} \"{}\": write one word without quotation marks and #, which does not begin with '-'",
                     option, printable(value)));
}

void checkFolder(const std::filesystem::path& folder) {
  if (holdsControls(folder.string()) || folder.string().find_first_of("\"\\%") != std::string::npos)
    refuseScript(
        say("the folder {}: line breaks, quotation marks, backslashes and % mean something else in a "
            "script's lines for Slurm; choose another by --folder",
            printable(folder.string())));
}

// Quotes an option for a line that Slurm reads.
std::string ofSlurm(const std::string& option) {
  const bool isPlain = option.find_first_of(" '#\t") == std::string::npos;
  const auto equals = option.find('=');
  if (isPlain || equals == std::string::npos) return isPlain ? option : '"' + option + '"';
  return option.substr(0, equals + 1) + '"' + option.substr(equals + 1) + '"';
}

}  // namespace

NodeRange NodeRange::parse(const std::string& text) {
  NodeRange range;
  const char* const end = text.data() + text.size();
  auto [at, fault] = std::from_chars(text.data(), end, range.least);
  range.most = range.least;
  if (fault == std::errc() && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, range.most);
    at = second.ptr;
    fault = second.ec;
  }
  if (fault != std::errc() || at != end || range.least < 1 || range.most < range.least ||
      range.most > kMostNodes)
    refuseScript(say("--nodes \"{}\": write a number or a range of nodes, such as 2 or 1-4, at most {}",
                     printable(text), kMostNodes));
  return range;
}

std::string NodeRange::text() const {
  return least == most ? fmt::format("{}", most) : fmt::format("{}-{}", least, most);
}

void check(const JobRequest& request, const std::filesystem::path& folder) {
  checkValue("--slurm", request.partition);
  checkValue("--time", request.time);
  for (const std::string& argument : request.arguments) checkArgument(argument);
  checkFolder(folder);
}

std::string jobName(const std::string& run) { return "batchscope-" + run; }

std::string jobScript(const JobRequest& request, const std::filesystem::path& folder,
                      const std::filesystem::path& program, const std::string& title) {
  check(request, folder);
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# {}: the script of every Slurm job of this run. A job first submits the next one, which waits until\n"
      "# the job has ended. To continue the run after a stop:\n"
      "# {}\n",
      printable(title), common::shellWords(Strings{"sbatch", folder / kScript}));
  const auto line = [&](const std::string& option) { text += fmt::format("#SBATCH {}\n", ofSlurm(option)); };
  line("--job-name=" + jobName(folder.filename()));
  line("--dependency=singleton");
  if (!request.partition.empty()) line("--partition=" + request.partition);
  line("--nodes=" +
       request.nodes.text());  // without --ntasks-per-node, by which Slurm gives the least of them
  if (request.gpus_per_node > 0) line(fmt::format("--gpus-per-node={}", request.gpus_per_node));
  if (!request.time.empty()) line("--time=" + request.time);
  line("--no-requeue");
  line("--open-mode=append");
  line("--output=" + (folder / "job-%j.out").string());
  line(fmt::format("--signal=B:USR1@{}", kNotice));
  for (const std::string& argument : request.arguments) line(argument);  // of two that say the same, the last
  text += fmt::format("\nexport BATCHSCOPE_REPLICAS_PER_NODE={}\n", request.replicasPerNode());
  const Strings command{"exec", program, "slurm-job", "--nodes", request.nodes.text(), folder};
  text += common::shellWords(command) + "\n";
  return text;
}

}  // namespace batchscope::cli::slurm
