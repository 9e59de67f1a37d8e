"""TensorBoard's own view of event files, for tests/events/tst_tensorboard.cpp.

tensorboard_events.py read FOLDER    prints as JSON what TensorBoard's loader and accumulator see in FOLDER
tensorboard_events.py write FOLDER   writes a file as torch's SummaryWriter and TensorFlow 2 do; prints its scalars
tensorboard_events.py runs FOLDER    writes runs as torch's SummaryWriter does, one of them resumed; prints as JSON what
                                     TensorBoard sees of each, for tests/foreign_runs/tst_summary_writer.cpp
tensorboard_events.py page FOLDER    prints as JSON what the Images and HParams pages show of the runs in FOLDER
tensorboard_events.py bytes          prints events that protobuf itself serialised, in hexadecimal
"""

import glob
import hashlib
import json
import struct
import sys

import numpy as np
from tensorboard.backend.event_processing import event_accumulator, event_file_loader
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2
from tensorboard.util import tensor_util


def bits(value):
    """A float's bits: JSON has no NaN, and decimal texts hide the last bit."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def read(folder):
    accumulator = event_accumulator.EventAccumulator(
        folder, size_guidance={event_accumulator.SCALARS: 0, event_accumulator.TENSORS: 0})
    accumulator.Reload()
    tags = accumulator.Tags()
    scalars = {tag: [[e.step, e.wall_time, bits(e.value)] for e in accumulator.Scalars(tag)] for tag in tags["scalars"]}
    texts = {tag: [[e.step, e.tensor_proto.string_val[0].decode()] for e in accumulator.Tensors(tag)
                   if e.tensor_proto.string_val] for tag in tags["tensors"]}
    plugins = {tag: accumulator.SummaryMetadata(tag).plugin_data.plugin_name for tag in texts if texts[tag]}
    raw = [(event.step, event.WhichOneof("what")) for path in sorted(glob.glob(folder + "/*tfevents*"))
           for event in event_file_loader.RawEventFileLoader(path).Load()
           for event in [event_pb2.Event.FromString(event)]]
    starts = [step for step, what in raw if what == "session_log"]
    print(json.dumps({"scalars": scalars, "texts": texts, "plugins": plugins, "starts": starts, "records": len(raw),
                      "version": accumulator.file_version}))


def scalar_tensor(value, dtype, **members):
    return tensor_pb2.TensorProto(dtype=dtype, tensor_shape=tensor_shape_pb2.TensorShapeProto(), **members)


def write(folder):
    import torch
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(folder)
    expected = []
    for step in range(1, 6):
        writer.add_scalar("torch/old", 0.1 * step, step, walltime=1000.0 + step)
        writer.add_scalar("torch/new", 0.2 * step, step, walltime=1000.0 + step, new_style=True)
        writer.add_scalar("torch/double", 0.3 * step, step, walltime=1000.0 + step, new_style=True, double_precision=True)
        expected += [[step, "torch/old", bits(0.1 * step)], [step, "torch/new", bits(0.2 * step)],
                     [step, "torch/double", bits(0.3 * step)]]
    writer.add_text("notes", "hello", 6)
    writer.add_histogram("weights", torch.arange(10.0), 7)
    writer.add_image("pictures/old", np.zeros((3, 4, 4)), 7)
    event_writer = writer.file_writer.event_writer
    summary = summary_pb2.Summary()
    for tag, value in (("tf/content", 1.25), ("tf/second", -2.5)):
        summary.value.add(tag=tag, tensor=scalar_tensor(value, "DT_FLOAT", tensor_content=struct.pack("<f", value)))
        expected.append([8, tag, bits(value)])
    for dtype in ("int64", "int32", "uint8", "float16", "bool"):
        proto = tensor_util.make_tensor_proto(np.asarray(1, dtype))
        summary.value.add(tag="np/" + dtype, tensor=proto)
        expected.append([8, "np/" + dtype, bits(tensor_util.make_ndarray(proto).item())])
    event_writer.add_event(event_pb2.Event(step=8, wall_time=1008.0, summary=summary))
    for step in (9, 10):  # as TensorFlow 2: the metadata come once
        plugins = {"pictures/new": "images", "curves": "pr_curves"} if step == 9 else {"pictures/new": None, "curves": None}
        summary = summary_pb2.Summary()
        for tag, plugin in plugins.items():
            metadata = plugin and summary_pb2.SummaryMetadata(plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=plugin))
            summary.value.add(tag=tag, tensor=tensor_util.make_tensor_proto(np.zeros((2, 3), "float32")), metadata=metadata)
        event_writer.add_event(event_pb2.Event(step=step, wall_time=1000.0 + step, summary=summary))
    writer.close()
    print(json.dumps({"expected": expected}))


def runs(folder):
    import time

    from tensorboard.backend.event_processing import plugin_event_multiplexer
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(folder + "/a", purge_step=0)  # TensorBoard heeds the second START of a run
    for step in range(1, 11):
        writer.add_scalar("x", 0.1 * step, step, walltime=1000.0 + step)
        writer.add_scalar("y", float("nan") if step == 3 else 0.2 * step, step, walltime=1000.0 + step, new_style=True)
        writer.add_scalars("both", {"one": step, "two": -step}, step, walltime=1000.0 + step)
    writer.close()
    time.sleep(1.1)  # the seconds are in the file's name
    writer = SummaryWriter(folder + "/a", purge_step=7)
    for step in range(7, 10):
        writer.add_scalar("x", 5.0 * step, step, walltime=2000.0 + step)
    writer.add_hparams({"lr": 0.5}, {"best": 0.75}, run_name="trial")
    writer.close()
    SummaryWriter(folder + "/deep/er/b").close()
    multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"scalars": 0})
    multiplexer.AddRunsFromDirectory(folder)
    multiplexer.Reload()
    seen = {}
    for run in multiplexer.Runs():
        seen[run] = {}
        for tag in multiplexer.GetAccumulator(run).Tags()["tensors"]:
            if multiplexer.SummaryMetadata(run, tag).plugin_data.plugin_name == "scalars":
                protos = [(e.step, e.tensor_proto) for e in multiplexer.Tensors(run, tag)]
                seen[run][tag] = [[step, bits(proto.float_val[0])] for step, proto in protos]
    print(json.dumps(seen))


def client_of(plugin, route):
    """Asks a plugin as TensorBoard's page does."""
    from werkzeug.test import Client

    return Client(plugin.get_plugin_apps()[route])


