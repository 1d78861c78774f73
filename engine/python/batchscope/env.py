# SPDX-License-Identifier: Apache-2.0
"""The environment of a replica, under AdaptDL's names."""
import os


def checkpoint_path():
    """Directory of the checkpoints; None where the script keeps them beside itself."""
    return os.getenv("ADAPTDL_CHECKPOINT_PATH")


def share_path():
    """Directory that the replicas share; None: there is none."""
    return os.getenv("ADAPTDL_SHARE_PATH")


def job_id():
    """The run's id; None without a supervisor."""
    return os.getenv("ADAPTDL_JOB_ID")


def master_addr():
    """Where replica 0 listens."""
    return os.getenv("ADAPTDL_MASTER_ADDR", "127.0.0.1")


def master_port():
    """Returns the port at which replicas meet; 0: they meet elsewhere."""
    return int(os.getenv("ADAPTDL_MASTER_PORT", "0"))


def replica_rank():
    """Returns this replica's rank, from 0 to num_replicas() - 1."""
    return int(os.getenv("ADAPTDL_REPLICA_RANK", "0"))


def num_nodes():
    """Machines."""
    return int(os.getenv("ADAPTDL_NUM_NODES", "1"))


def num_replicas():
    """Returns the number of replicas over all machines."""
    return int(os.getenv("ADAPTDL_NUM_REPLICAS", "1"))


def num_restarts():
    """So far; also the number of this generation."""
    return int(os.getenv("ADAPTDL_NUM_RESTARTS", "0"))


def adaptdl_sched_version():
    """The version of AdaptDL's scheduler; None: another one runs this script, or none."""
    return os.getenv("ADAPTDL_SCHED_VERSION")


def supervisor_url():
    """Where a supervisor answers over HTTP; None: nowhere."""
    return os.getenv("ADAPTDL_SUPERVISOR_URL")
