"""Checks every #include of the project against the table of what each folder may depend on.

usage: include_check.py SOURCE_FOLDER | --self-test
"""
import pathlib
import re
import sys

COCO = {"coco/masks", "coco/files", "coco/evaluation"}  # to other folders: `coco`
CORE = {"base", "config", "coco", "events", "explanation", "protocol", "alerts", "run_folder", "queue"}
# Features of the window without widgets, the lower ones first.
FEATURES = {"app/text", "app/files", "app/metrics", "app/engines", "app/documents", "app/experiments", "app/runs/list", "app/runs/open", "app/cards", "app/predictions"}
PAGE = CORE | FEATURES | {"app/docks", "widgets", "widgets/curves", "widgets/jobs"}
# Folder -> project folders it may include besides itself.
ALLOWED = {
    "engine/base": set(),
    "engine/config": {"base", "coco"},
    "engine/coco/masks": {"base"},
    "engine/coco/files": {"base", "coco/masks"},
    "engine/coco/evaluation": {"base", "coco"},
    "engine/coco/label_maps": {"base", "coco"},
    "engine/coco/analysis": {"base", "coco", "coco/label_maps"},
    "engine/coco/report": {"base", "coco", "coco/analysis"},
    "engine/dataset_check": {"base", "config", "coco"},
    "engine/formats": {"base", "config", "coco"},
    "engine/protocol": {"base"},
    "engine/events": {"base", "protocol"},
    "engine/explanation": {"base", "coco"},
    "engine/alerts": {"base", "config", "events", "protocol"},
    "engine/run_folder": {"base", "config", "coco", "events", "protocol"},
    "engine/pack": {"base", "coco", "config", "events", "protocol", "run_folder"},
    "engine/foreign_runs": {"base", "events", "protocol", "run_folder"},
    "engine/queue": {"base", "protocol", "run_folder"},
    "engine/supervisor": CORE,
    "engine/serve": {"base", "coco", "formats", "protocol", "run_folder", "supervisor"},
    "engine/cli": CORE | {"supervisor", "coco/analysis", "coco/report", "dataset_check", "foreign_runs", "formats", "pack", "serve"},
    "engine/structures": {"base"},
    "engine/ops": {"base", "structures"},
    "engine/model": {"base", "config", "structures", "ops"},
    "engine/data": {"base", "coco", "config", "structures", "ops"},
    "engine/scenes": {"base", "coco", "config", "data"},
    "engine/solver": {"base", "config", "ops"},
    "engine/dist": {"base", "config", "protocol"},
    "engine/checkpoint": {"base", "run_folder"},
    "engine/eval": {"base", "config", "coco", "protocol", "events", "explanation", "structures", "ops", "model", "data", "dist"},
    "engine/train": CORE | {"structures", "ops", "model", "data", "solver", "dist", "checkpoint", "eval"},
    "engine/worker": CORE | {"dataset_check", "formats", "structures", "ops", "model", "data", "scenes", "solver", "dist", "checkpoint", "eval", "train"},
    # Without widgets: what the views beside them show.
    "widgets/curves": set(),
    "widgets/jobs": set(),
    "widgets/experiment": {"base", "config", "widgets/curves"},
    "widgets/instances": {"base", "coco", "coco/analysis"},
    # Views. They do not know one another.
    "widgets": set(),
    "widgets/bars": {"widgets"},
    "widgets/plots": {"widgets", "widgets/curves", "widgets/jobs"},
    "widgets/export": {"base", "widgets", "widgets/curves", "widgets/plots"},
    "widgets/config_editor": {"base", "config", "widgets", "widgets/bars", "widgets/experiment", "widgets/jobs"},
    "widgets/image_view": {"base", "coco", "coco/analysis", "explanation", "widgets", "widgets/curves", "widgets/instances", "widgets/jobs"},
    "widgets/dataset_view": {"base", "coco", "config", "dataset_check", "widgets", "widgets/bars", "widgets/curves", "widgets/image_view", "widgets/instances", "widgets/jobs"},
    "widgets/comparison": {"base", "coco", "coco/analysis", "config", "widgets", "widgets/instances", "widgets/jobs"},
    "app/text": {"config", "widgets/curves"},
    "app/files": {"base", "widgets/jobs"},
    "app/metrics": {"config", "events", "widgets/curves"},
    "app/engines": CORE | {"app/files", "app/text", "widgets/jobs"},
    "app/documents": CORE | {"app/files", "app/text", "widgets/jobs"},
    "app/experiments": CORE | {"app/engines", "widgets/curves", "widgets/jobs"},
    "app/runs/list": CORE | {"foreign_runs", "app/engines", "app/text", "widgets/curves", "widgets/jobs"},
    "app/runs/open": CORE | {"foreign_runs", "app/engines", "app/files", "app/metrics", "app/runs/list", "app/text", "widgets/jobs"},
    "app/cards": CORE | {"app/metrics", "app/runs/open", "app/text", "widgets/curves"},
    "app/predictions": CORE | {"app/engines", "app/files", "app/metrics", "app/runs/open", "widgets/jobs"},
    "app/results": CORE | {"app/predictions", "widgets/instances", "widgets/jobs"},
    "app/docks": {"widgets"},
    # Pages know neither one another nor the window around them.
    "app/runs/panel": PAGE,
    "app/monitor": PAGE | {"widgets/plots", "widgets/export"},
    "app/predictions_page": PAGE | {"app/results", "widgets/image_view", "widgets/instances"},
    "app/data": PAGE | {"dataset_check", "widgets/dataset_view"},
    "app/compare": PAGE | {"app/results", "widgets/plots", "widgets/comparison", "widgets/image_view", "widgets/instances"},
    "app/configure": PAGE | {"widgets/config_editor", "widgets/experiment"},
    "app/export": {"base", "coco", "formats", "app/engines", "widgets", "widgets/curves", "widgets/export", "widgets/image_view", "widgets/instances", "widgets/jobs"},
    "app/frame": PAGE | {"pack", "app/runs/panel", "app/monitor", "app/export", "app/predictions_page", "app/data", "app/compare", "app/configure", "widgets/export", "widgets/plots", "widgets/image_view", "widgets/config_editor"},
    "app": CORE | {"app/documents", "app/engines", "app/frame", "widgets"},
}
# Folder prefix -> system headers it must never see.
FORBIDDEN = [
    (re.compile(r"engine/"), re.compile(r"^Q[A-Z]|^Qsci/|qcustomplot")),
    (re.compile(r"engine/(base|config|coco|dataset_check|explanation|formats|events|protocol|alerts|run_folder|pack|foreign_runs|queue|supervisor|serve|cli)/|app/|widgets/"),
     re.compile(r"^(torch|ATen|c10|opencv2?)/")),
    (re.compile(r"engine/(structures|ops|model)/"), re.compile(r"^(yaml-cpp|opencv2|sys/socket)")),
    # Headers of cuBLAS and cuSPARSE come with it, which a CUDA compiler alone does not bring.
    (re.compile(r"engine/"), re.compile(r"^ATen/cuda/CUDAContext\.h")),
    (re.compile(r"engine/data/(?!image_file\.cpp|displayed_image\.)"), re.compile(r"^opencv2/")),  # which image_file_ppm.cpp replaces where a GPU is checked
    (re.compile(r"engine/dist/(?!gloo_backend\.cpp)"), re.compile(r"ProcessGroupGloo")),  # the wheel lacks gloo's headers
    (re.compile(r"(?!widgets/plots/)"), re.compile(r"qcustomplot")),
    (re.compile(r"(app|widgets)/(?!slider\.)"), re.compile(r"^QSlider$")),  # widgets/slider.h is the one kind of slider
    (re.compile(r"widgets/"), re.compile(r"^(QLocalSocket|QLocalServer|QProcess|QTcpSocket)")),
]


