#!/bin/sh
# A sweep as a Slurm array, one shard a task. A task that was preempted or killed goes on from its
# records when it is queued again.
#
#   mkdir -p logs
#   MODEL=/data/model TEXT=/data/text.txt sbatch examples/sweep/slurm.sh
#   wkv sweep merge records/*.jsonl --json sweep.json      # when all tasks have ended
#
# A single shard again: sbatch --array=3 examples/sweep/slurm.sh
#
#SBATCH --job-name=wkv-sweep
#SBATCH --array=1-16
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=logs/%x-%a.log

set -eu

# As many as the array above has tasks.
shards=16

mkdir -p records
export RAYON_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}"
exec wkv sweep --preset published --model "${MODEL:?names a model}" --text "${TEXT:?names a text}" \
    --shard "$SLURM_ARRAY_TASK_ID/$shards" --records "records/shard-$SLURM_ARRAY_TASK_ID.jsonl"
