"""packaging/kubeflow/apply_inference_service.py with an API server of its own: what it asks, until when, and what it says."""
import datetime
import http.server
import ipaddress
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

SCRIPT = Path(sys.argv[1]) / "packaging/kubeflow/apply_inference_service.py"
PATH = "/apis/serving.kserve.io/v1beta1/namespaces/vision/inferenceservices/droplets"


def write_certificate(folder):
    """One for 127.0.0.1, signed by itself: `ca.crt`, and with its key `server.pem`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "API server")])
    now = datetime.datetime.now(datetime.timezone.utc)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
                   .serial_number(1).not_valid_before(now - datetime.timedelta(days=1))
                   .not_valid_after(now + datetime.timedelta(days=1)).add_extension(address, critical=False)
                   .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
                   .sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                serialization.NoEncryption())
    (folder / "ca.crt").write_bytes(certificate)
    (folder / "server.pem").write_bytes(private + certificate)


class ApiServer(http.server.BaseHTTPRequestHandler):
    """Knows one service, which is ready when it is asked for the third time."""
    asked, applied, refuses, is_ever_ready, failures = [], None, False, True, 0

    def do_PATCH(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        ApiServer.asked.append(("PATCH", self.path, self.headers["Content-Type"], self.headers["Authorization"]))
        if ApiServer.refuses:
            return self.answer(403, {"kind": "Status", "message": "inferenceservices is forbidden"})
        ApiServer.applied = json.loads(body)
        return self.answer(201, self.service(0))

    def do_GET(self):
        if ApiServer.failures:
            ApiServer.failures -= 1
            return self.answer(503, {"kind": "Status", "message": "etcd is slow"})
        ApiServer.asked.append(("GET", self.path, None, self.headers["Authorization"]))
        times = sum(1 for each in ApiServer.asked if each[0] == "GET")
        self.answer(200, self.service(times if ApiServer.is_ever_ready else 0))

    @staticmethod
    def service(times):
        # Asked for the first time, what it says is still of the generation before.
        status = {"observedGeneration": 1 if times < 2 else 2, "url": "http://droplets.vision.example",
                  "conditions": [{"type": "Ready", "status": "True" if times in (1, 3) else "False",
                                  "message": "0 of 1 pods"}]}
        return {"metadata": {"name": "droplets", "generation": 2}, "status": status}

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def apply(folder, port, *options):
    variables = {**os.environ, "LOCKSTEP_SERVICE_ACCOUNT": str(folder), "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                 "KUBERNETES_SERVICE_PORT": str(port), "LOCKSTEP_POLL_SECONDS": "0.01"}
    return subprocess.run([sys.executable, str(SCRIPT), "droplets", "--storage-uri", "pvc://runs/droplets", "--url-file",
                           str(folder / "made/url"), *options], env=variables, capture_output=True, text=True, timeout=60)


def check(folder, port):
    ended = apply(folder, port)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == (folder / "made/url").read_text() == "http://droplets.vision.example"
    assert ApiServer.asked[0] == ("PATCH", PATH + "?fieldManager=lockstep&force=true", "application/apply-patch+yaml",
                                  "Bearer secret")
    assert ApiServer.asked[1:] == [("GET", PATH, None, "Bearer secret")] * 3
    assert ApiServer.applied["spec"]["predictor"]["model"]["storageUri"] == "pvc://runs/droplets"

    # The same run again: the specification is another, so that the pods are replaced. An API server that fails now and then is asked again.
    first = ApiServer.applied["spec"]
    ApiServer.asked, ApiServer.failures = [], 2
    ended = apply(folder, port)
    assert ended.returncode == 0 and ApiServer.failures == 0, ended.stderr
    assert ApiServer.applied["spec"] != first
    assert ApiServer.applied["spec"]["predictor"]["model"] == first["predictor"]["model"]

    ApiServer.failures = 1
    ended = apply(folder, port, "--wait", "0")
    assert ended.returncode == 1 and "503 etcd is slow" in ended.stderr, ended

    ApiServer.is_ever_ready = False
    ended = apply(folder, port, "--wait", "0")
    assert ended.returncode == 1 and "not ready after 0 seconds" in ended.stderr, ended

    ApiServer.refuses = True
    ended = apply(folder, port)
    assert ended.returncode == 1 and ended.stderr.count("\n") == 1, ended
    assert "403 inferenceservices is forbidden" in ended.stderr, ended.stderr


with tempfile.TemporaryDirectory() as name:
    account = Path(name)
    write_certificate(account)
    (account / "token").write_text("secret\n")
    (account / "namespace").write_text("vision")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ApiServer)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(account / "server.pem")
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    check(account, server.server_address[1])
    server.shutdown()
