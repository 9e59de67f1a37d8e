#!/usr/bin/env python3
"""A Kubeflow pipeline: train, evaluate, serve.

    pip install kfp kfp-kubernetes
    packaging/kubeflow/pipeline.py pipeline.yaml     # to be uploaded, or run by kfp.Client

The volume claims `lockstep-data` (dataset, experiment) and `lockstep-runs` are mounted at /data and /runs. The serving runtime
`lockstep` of packaging/kubernetes/inferenceservice.yaml has to be in the namespace."""
import sys
from pathlib import Path

from kfp import compiler, components, dsl, kubernetes

HERE = Path(__file__).parent
train, evaluate, serve = (components.load_component_from_file(str(HERE / f"{name}.yaml"))
                          for name in ("train", "evaluate", "serve"))
DATA, RUNS = "lockstep-data", "lockstep-runs"


def with_run(task):
    """What a task does is on the volumes, where a cached answer cannot see that it has changed."""
    task.set_caching_options(False)
    return kubernetes.mount_pvc(task, pvc_name=RUNS, mount_path="/runs")


def with_data(task):
    return kubernetes.mount_pvc(with_run(task), pvc_name=DATA, mount_path="/data")


def on_gpus(task, count):
    task.set_accelerator_type("nvidia.com/gpu").set_accelerator_limit(count)
    kubernetes.empty_dir_mount(task, volume_name="memory", mount_path="/dev/shm", medium="Memory")  # for NCCL


@dsl.pipeline(name="lockstep", description="Trains an experiment, evaluates its best checkpoint and serves it.")
def lockstep(run: str = "lockstep", experiment: str = "/data/experiment.yaml", options: str = "",
             service: str = "lockstep"):
    """`run` is the folder's name on the volume of the runs."""
    trained = with_data(train(experiment=experiment, run=f"/runs/{run}", options=options))
    trained.set_retry(num_retries=10)  # an evicted pod: the next one resumes from the latest checkpoint
    on_gpus(trained, 8)
    evaluated = with_data(evaluate(run=f"/runs/{run}")).after(trained)
    on_gpus(evaluated, 1)
    served = serve(service=service, storage_uri=f"pvc://{RUNS}/{run}").after(evaluated)
    served.set_caching_options(False)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    compiler.Compiler().compile(lockstep, sys.argv[1])
