#!/bin/bash
# two words (k3v90abc): the script of every Slurm job of this run. A job first submits the next one, which waits until
# the job has ended. To continue the run after a stop:
# sbatch '/tmp/shared runs/k3v90abc/job.sh'
#SBATCH --job-name=batchscope-k3v90abc
#SBATCH --dependency=singleton
#SBATCH --nodes=1-3
#SBATCH --gpus-per-node=2
#SBATCH --time=1:00:00
#SBATCH --no-requeue
#SBATCH --open-mode=append
#SBATCH --output="/tmp/shared runs/k3v90abc/job-%j.out"
#SBATCH --signal=B:USR1@180
#SBATCH --account=x

export BATCHSCOPE_REPLICAS_PER_NODE=2
exec /usr/bin/batchscope slurm-job --nodes 1-3 '/tmp/shared runs/k3v90abc'
