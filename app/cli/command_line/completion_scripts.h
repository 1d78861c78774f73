// SPDX-License-Identifier: Apache-2.0
//
// The scripts for completion in the shells: each script asks the program itself.
#pragma once

namespace batchscope::cli::scripts {

inline constexpr char kBash[] = R"sh(# bash completion of batchscope; source <(batchscope completion bash)
_batchscope() {
  local -a lines=()
  local line
  COMPREPLY=()
  mapfile -t lines < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ ${lines[0]-} == :files ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  for line in "${lines[@]}"; do
    printf -v line '%q' "${line%%$'\t'*}"
    COMPREPLY+=("$line")
  done
}
complete -F _batchscope batchscope
)sh";

inline constexpr char kZsh[] = R"sh(#compdef batchscope
# zsh completion of batchscope; source <(batchscope completion zsh), or a file _batchscope in $fpath
_batchscope() {
  local -a lines described
  local line
  lines=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ ${lines[1]} == :files ]]; then
    _files
    return
  fi
  for line in $lines; do
    described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  _describe -V 'batchscope' described
}
if [[ ${funcstack[1]} == _batchscope ]]; then
  _batchscope "$@"
else
  compdef _batchscope batchscope
fi
)sh";

inline constexpr char kFish[] = R"sh(# fish completion of batchscope; batchscope completion fish | source
function __batchscope_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$lines[1]" = ":files"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $lines
    end
end
complete -c batchscope -f -a '(__batchscope_complete)'
)sh";

}  // namespace batchscope::cli::scripts
