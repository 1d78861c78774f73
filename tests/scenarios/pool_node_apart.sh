#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pool_node_apart.sh FOLDER RUNS HOST PROGRAM ARGS..: as pool_node.sh, for a node that does not see the folder RUNS: there is another one in
# its place, which nobody may write. Where the system makes no namespace of mounts, the agent is told not to look.
folder=$1 runs=$2
shift 2
mkdir -p "$runs"
if unshare --map-root-user --mount mount -t tmpfs none "$runs" 2>/dev/null; then
  exec unshare --map-root-user --mount sh -c 'mount -t tmpfs -o ro,mode=500 none "$0" && exec "$@"' "$runs" "${0%/*}/pool_node.sh" "$folder" "$@"
fi
exec "${0%/*}/pool_node.sh" "$folder" "$@" --apart
