#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program of this build, which logs its samples in a folder of its run's own: `samples exact in each`.
export BATCHSCOPE_SAMPLE_LOG="$BATCHSCOPE_SAMPLE_LOG/$ADAPTDL_JOB_ID"
mkdir -p "$BATCHSCOPE_SAMPLE_LOG"
exec "$@"
