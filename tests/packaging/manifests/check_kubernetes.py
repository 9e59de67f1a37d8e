"""packaging/kubernetes/serving.yaml beside Kubernetes' schemas, of the oldest and the newest release that they have it for."""
import copy
import sys
from pathlib import Path

import kubernetes_validate
import yaml

MANIFEST = Path(sys.argv[1]) / "packaging/kubernetes/serving.yaml"
RELEASES = ("1.27", kubernetes_validate.latest_version())


def is_valid(document, release):
    try:
        kubernetes_validate.validate(document, release, strict=True)
        return True
    except kubernetes_validate.ValidationError as error:
        print(f"{document['kind']}, Kubernetes {release}: {error.message}", file=sys.stderr)
        return False


documents = list(yaml.safe_load_all(MANIFEST.read_text()))
for document in documents:
    for release in RELEASES:
        assert is_valid(document, release)

deployment, service, scaler = documents
assert (deployment["kind"], service["kind"], scaler["kind"]) == ("Deployment", "Service", "HorizontalPodAutoscaler")
labels = deployment["spec"]["template"]["metadata"]["labels"]
assert deployment["spec"]["selector"]["matchLabels"] == labels == service["spec"]["selector"]
assert scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
pod = deployment["spec"]["template"]["spec"]
container = pod["containers"][0]
assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
ports = {port["name"]: port["containerPort"] for port in container["ports"]}
assert service["spec"]["ports"][0]["targetPort"] in ports
assert str(ports["http"]) == container["command"][container["command"].index("--port") + 1]

broken = copy.deepcopy(deployment)
broken["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
assert not is_valid(broken, RELEASES[-1]), "a fault was not found"
