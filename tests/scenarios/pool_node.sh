#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pool_node.sh FOLDER HOST PROGRAM ARGS..: what ssh is to the pool's agents. Starts the agent of a node that listens at HOST; in FOLDER
# there is a file for each agent.
# pool_node.sh FOLDER lose HOST: kills all agents of HOST, and starts none there from then on.
folder=$1 host=$2
shift 2
if [ "$host" = lose ]; then
  touch "$folder/$1.lost"
  for agent in "$folder/$1".agent.*; do kill -KILL "${agent##*.}" 2>/dev/null; done
  exit 0
fi
if [ -e "$folder/$host.lost" ]; then
  echo "$host: no route to host" >&2
  exit 255
fi
touch "$folder/$host.agent.$$"
exec "$@" --listen "$host"
