"""packaging/kubernetes/pytorchjob.yaml beside the models of Kubeflow's training SDK."""
import copy
import sys
from pathlib import Path

import kubeflow.training.models
import kubernetes.client
import yaml

from openapi_models import faults_of


def faults(document):
    # Its own copies of Kubernetes' models have the names of the types.
    return faults_of(document, "KubeflowOrgV1PyTorchJob", kubeflow.training.models, kubernetes.client)


job = yaml.safe_load((Path(sys.argv[1]) / "packaging/kubernetes/pytorchjob.yaml").read_text())
assert not faults(job), faults(job)

broken = copy.deepcopy(job)
broken["spec"]["pytorchReplicaSpecs"]["Master"]["replica"] = 1
assert faults(broken), "a fault was not found"
