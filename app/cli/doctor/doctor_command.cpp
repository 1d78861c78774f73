// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "batchscope/protocol/error.h"
#include "batchscope/run/machine.h"
#include "commands/commands.h"
#include "doctor/doctor.h"
#include "terminal/json_output.h"
#include "terminal/terminal.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;

struct LevelText {
  const char* name;
  Colour colour;
};

constexpr std::array<LevelText, 3> kLevels{
    {{word("ok"), Colour::green}, {word("warning"), Colour::yellow}, {word("problem"), Colour::red}}};

const LevelText& textOf(Level level) { return kLevels.at(static_cast<std::size_t>(level)); }

std::vector<Finding> examine(bool storeOnly) {
  std::vector<Finding> findings;
  const auto gpus = static_cast<int>(run::driver_gpus().size());
  for (std::vector<Finding>& part : storeOnly
                                        ? std::vector{examineStore(), examineStoreFiles()}
                                        : std::vector{examineHardware(), examineLibTorch(gpus),
                                                      examineStore(), examineDevices(), examineContention()})
    for (Finding& finding : part) findings.push_back(std::move(finding));
  return findings;
}

void printFindings(const std::vector<Finding>& findings) {
  const Style style = terminalStyle(STDOUT_FILENO);
  for (const Finding& finding : findings) {
    const LevelText& level = textOf(finding.level);
    fmt::print("{}  {:<9} {}\n", style.paint(fmt::format("{:<7}", translated(level.name)), level.colour),
               translated(finding.subject), printable(finding.text));
    if (!finding.remedy.empty())
      fmt::print("{:19} {}\n", "", say("to fix it: {}", printable(finding.remedy)));
  }
}

protocol::Json findingsJson(const std::vector<Finding>& findings) {
  protocol::Json list = protocol::Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"level", textOf(finding.level).name},
                    {"subject", finding.subject},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
  return list;
}

int report(const std::vector<Finding>& findings, bool json) {
  const bool sick = std::any_of(findings.begin(), findings.end(),
                                [](const Finding& finding) { return finding.level == Level::problem; });
  if (json)
    printJson({{"ok", !sick}, {"findings", findingsJson(findings)}});
  else
    printFindings(findings);
  return sick ? kExitFailure : kExitOk;
}

}  // namespace

int examineMachine(const DoctorOptions& options) {
  if (options.tighten) tightenRights();
  return report(examine(options.store), options.json);
}

int examineMachineOrSite(const Examination& options) {
  if (options.slurm) return report(examineSlurm(options), options.json);
  if (options.tryJob || !options.folder.empty())
    throw Error(ErrorKind::usage, say("--try and --folder belong to `batchscope doctor --slurm`"));
  return examineMachine(options);
}

}  // namespace batchscope::cli
