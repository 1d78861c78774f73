// SPDX-License-Identifier: Apache-2.0
#include "serve/recording_command.h"

#include "batchscope/common/data_forms.h"
#include "batchscope/web/recording.h"
#include "batchscope/web/server.h"
#include "files/output_file.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {

int exportRecording(const RecordingOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  storage::require_sound(run);
  const OutputTarget target(options.output.empty() ? common::exportName(run, ".html") : options.output);
  target.refuseExisting(options.force);
  OutputFile file(target);
  const std::string html = web::recording_of(run.id, web::installed_page());
  file.write(html);
  file.finish();
  if (target.kind() == OutputTarget::Kind::standardOutput) return kExitOk;
  return answer(options.json, {{"written", target.name()}, {"run", run.id}, {"bytes", html.size()}},
                say("wrote {}: {}, {}", target.name(), title(run), formatBytes(html.size())));
}

}  // namespace batchscope::cli
