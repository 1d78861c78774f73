#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A script of AdaptDL's MNIST tutorial, where it is beside the project (shared/peer), with its imports changed and nothing else:
# adaptdl_tutorial.sh NAME > mnist.py
exec sed -e 's/^import adaptdl\b *#/import batchscope as adaptdl #/' -e 's/^import adaptdl\.torch\b/import batchscope.torch/' \
  "$(dirname "$0")/../../../shared/peer/tutorial/mnist_$1.py"
