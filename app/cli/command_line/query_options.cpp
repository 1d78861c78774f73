// SPDX-License-Identifier: Apache-2.0
//
// The words of the commands that show what runs are and were.

#include "command_line/command_set.h"
#include "command_line/help_text.h"

namespace batchscope::cli {
namespace {

constexpr int kMostListed = 1'000'000;
constexpr int kMostPixels = 10'000;
constexpr std::int64_t kMostStep = std::int64_t{1} << 53;  // what a chart's axis can tell apart

void addList(CommandSet& set) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App* command = set.add("ls", "List the runs", help::kList, [=] { return listRuns(*options); });
  set.setValues(
      command->add_option("--where", options->where, "Those for which this holds, such as 'accuracy>0.97'")
          ->type_name("FILTER"),
      CommandSet::Values::fields);
  set.setValues(command->add_option("--sort", options->sort, "By this field, ascending; -FIELD: descending")
                    ->type_name("FIELD"),
                CommandSet::Values::fields);
  set.setValues(command->add_option("--columns", options->columns, "These fields, separated by commas")
                    ->delimiter(',')
                    ->allow_extra_args(false)
                    ->type_name("FIELDS"),
                CommandSet::Values::fields);
  command->add_option("--limit", options->limit, "At most so many")
      ->check(CLI::Range(1, kMostListed).description(""))
      ->type_name("N");
  command->add_flag("--trash", options->trash, "Those that were removed, in place of the others");
  command->add_flag("--watch", options->watch, "Go on showing what changes, until Ctrl-C");
  set.addJson(command, options->json);
}

void addDiff(CommandSet& set) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command =
      set.add("diff", "In what two runs differ", help::kDiff, [=] { return diffRuns(*options); });
  set.addRunName(command, options->first);
  set.setValues(
      command->add_option("OTHER", options->second, "The run to compare it with")->required()->type_name(""),
      CommandSet::Values::runs);
  command->add_flag("--all", options->all, "Also what is the same");
  set.addJson(command, options->json);
}

void addPlot(CommandSet& set) {
  const auto options = std::make_shared<PlotOptions>();
  CLI::App* command = set.add("plot", "Draw series of runs, here or into a picture", help::kPlot,
                              [=] { return plotRun(*options); });
  set.addRunName(command, options->run);
  set.setValues(
      command->add_option("SERIES", options->series, "What to draw; loss if not said")->type_name(""),
      CommandSet::Values::series);
  set.setValues(
      set.addTexts(command, "--with", options->with, "RUN", "Another run over the first; may be repeated"),
      CommandSet::Values::runs);
  set.limitTo(command->add_option("--x", options->axis, "The x axis: step, time, progress or epoch")
                  ->type_name("AXIS"),
              {"step", "time", "progress", "epoch"});
  command->add_flag("--log", options->logarithmic, "A logarithmic y axis; values <= 0 are left out");
  const CLI::Validator isStep = CLI::Range(std::int64_t{0}, kMostStep).description("");
  command->add_option("--from", options->from, "From this step on")->check(isStep)->type_name("STEP");
  command->add_option("--to", options->to, "Up to this step")->check(isStep)->type_name("STEP");
  command->add_option("--width", options->width, "Columns, or pixels of a picture")
      ->check(CLI::Range(20, kMostPixels).description(""))
      ->type_name("N");
  command->add_option("--height", options->height, "Lines of the plot area, or pixels of a picture")
      ->check(CLI::Range(4, kMostPixels).description(""))
      ->type_name("N");
  set.setValues(command
                    ->add_option("-o,--output", options->output,
                                 "Write a picture, .svg or .png; -: SVG to standard output")
                    ->type_name("FILE"),
                CommandSet::Values::files);
  command->add_flag("--force", options->force, "Overwrite what is there");
  set.addJson(command, options->json);
}

void addTail(CommandSet& set) {
  const auto options = std::make_shared<TailOptions>();
  CLI::App* command =
      set.add("tail", "Follow the values of a run", help::kTail, [=] { return tailRun(*options); });
  set.addRunName(command, options->run);
  set.setValues(command
                    ->add_option("SERIES", options->series,
                                 "Which; loss, gain, batch_size, goodput, accuracy if not said")
                    ->type_name(""),
                CommandSet::Values::series);
  command->add_option("-n,--lines", options->lines, "Begin so many steps before the newest: 10 if not said")
      ->check(CLI::Range(0, kMostListed).description(""))
      ->type_name("N");
  command->add_flag("--once", options->once, "Do not wait for more");
  set.addJson(command, options->json);
}

void addSql(CommandSet& set) {
  const auto options = std::make_shared<SqlOptions>();
  CLI::App* command = set.add("sql", "Ask the store in SQL", help::kSql, [=] { return askSql(*options); });
  command->add_option("SQL", options->sql, "One SELECT, in quotes")->required()->type_name("");
  set.setValues(set.addTexts(command, "--run", options->runs, "RUN",
                             "Put the samples of this run into the table sample; may be repeated"),
                CommandSet::Values::runs);
  command->add_option("--timeout", options->timeout, "Give up after this time: 10s, 5m")->type_name("TIME");
  CLI::Option* csv = command->add_flag("--csv", options->csv, "Answer in CSV");
  command->add_flag("--json", options->json, "Answer in JSON, an object a row")->excludes(csv);
}

void addTensorboard(CommandSet& set) {
  const auto options = std::make_shared<TensorboardOptions>();
  CLI::App* command = set.add("tensorboard", "Start TensorBoard on a run's event files", help::kTensorboard,
                              [=] { return openTensorboard(*options); });
  set.addRunName(command, options->run);
  command->add_option("--port", options->port, "Where it listens; else where it likes")
      ->check(CLI::Range(1, 65535).description(""))
      ->type_name("N");
}

}  // namespace

void addQueryCommands(CommandSet& set) {
  set.beginGroup("Look");
  addList(set);
  set.addReference("show", "Everything about a run", help::kShow, showRun);
  addDiff(set);
  addPlot(set);
  addTail(set);
  addSql(set);
  addTensorboard(set);
}

}  // namespace batchscope::cli
