"""TensorBoard's own view of event files, for tests/events/tst_tensorboard.cpp.

tensorboard_events.py read FOLDER    prints as JSON what TensorBoard's loader and accumulator see in FOLDER
tensorboard_events.py write FOLDER   writes a file as torch's SummaryWriter and TensorFlow 2 do; prints its scalars
tensorboard_events.py bytes          prints events that protobuf itself serialised, in hexadecimal
"""

import glob
import json
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator, event_file_loader
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2


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
    event_writer = writer.file_writer.event_writer
    summary = summary_pb2.Summary()
    for tag, value in (("tf/content", 1.25), ("tf/second", -2.5)):
        summary.value.add(tag=tag, tensor=scalar_tensor(value, "DT_FLOAT", tensor_content=struct.pack("<f", value)))
        expected.append([8, tag, bits(value)])
    event_writer.add_event(event_pb2.Event(step=8, wall_time=1008.0, summary=summary))
    writer.close()
    print(json.dumps({"expected": expected}))


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
    print(json.dumps([event.SerializeToString(deterministic=True).hex() for event in events]))


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2])
    elif sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        serialised()
