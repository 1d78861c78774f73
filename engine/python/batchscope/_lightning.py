# SPDX-License-Identifier: Apache-2.0
"""Lightning's own classes, from `lightning` or `pytorch_lightning`: the package that the script has imported, or else that is installed."""

import sys

if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning.callbacks import Callback
    from pytorch_lightning.strategies import DDPStrategy
else:
    try:
        from lightning.pytorch.callbacks import Callback
        from lightning.pytorch.strategies import DDPStrategy
    except ModuleNotFoundError:
        try:
            from pytorch_lightning.callbacks import Callback
            from pytorch_lightning.strategies import DDPStrategy
        except ModuleNotFoundError:
            raise ModuleNotFoundError("batchscope.lightning needs Lightning: install lightning or pytorch-lightning for this interpreter, "
                                      f"{sys.executable}", name="lightning") from None

__all__ = ["Callback", "DDPStrategy"]
