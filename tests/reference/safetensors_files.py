"""Python's safetensors beside ours.
usage: safetensors_files.py write FILE    writes tensors of every type, each from arange
       safetensors_files.py check FILE    exits 0 when FILE holds just those, and the metadata {"who": "us"}"""
import sys

import torch
from safetensors import safe_open
from safetensors.torch import save_file

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
         "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8,
         "bool": torch.bool}


def tensors():
    made = {name: (torch.arange(15) % 2 if name == "bool" else torch.arange(15)).to(kind).reshape(3, 5)
            for name, kind in TYPES.items()}
    return made | {"scalar": torch.tensor(2.5), "empty": torch.zeros(0, 4)}


def main():
    mode, path = sys.argv[1:]
    if mode == "write":
        save_file(tensors(), path, metadata={"who": "they"})
        return
    with safe_open(path, "pt") as file:
        assert file.metadata() == {"who": "us"}, file.metadata()
        expected = tensors()
        assert set(file.keys()) == set(expected), file.keys()
        for name, tensor in expected.items():
            found = file.get_tensor(name)
            assert found.dtype == tensor.dtype and torch.equal(found, tensor), name


main()
