"""Asks a server with Triton's client for the detections of images, which must be those that `predict` wrote.

usage: open_inference_client.py PORT MODEL PREDICTED.json IMAGE…
"""
import base64
import json
import pathlib
import sys

import numpy
import tritonclient.http as triton

OUTPUTS = ["image_index", "boxes", "scores", "class_ids", "class_names", "masks"]


def tensor_of(images, is_binary):
    """In JSON, which can hold no bytes, images are base64."""
    elements = images if is_binary else [base64.b64encode(image) for image in images]
    tensor = triton.InferInput("image", [len(images)], "BYTES")
    tensor.set_data_from_numpy(numpy.array(elements, dtype=object), binary_data=is_binary)
    return tensor


def check_health(client, model):
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready(model)
    assert not client.is_model_ready("another")
    assert client.get_server_metadata()["name"] == "lockstep"
    described = client.get_model_metadata(model)
    assert [each["name"] for each in described["inputs"]] == ["image"], described
    assert [each["name"] for each in described["outputs"]] == OUTPUTS, described


def check_detections(result, predicted):
    found = {name: result.as_numpy(name) for name in OUTPUTS}
    assert len(predicted) == len(found["scores"]) > 0, found
    assert found["boxes"].dtype == found["scores"].dtype == numpy.float32
    for index, each in enumerate(predicted):
        assert found["image_index"][index] == each["image_id"] - 1
        assert numpy.array_equal(found["boxes"][index], numpy.array(each["bbox"], numpy.float32))
        assert found["scores"][index] == numpy.float32(each["score"])
        assert found["class_ids"][index] == each["category_id"]
        assert found["class_names"][index]
        mask = found["masks"][index]
        assert json.loads(mask) == each["segmentation"], mask


def main():
    port, model, predictions, *files = sys.argv[1:]
    images = [pathlib.Path(file).read_bytes() for file in files]
    predicted = json.loads(pathlib.Path(predictions).read_text())
    with triton.InferenceServerClient(f"127.0.0.1:{port}") as client:
        check_health(client, model)
        for is_binary in (False, True):
            for is_answer_binary in (False, True):
                outputs = [triton.InferRequestedOutput(name, binary_data=is_answer_binary) for name in OUTPUTS]
                result = client.infer(model, [tensor_of(images, is_binary)], outputs=outputs, request_id="seven", parameters={"score": 0.0})
                assert result.get_response()["id"] == "seven"
                check_detections(result, predicted)
        check_detections(client.infer(model, [tensor_of(images, True)], parameters={"score": 0.0}), predicted)
        try:
            client.infer(model, [tensor_of([b"no image"], True)])
            raise AssertionError("what is no image was answered")
        except triton.InferenceServerException as refusal:
            assert "is not a supported image" in str(refusal), refusal


if __name__ == "__main__":
    main()
