# SPDX-License-Identifier: Apache-2.0
"""Writes state dicts of optimizers and schedules as bytes without code: their tensors as a list by torch.save, and everything else
as JSON, in which a tensor is its number in that list. Functions are left out: the program has them."""
import collections
import io
import json

import torch

_KINDS = {"list": list, "tuple": tuple, "dict": dict, "ordered": collections.OrderedDict, "counter": collections.Counter}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def dump(value):
    """Returns the value as bytes. Raises TypeError, naming the type, for a value that is neither plain nor a tensor."""
    tensors = []
    text = json.dumps(_flat(value, tensors)).encode()
    file = io.BytesIO()
    file.write(len(text).to_bytes(8, "little") + text)
    torch.save(tensors, file)
    return file.getvalue()


def load(data):
    """Returns the value from which dump made these bytes, with its tensors on the CPU."""
    size = int.from_bytes(data[:8], "little")
    tensors = torch.load(io.BytesIO(data[8 + size:]), map_location="cpu", weights_only=True)
    return _whole(json.loads(data[8:8 + size]), tensors)


def _flat(value, tensors):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return {"tensor": len(tensors) - 1}
    kind = _NAMES.get(type(value)) or ("dict" if isinstance(value, dict) else None)
    if kind in ("list", "tuple"):
        return {kind: [_flat(item, tensors) for item in value]}
    if kind:
        return {kind: [[_flat(key, tensors), _flat(item, tensors)] for key, item in value.items() if not callable(item)]}
    if hasattr(value, "item"):  # a number of NumPy's
        return value.item()
    raise TypeError(f"a value of type {type(value).__name__} cannot be checkpointed: only numbers, texts, lists, dicts and tensors "
                    "can; keep it in a checkpoint.State of its own")


def _whole(flat, tensors):
    if not isinstance(flat, dict):
        return flat
    (kind, items), = flat.items()
    if kind == "tensor":
        return tensors[items]
    if kind in ("list", "tuple"):
        return _KINDS[kind](_whole(item, tensors) for item in items)
    return _KINDS[kind]({_whole(key, tensors): _whole(item, tensors) for key, item in items})
