#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pool_supply.sh FOLDER WANTED [EMPTY..]: brings nodes, as `batchscope pool --nodes-from` calls it: one a call, at most two at a
# time beside those that leave. In FOLDER there is a file for each node.
# pool_supply.sh FOLDER leave NODE: is about to lose the node.    pool_supply.sh FOLDER fail: fails once.
# pool_supply.sh FOLDER none: exits 0 where no node is left.
folder=$1 wanted=$2
shift 2
case $wanted in
  leave) exec mv "$folder/supply.$1" "$folder/leaving.$1" ;;
  fail) exec touch "$folder/fails" ;;
  none) ! ls "$folder"/supply.* "$folder"/leaving.* 2>/dev/null; exit ;;
esac
if rm "$folder/fails" 2>/dev/null; then
  echo "no answer from the cloud" >&2
  exit 3
fi
for node; do rm -f "$folder/supply.$node" "$folder/leaving.$node"; done
nodes=$(ls "$folder" | grep -c '^supply\.')
if [ "$nodes" -lt "$wanted" ] && [ "$nodes" -lt 2 ]; then
  number=$(cat "$folder/supplied" 2>/dev/null || echo 1)
  echo $((number + 1)) >"$folder/supplied"
  touch "$folder/supply.n$((number + 1))"
fi
for file in "$folder"/supply.* "$folder"/leaving.*; do
  node=${file##*.}
  [ -e "$file" ] || continue
  case $file in
    */leaving.*) echo "$node=127.0.0.${node#n} leaving" ;;
    *) echo "$node=127.0.0.${node#n}" ;;
  esac
done
