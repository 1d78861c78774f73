// SPDX-License-Identifier: Apache-2.0
//
// The commands that show runs and what they recorded.
#include "command_line/command_builder.h"
#include "command_line/help_text.h"
#include "command_line/spec_options.h"

namespace batchscope::cli {
namespace {

constexpr int kMostListed = 1'000'000;
constexpr int kMostPixels = 10'000;
constexpr std::int64_t kMostStep = std::int64_t{1} << 53;  // what a chart's axis can tell apart

void addPlot(CommandSet& set) {
  const CLI::Validator isStep = range(std::int64_t{0}, kMostStep);
  declare(set, "plot", say("Plot series of runs, in the terminal or as a picture"), help::kPlot, plotRun)
      .run()
      .option("SERIES", &PlotOptions::series, say("The series to draw; default: loss"), Values::series)
      .flag("--list", &PlotOptions::list, say("List the run's charts and their series instead"))
      .option("--with RUN", &PlotOptions::with, say("Draw another run over the first; may be repeated"),
              Takes::repeated, Values::runs)
      .option("--x AXIS", &PlotOptions::axis, say("The x axis: step, time, progress or epoch"),
              OneOf{{"step", "time", "progress", "epoch"}})
      .flag("--log", &PlotOptions::logarithmic, say("Draw a logarithmic y axis; values <= 0 are left out"))
      .option("--from STEP", &PlotOptions::from, say("Draw from this step on"), isStep)
      .option("--to STEP", &PlotOptions::to, say("Draw up to this step"), isStep)
      .option("--width N", &PlotOptions::width, say("Width in columns, or in pixels of a picture"),
              range(20, kMostPixels))
      .option("--height N", &PlotOptions::height,
              say("Height in lines of the plot area, or in pixels of a picture"), range(4, kMostPixels))
      .option("-o,--output FILE", &PlotOptions::output,
              say("Write a picture, .svg or .png; -: SVG to standard output"), Values::files)
      .flag("--force", &PlotOptions::force, say("Overwrite what is there"))
      .json();
}

void addSql(CommandSet& set) {
  CLI::App* command = declare(set, "sql", say("Query the store in SQL"), help::kSql, askSql)
                          .option("SQL", &SqlOptions::sql, say("One SELECT, in quotes"), Takes::required)
                          .option("--run RUN", &SqlOptions::runs,
                                  say("Put the samples of this run into the table sample; may be repeated"),
                                  Takes::repeated, Values::runs)
                          .option("--timeout TIME", &SqlOptions::timeout,
                                  say("Give up after this time, such as 10s or 5m"), timeText())
                          .flag("--csv", &SqlOptions::csv, say("Answer in CSV"))
                          .json(say("Answer in JSON, an object a row"))
                          .app();
  command->get_option("--json")->excludes(command->get_option("--csv"));
}

}  // namespace

void addQueryCommands(CommandSet& set) {
  set.beginGroup(say("Look"));
  declare(set, "ls", say("List the runs"), help::kList, listRuns)
      .option("--where FILTER", &ListOptions::where,
              say("Only runs for which this holds, such as 'accuracy>0.97'"), Values::fields)
      .option("--sort FIELD", &ListOptions::sort, say("Sort by this field, ascending; -FIELD: descending"),
              Values::fields)
      .option("--columns FIELDS", &ListOptions::columns, say("Show these fields, separated by commas"),
              Takes::separated, Values::fields)
      .option("--limit N", &ListOptions::limit, say("List at most N runs"), range(1, kMostListed))
      .flag("--trials", &ListOptions::trials,
            say("List the trials of sweeps one by one, not one row a sweep"))
      .flag("--trash", &ListOptions::trash, say("List the runs in the trash instead"))
      .flag("--all", &ListOptions::all,
            say("Also list the recorded runs of lessons, which are tagged lesson:NAME"))
      .flag("--watch", &ListOptions::watch, say("Keep showing what changes, until Ctrl-C"))
      .json();
  declare(set, "show", say("Show everything about a run"), help::kShow, showRun)
      .run()
      .flag("--epochs", &ShowOptions::epochs,
            say("Show every epoch; default: the first, the best and the last ten"))
      .flag("--predictions", &ShowOptions::predictions,
            say("Show only what was predicted for each restart, and what was measured"))
      .json();
  declare(set, "diff", say("Show how two runs differ"), help::kDiff, diffRuns)
      .run(&DiffOptions::first)
      .option("OTHER", &DiffOptions::second, say("The run to compare it with"), Takes::required, Values::runs)
      .flag("--all", &DiffOptions::all, say("Also show what is the same"))
      .json();
  addPlot(set);
  declare(set, "tail", say("Follow the values of a run"), help::kTail, tailRun)
      .run()
      .option("SERIES", &TailOptions::series,
              say("The series to follow; default: loss, gain, batch_size, goodput, accuracy"), Values::series)
      .option("-n,--lines N", &TailOptions::lines, say("Begin N steps before the newest; default: 10"),
              range(0, kMostListed))
      .flag("--once", &TailOptions::once, say("Do not wait for more"))
      .json();
  addSql(set);
  set.addProgram("serve", help::kServeAbout);
  declare(set, "tensorboard", say("Start TensorBoard on the event files of runs"), help::kTensorboard,
          openTensorboard)
      .option("RUN", &TensorboardOptions::runs,
              say("\"latest\", or a prefix of id or name; several if wanted"), Takes::required, Values::runs)
      .option("--port N", &TensorboardOptions::port, say("TensorBoard's port; default: TensorBoard chooses"),
              range(1, 65535));
}

}  // namespace batchscope::cli
