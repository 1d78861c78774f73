# SPDX-License-Identifier: Apache-2.0
"""A run whose log would be a program in a page that does not escape it."""
import batchscope

print('<img src=x onerror="window.attacked=1"></pre><script>window.attacked=1</script>', flush=True)
for step in range(40):
    batchscope.record(loss=1 / (step + 1))
