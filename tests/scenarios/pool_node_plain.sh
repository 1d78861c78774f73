#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pool_node_plain.sh FOLDER HOST PROGRAM ARGS..: as pool_node.sh, for a node whose agent is told nothing of TLS.
read -r welcome
{ echo "$welcome" | sed s/true/false/; cat; } | "${0%/*}/pool_node.sh" "$@"
