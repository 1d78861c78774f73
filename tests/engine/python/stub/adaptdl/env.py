# SPDX-License-Identifier: Apache-2.0
import os


def replica_rank():
    return int(os.environ.get("ADAPTDL_REPLICA_RANK", "0"))


def num_replicas():
    return int(os.environ.get("ADAPTDL_NUM_REPLICAS", "1"))


def num_nodes():
    return int(os.environ.get("ADAPTDL_NUM_NODES", "1"))


def num_restarts():
    return int(os.environ.get("ADAPTDL_NUM_RESTARTS", "0"))


def checkpoint_path():
    return os.environ.get("ADAPTDL_CHECKPOINT_PATH")
