// SPDX-License-Identifier: Apache-2.0
#include "slurm/programs.h"

#include <QProcess>
#include <QStringList>
#include <sstream>

#include "batchscope/protocol/error.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

constexpr int kPatienceMs = 10'000;

std::string trimmed(const std::string& text) { return QString::fromStdString(text).trimmed().toStdString(); }

}  // namespace

Said call(const std::string& program, const Strings& arguments) {
  QStringList list;
  for (const std::string& argument : arguments) list << QString::fromStdString(argument);
  QProcess process;
  process.setStandardInputFile(QProcess::nullDevice());
  process.start(QString::fromStdString(program), list);
  if (!process.waitForStarted(kPatienceMs))
    throw Error(
        ErrorKind::not_found,
        say("there is no program {} here: call this on a login node of Slurm, with Slurm's programs in PATH",
            program));
  if (!process.waitForFinished(kPatienceMs)) {
    process.kill();
    process.waitForFinished();
    throw Error(ErrorKind::timeout,
                say("{} has not ended within {} s: Slurm's controller does not answer; try `scontrol "
                    "ping`",
                    program, kPatienceMs / 1000));
  }
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          process.readAllStandardOutput().toStdString(), process.readAllStandardError().toStdString()};
}

std::string told(const std::string& program, const Strings& arguments) {
  const Said said = call(program, arguments);
  if (said.code != 0)
    throw Error(ErrorKind::failure,
                say("{} fails: {}", program, printable(trimmed(said.err.empty() ? said.out : said.err))));
  return trimmed(said.out);
}

std::string submit(const Strings& options, const std::string& script) {
  Strings arguments{"--parsable"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(script);
  const std::string number = told("sbatch", arguments);
  return number.substr(0, number.find(';'));  // behind which a federation names the cluster
}

int idleNodes(const std::string& partition) {
  std::istringstream counts(
      told("sinfo", {"--noheader", "--states=idle", "--partition=" + partition, "--format=%D"}));
  int idle = 0;
  for (int count = 0; counts >> count;) idle += count;
  return idle;
}

Fields fieldsOf(const std::string& line) {
  Fields fields;
  std::istringstream words(line);
  std::string last;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals != std::string::npos)
      fields[last = word.substr(0, equals)] = word.substr(equals + 1);
    else if (!last.empty())
      fields[last] += " " + word;
  }
  return fields;
}

Fields job(const std::string& number) {
  const Said said = call("scontrol", {"--oneliner", "show", "job", number});
  return said.code == 0 ? fieldsOf(said.out) : Fields();
}

std::string stateOf(const std::string& number) {
  if (const auto fields = job(number); fields.contains("JobState")) return fields.at("JobState");
  try {
    const Said said =
        call("sacct", {"--jobs", number, "--allocations", "--noheader", "--parsable2", "--format", "State"});
    return said.code == 0 ? trimmed(said.out).substr(0, said.out.find_first_of(" \n"))
                          : "";  // "CANCELLED by 1000"
  } catch (const Error&) {
    return {};  // it is not installed, or its database does not answer
  }
}

}  // namespace batchscope::cli::slurm
