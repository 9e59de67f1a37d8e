"""packaging/kubernetes/inferenceservice.yaml, and the service that a pipeline applies, beside the models of KServe's SDK."""
import copy
import importlib.util
import sys
import types
from pathlib import Path

import kserve.models
import kubernetes.client
import yaml

from openapi_models import faults_of

SOURCES = Path(sys.argv[1])
TYPES = {"ServingRuntime": "V1alpha1ServingRuntime", "InferenceService": "V1beta1InferenceService"}


def faults(document):
    return faults_of(document, TYPES[document["kind"]], kserve.models, kubernetes.client)


def applied_service():
    path = SOURCES / "packaging/kubeflow/apply_inference_service.py"
    spec = importlib.util.spec_from_file_location("apply_inference_service", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.service_of(types.SimpleNamespace(service="droplets", storage_uri="pvc://runs/droplets", min_replicas=1,
                                                   max_replicas=8))


runtime, service = yaml.safe_load_all((SOURCES / "packaging/kubernetes/inferenceservice.yaml").read_text())
for document in (runtime, service, applied_service()):
    assert not faults(document), faults(document)
for document in (service, applied_service()):
    # Knative ends a pod after this time, within which it has to answer what it was asked.
    assert document["spec"]["predictor"]["timeout"] > 60, document

container = runtime["spec"]["containers"][0]
assert container["name"] == "kserve-container", "KServe looks for it"
assert container["livenessProbe"] and container["securityContext"]["runAsNonRoot"]
# A run's best checkpoint is served where no weights are named; those of a model folder cannot be.
assert "--weights" not in container["command"]
model = service["spec"]["predictor"]["model"]
formats = [each["name"] for each in runtime["spec"]["supportedModelFormats"]]
assert model["modelFormat"]["name"] in formats
assert model["protocolVersion"] in runtime["spec"]["protocolVersions"]

# A fault is found.
for change in (lambda each: each["spec"]["predictor"].update(minReplica=1),
               lambda each: each["spec"]["predictor"].update(maxReplicas="8"),
               lambda each: each["spec"]["predictor"]["model"].pop("modelFormat")):
    broken = copy.deepcopy(service)
    change(broken)
    assert faults(broken), "a fault was not found"