def shown_images(context):
    """Every picture of the Images page as [run, tag, step, its size in px, sha256 of its bytes]."""
    from tensorboard.plugins.image import images_plugin

    plugin = images_plugin.ImagesPlugin(context)
    tags = json.loads(client_of(plugin, "/tags").get("/").data)
    shown = []
    for run, tag in sorted((run, tag) for run in tags for tag in tags[run]):
        listed = client_of(plugin, "/images").get("/", query_string={"run": run, "tag": tag, "sample": 0}).data
        for image in json.loads(listed):
            png = client_of(plugin, "/individualImage").get("/?" + image["query"]).data
            width, height = struct.unpack(">II", png[16:24])  # of its IHDR chunk
            shown.append([run, tag, image["step"], width, height, hashlib.sha256(png).hexdigest()])
    return shown


def shown_sessions(context):
    """Every row of the HParams page: the run, its status, hyper-parameters and metrics; and the columns."""
    from tensorboard.plugins.hparams import hparams_plugin

    plugin = hparams_plugin.HParamsPlugin(context)
    experiment = json.loads(client_of(plugin, "/experiment").post("/", json={"experimentName": ""}).data)
    request = {"experimentName": "", "allowedStatuses": [f"STATUS_{status}" for status in ("UNKNOWN", "SUCCESS", "FAILURE", "RUNNING")],
               "colParams": [{"hparam": info["name"]} for info in experiment["hparamInfos"]], "startIndex": 0, "sliceSize": 100}
    groups = json.loads(client_of(plugin, "/session_groups").post("/", json=request).data)["sessionGroups"]
    sessions = {session["name"]: {"status": session["status"], "hparams": group["hparams"],
                                  "metrics": {value["name"]["tag"]: value["value"] for value in session["metricValues"]}}
                for group in groups for session in group["sessions"]}
    return {"sessions": sessions, "hparams": [info["name"] for info in experiment["hparamInfos"]],
            "metrics": [info["name"]["tag"] for info in experiment["metricInfos"]]}


