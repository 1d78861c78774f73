# SPDX-License-Identifier: Apache-2.0
"""The environment of a replica, under AdaptDL's names."""
import os


def checkpoint_path():
    """Returns the directory of the checkpoints; None if the script keeps them beside itself."""
    return os.getenv("ADAPTDL_CHECKPOINT_PATH")


def share_path():
    """Returns the directory that the replicas share; None: there is none."""
    return os.getenv("ADAPTDL_SHARE_PATH")


def job_id():
    """Returns the run's id; None without a supervisor."""
    return os.getenv("ADAPTDL_JOB_ID")


def master_addr():
    """Returns the address at which replica 0 listens."""
    return os.getenv("ADAPTDL_MASTER_ADDR", "127.0.0.1")


def master_port():
    """Returns the port at which replicas meet; 0: they meet elsewhere."""
    return int(os.getenv("ADAPTDL_MASTER_PORT", "0"))


def replica_rank():
    """Returns this replica's rank, from 0 to num_replicas() - 1."""
    return int(os.getenv("ADAPTDL_REPLICA_RANK", "0"))


def num_nodes():
    """Returns the number of machines."""
    return int(os.getenv("ADAPTDL_NUM_NODES", "1"))


def num_replicas():
    """Returns the number of replicas over all machines."""
    return int(os.getenv("ADAPTDL_NUM_REPLICAS", "1"))


def num_restarts():
    """Returns the number of restarts so far, which is also the number of this generation."""
    return int(os.getenv("ADAPTDL_NUM_RESTARTS", "0"))


def adaptdl_sched_version():
    """Returns the version of AdaptDL's scheduler; None: the script does not run under it."""
    return os.getenv("ADAPTDL_SCHED_VERSION")


def supervisor_url():
    """Returns the URL at which a supervisor answers over HTTP; None: there is none."""
    return os.getenv("ADAPTDL_SUPERVISOR_URL")
