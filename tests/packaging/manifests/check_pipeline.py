"""packaging/kubeflow: the pipeline and its components are compiled by kfp."""
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from kfp import components

FOLDER = Path(sys.argv[1]) / "packaging/kubeflow"

with tempfile.TemporaryDirectory() as folder:
    compiled = Path(folder) / "pipeline.yaml"
    subprocess.run([sys.executable, str(FOLDER / "pipeline.py"), str(compiled)], check=True)
    pipeline, platform = yaml.safe_load_all(compiled.read_text())
    components.load_component_from_file(str(compiled))  # its schema

tasks = pipeline["root"]["dag"]["tasks"]
assert set(tasks) == {"train", "evaluate", "serve"}
assert tasks["evaluate"]["dependentTasks"] == ["train"] and tasks["serve"]["dependentTasks"] == ["evaluate"]
assert not any(task["cachingOptions"].get("enableCache") for task in tasks.values())

executors = pipeline["deploymentSpec"]["executors"]
images = {executor["container"]["image"] for executor in executors.values()}
assert len(images) == 1, images
programs = {name: executor["container"]["command"] for name, executor in executors.items()}
script = programs["exec-serve"][1]
assert (FOLDER.parents[1] / Path(script).relative_to("/opt/lockstep")).is_file(), script
assert programs["exec-evaluate"] == ["lockstep-engine", "evaluate"]

mounts = {name: [each["mountPath"] for each in executor["pvcMount"]]
          for name, executor in platform["platforms"]["kubernetes"]["deploymentSpec"]["executors"].items()}
assert set(mounts["exec-train"]) == set(mounts["exec-evaluate"]) == {"/data", "/runs"}, mounts