def folder_of(path):
    """The deepest folder of ALLOWED that a file lies in; its first two where there is none."""
    folders = path.split("/")[:-1]
    deepest = "/".join(folders[:3])
    return deepest if deepest in ALLOWED else "/".join(folders[:2])


def faults_of(path, text):
    """Faults of one file; path is relative to the sources."""
    own = folder_of(path)
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^">]+)', line)
        if not match:
            continue
        quoted, name = match[1] == '"', match[2]
        target = folder_of(name)
        if quoted and target in ALLOWED and target != own:
            short = target.removeprefix("engine/")
            if short not in ALLOWED.get(own, set()) and not (short in COCO and "coco" in ALLOWED.get(own, set())):
                yield f"{path}:{number}: {own} may not include {name}"
        for where, what in FORBIDDEN:
            if where.match(path) and what.search(name):
                if "qcustomplot" in name and path.startswith("tests/"):
                    continue
                yield f"{path}:{number}: {own} may not include <{name}>"
        if path.startswith("widgets/plots/") and path.endswith(".h") and "qcustomplot" in name:
            yield f"{path}:{number}: qcustomplot.h belongs in .cpp files only"


def main():
    if sys.argv[1] == "--self-test":
        bad = {
            "engine/ops/a.cpp": '#include "engine/config/load.h"',
            "engine/config/a.cpp": "#include <QString>",
            "engine/cli/a.cpp": "#include <torch/torch.h>",
            "engine/ops/a.cu": "#include <ATen/cuda/CUDAContext.h>",
            "engine/data/batch.cpp": "#include <opencv2/core.hpp>",
            "engine/dist/world.cpp": "#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>",
            "engine/coco/evaluation/a.cpp": '#include "engine/coco/analysis/analysis.h"',
            "engine/coco/files/a.cpp": '#include "engine/coco/evaluation/overlaps.h"',
            "engine/dataset_check/a.cpp": '#include "engine/coco/analysis/analysis.h"',
            "engine/worker/a.cpp": '#include "engine/coco/report/report.h"',
            "widgets/plots/a.h": "#include <qcustomplot.h>",
            "app/frame/a.cpp": "#include <QSlider>",
            "widgets/plots/b.h": '#include "app/runs/list/run_list_model.h"',
            "widgets/plots/c.h": '#include "widgets/image_view/image_canvas.h"',
            "widgets/curves/a.h": '#include "widgets/theme.h"',
            "app/monitor/a.cpp": '#include "app/frame/main_window.h"',
            "app/runs/panel/a.cpp": '#include "app/monitor/monitor_page.h"',
            "app/runs/list/a.cpp": '#include "app/runs/open/run_controller.h"',
        }
        good = {"engine/eval/a.cpp": '#include "engine/model/mask_rcnn.h"\n#include <torch/torch.h>'}
        missed = [p for p, t in bad.items() if not list(faults_of(p, t))]
        wrong = [f for p, t in good.items() for f in faults_of(p, t)]
        print("missed:", missed, "wrong:", wrong)
        return 1 if missed or wrong else 0
    root = pathlib.Path(sys.argv[1])
    files = [f for top in ("engine", "widgets", "app") for f in (root / top).rglob("*") if f.suffix in {".h", ".cpp", ".cu", ".cuh"}]
    faults = [fault for f in sorted(files) for fault in faults_of(str(f.relative_to(root)), f.read_text())]
    print(f"{len(files)} files, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
