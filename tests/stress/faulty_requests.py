"""Requests with faults, for serve.py."""
import base64
import functools
import json
import random
import struct
import zlib


@functools.cache
def bomb():
    """A small PNG of 121 million pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress(bytes(1 + 11_000 // 8) * 11_000, 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 11_000, 11_000, 1, 0, 0, 0, 0)) + chunk(b"IDAT", rows) +
            chunk(b"IEND", b""))


def faulty_json(image):
    """A document that asks for too much."""
    tiny = [{"b64": base64.b64encode(image).decode()}]
    return random.choice([
        {"images": [{"file": "large.png"}] * 3000},
        {"images": [{"file": "../experiment.yaml"}]},
        {"images": [{"file": "large.png"}]},
        {"images": [{"url": "http://127.0.0.1/a.png"}] * 100},
        {"images": tiny * 8, "classes": list(range(90_000))},
        {"images": [{"b64": base64.b64encode(bomb()).decode()}]}])


def nonsense(image):
    """A request with a fault, and whether it may be answered all the same."""
    head = b"POST /invocations HTTP/1.1\r\nHost: localhost\r\n"
    kind = random.randrange(12)
    if kind < 6:
        return faulty(head, kind, image), False
    if kind < 8:
        return damaged(head, image, within=kind == 6), True
    if kind == 8:
        return document(head, faulty_json(image)), False
    if kind == 9:
        return faulty_multipart(head, image), True
    if kind == 10:
        return lying_length(head, image), True
    return complete(head, b"image/png", random.choice([bomb(), lying_png(image), image[:random.randrange(1, len(image) - 12)]])), False


def complete(head, kind, body):
    return head + b"Content-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(body)) + body


def lying_png(image):
    """Its header says that it is larger than it is."""
    size = struct.pack(">II", random.choice([60_000, 2**31 - 1]), random.choice([60_000, 2**31 - 1]))
    header = image[12:16] + size + image[24:29]
    return image[:12] + header + struct.pack(">I", zlib.crc32(header)) + image[33:]


def faulty_multipart(head, image):
    part = b"--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n"
    body = random.choice([
        part + image,  # without an end
        part * 5000 + b"\r\n--b--",
        part + image + b"\r\n--b" + b"-" * 100_000,
        (b"--b\r\n" + b"X: y\r\n" * 10_000 + b"\r\n" + image + b"\r\n--b--"),
        b"\r\n--b" * 200_000,
        (part + image + b"\r\n") * 100 + b"--b--",
        part + b"\r\n--b--"])
    boundary = random.choice([b"b", b"b", b"b", b"\"b\\\"", b"", b"b" * 5000])
    return complete(head, b"multipart/form-data; boundary=" + boundary, body)


def lying_length(head, image):
    length = random.choice([b"0", b"1", b"-1", b"%d" % (len(image) + 100), b"%d" % (len(image) - 100), b"0x10", b"1e3", b"99999999999999999999",
                            b"5\r\nContent-Length: 6", b"5\r\nTransfer-Encoding: chunked"])
    return head + b"Content-Type: image/png\r\nContent-Length: " + length + b"\r\n\r\n" + image


def document(head, members):
    return complete(head, b"application/json", json.dumps(members).encode())


def faulty(head, kind, image):
    if kind == 0:
        return b"GET /ping HTTP/1.1\r\n" + b"X: y\r\n" * 200_000 + b"\r\n"
    if kind == 1:
        return head + b"Content-Type: image/png\r\nContent-Length: 99999999999\r\n\r\n" + image
    if kind == 2:
        return head + b"Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n" + b"100000\r\n" + b"x" * 0x100000 + b"\r\n" + b"zz\r\n"
    if kind == 3:
        return head + b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 3000\r\n\r\n" + b"--b\r\n" * 600
    if kind == 4:
        body = b'{"images": [{"b64": "' + b"A" * 4_000_000 + b'"}]}'
        return head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    body = b'{"images": ' + b"[" * 100_000
    return head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def damaged(head, image, within):
    """Bytes that are others, of the whole request or of its head."""
    whole = bytearray(head + b"Content-Type: image/png\r\nContent-Length: %d\r\n\r\n" % len(image) + image)
    for _ in range(random.randrange(1, 20)):
        whole[random.randrange(len(whole) if within else 90)] = random.randrange(256)
    return bytes(whole)
