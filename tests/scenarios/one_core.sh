#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program on the first core that this process may use: what it starts takes that for all that the machine has.
exec taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$@"