def page(folder):
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard.plugins import base_plugin

    multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"images": 0, "scalars": 0})
    multiplexer.AddRunsFromDirectory(folder)
    multiplexer.Reload()
    context = base_plugin.TBContext(
        multiplexer=multiplexer, data_provider=data_provider.MultiplexerDataProvider(multiplexer, folder))
    print(json.dumps({"images": shown_images(context), **shown_sessions(context)}))


def hparams_value(tag, **content):
    """A Summary.Value of the HParams plugin, as TensorBoard's own writers make it."""
    from tensorboard.plugins.hparams import metadata, plugin_data_pb2

    data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content)
    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString(deterministic=True))
    return summary_pb2.Summary.Value(tag=tag, tensor=metadata.NULL_TENSOR, metadata=summary_pb2.SummaryMetadata(
        plugin_data=plugin, data_class=summary_pb2.DATA_CLASS_TENSOR))


def serialised_for_pages():
    """An image, the start of a session and its end."""
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    image = summary_pb2.Summary.Image(height=3, width=4, colorspace=3,
                                      encoded_image_string=b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 4, 3))
    yield event_pb2.Event(wall_time=1.5, step=6, summary=summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag="eval/predictions/7", image=image)]))
    infos = [api_pb2.HParamInfo(name="augment.min_size", type="DATA_TYPE_STRING"),
             api_pb2.HParamInfo(name="solver.base_lr", type="DATA_TYPE_FLOAT64", differs=True),
             api_pb2.HParamInfo(name="solver.nesterov", type="DATA_TYPE_BOOL")]
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=tag), dataset_type=kind)
               for tag, kind in (("eval/segm/AP", "DATASET_VALIDATION"), ("train/loss_total", "DATASET_TRAINING"))]
    start = plugin_data_pb2.SessionStartInfo(start_time_secs=2.5)
    start.hparams["augment.min_size"].string_value = "[800]"
    start.hparams["solver.base_lr"].number_value = 0.0
    start.hparams["solver.nesterov"].bool_value = False
    yield event_pb2.Event(wall_time=2.5, summary=summary_pb2.Summary(value=[
        hparams_value(metadata.EXPERIMENT_TAG, experiment=api_pb2.Experiment(
            time_created_secs=2.5, hparam_infos=infos, metric_infos=metrics)),
        hparams_value(metadata.SESSION_START_INFO_TAG, session_start_info=start)]))
    end = plugin_data_pb2.SessionEndInfo(status="STATUS_FAILURE", end_time_secs=9.5)
    yield event_pb2.Event(wall_time=9.5, step=8, summary=summary_pb2.Summary(
        value=[hparams_value(metadata.SESSION_END_INFO_TAG, session_end_info=end)]))


def serialised():
    events = []
    summary = summary_pb2.Summary()
    summary.value.add(tag="train/loss_total", simple_value=0.75)
    summary.value.add(tag="solver/lr", simple_value=0.0)
    events.append(event_pb2.Event(wall_time=1234.5, step=70000, summary=summary))
    text = summary_pb2.Summary()
    metadata = summary_pb2.SummaryMetadata(plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="text"),
                                           data_class=summary_pb2.DATA_CLASS_TENSOR)
    text.value.add(tag="lockstep/event", metadata=metadata, tensor=tensor_pb2.TensorProto(
        dtype="DT_STRING", tensor_shape=tensor_shape_pb2.TensorShapeProto(), string_val=['{"type":"log"}'.encode()]))
    events.append(event_pb2.Event(wall_time=1.5, step=-3, summary=text))
    events.append(event_pb2.Event(wall_time=2.5, step=201, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START)))
    events.append(event_pb2.Event(wall_time=3.5, file_version="brain.Event:2",
                                  source_metadata=event_pb2.SourceMetadata(writer="lockstep")))
    events += serialised_for_pages()
    print(json.dumps([event.SerializeToString(deterministic=True).hex() for event in events]))


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2])
    elif sys.argv[1] == "write":
        write(sys.argv[2])
    elif sys.argv[1] == "runs":
        runs(sys.argv[2])
    elif sys.argv[1] == "page":
        page(sys.argv[2])
    else:
        serialised()
