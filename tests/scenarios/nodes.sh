#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nodes.sh PROGRAMS FOLDER NUMBER..: what srun is to a supervisor on Slurm. For each number N it starts the agent of a node nN, at
# 127.0.0.N, each with what comes on standard input; FOLDER/nN.pid holds its process.
programs=$1 folder=$2
shift 2
read -r welcome
exec 3<&0
for number; do
  { echo "$welcome"; cat <&3; } | sh -c '
    echo $$ >"$1/n$2.pid"
    exec "$0/batchscope-node" serve --name "n$2" --listen "127.0.0.$2"' "$programs" "$folder" "$number" &
done
wait
