#!/usr/bin/env python3
"""Makes or updates a KServe InferenceService from inside the cluster and waits until it is ready, with the rights of the pod's
service account on `inferenceservices`. It needs only Python's standard library."""
import argparse
import datetime
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ACCOUNT = Path(os.environ.get("LOCKSTEP_SERVICE_ACCOUNT", "/var/run/secrets/kubernetes.io/serviceaccount"))
POLL_SECONDS = float(os.environ.get("LOCKSTEP_POLL_SECONDS", "5"))


class ApplyError(Exception):
    """Why there is no service, as one line."""


class UnavailableError(ApplyError):
    """Nothing is known: the API server may answer the next time."""


def service_of(arguments):
    """Of the same run, too, the pods are replaced: its best checkpoint may be another, and they read it when they start."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": arguments.service},
        "spec": {"predictor": {
            "annotations": {"lockstep/applied": now},
            "minReplicas": arguments.min_replicas,
            "maxReplicas": arguments.max_replicas,
            "timeout": 75,  # Knative gives a pod that is stopped as long; requests end within 60 s
            "model": {"modelFormat": {"name": "lockstep"}, "protocolVersion": "v2", "storageUri": arguments.storage_uri}}},
    }


class Cluster:
    def __init__(self):
        host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        if not host:
            raise ApplyError("KUBERNETES_SERVICE_HOST is not set: this runs in a pod of the cluster")
        self.address = f"https://{f'[{host}]' if ':' in host else host}:{port}"
        self.token = (ACCOUNT / "token").read_text().strip()
        self.namespace = (ACCOUNT / "namespace").read_text().strip()
        self.tls = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))

    def url_of(self, name):
        return f"{self.address}/apis/serving.kserve.io/v1beta1/namespaces/{self.namespace}/inferenceservices/{name}"

    def ask(self, method, url, body=None):
        request = urllib.request.Request(url, method=method, headers={"Authorization": f"Bearer {self.token}"})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/apply-patch+yaml")  # JSON is YAML
        try:
            with urllib.request.urlopen(request, context=self.tls, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            is_passing = error.code == 429 or error.code >= 500
            raise (UnavailableError if is_passing else ApplyError)(f"{method} {url}: {error.code} {message_of(error)}") from error
        except OSError as error:  # no connection, or none in time
            raise UnavailableError(f"{method} {url}: {getattr(error, 'reason', error)}") from error


def message_of(error):
    try:
        return json.load(error)["message"]
    except (ValueError, KeyError):
        return error.reason


def condition_of(service):
    """Whether the newest specification is ready, and what is said about it."""
    status = service.get("status", {})
    if status.get("observedGeneration", -1) < service["metadata"].get("generation", 0):
        return False, "not seen by KServe yet"
    ready = next((each for each in status.get("conditions", []) if each["type"] == "Ready"), {})
    return ready.get("status") == "True", ready.get("message") or ready.get("reason") or "no condition Ready"


def wait_until_ready(cluster, url, patience):
    until = time.monotonic() + patience
    while True:
        try:
            service = cluster.ask("GET", url)
            is_ready, why = condition_of(service)
            if is_ready:
                return service["status"].get("url", "")
        except UnavailableError as error:
            why = error
        if time.monotonic() > until:
            raise ApplyError(f"{url.rpartition('/')[2]} is not ready after {patience} seconds: {why}")
        time.sleep(POLL_SECONDS)


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("service", help="name of the InferenceService")
    parser.add_argument("--storage-uri", required=True, help="where the run is: pvc://CLAIM/RUN, s3://…")
    parser.add_argument("--min-replicas", type=int, default=1)
    parser.add_argument("--max-replicas", type=int, default=8)
    parser.add_argument("--wait", type=int, default=600, metavar="SECONDS", help="for the service to be ready")
    parser.add_argument("--url-file", type=Path, help="file to write the service's address to")
    return parser.parse_args()


def main():
    arguments = parsed_arguments()
    try:
        cluster = Cluster()
        url = cluster.url_of(arguments.service)
        # Server-side apply: makes the service, or changes only what is named here.
        cluster.ask("PATCH", url + "?fieldManager=lockstep&force=true", service_of(arguments))
        address = wait_until_ready(cluster, url, arguments.wait)
        print(address)
        if arguments.url_file:
            arguments.url_file.parent.mkdir(parents=True, exist_ok=True)
            arguments.url_file.write_text(address)
        return 0
    except (ApplyError, OSError) as error:
        print(f"apply_inference_service: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
