"""Takes odd data sets of every format through `dataset import`, `dataset check` and two steps of training.

usage: odd_datasets.py [--build build] [--only TEXT] [--keep DIR]

It made the data sets, so it knows the objects that each must give. Their boxes must agree to a pixel, and what does not come in
must be named: a picture by its name, an object by a line of faults.txt or a counted loss. A refusal must be one line that says
why. Prints a Markdown table. Exits 1 with what differs. Needs Pillow, NumPy and pycocotools.
"""
import argparse
import base64
import concurrent.futures
import copy
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
from PIL import Image
from pycocotools import mask as rle

import annotation_writers as formats
from annotation_writers import WRITERS, Picture, Thing, write, write_json

SMALL = ["augment.min_size=[64]", "augment.max_size=64", "model.fpn_channels=16", "model.box_head.fc_dim=16",
         "model.rpn.pre_nms_top_n_train=50", "model.rpn.post_nms_top_n_train=20", "model.rpn.pre_nms_top_n_test=20",
         "model.rpn.post_nms_top_n_test=10", "solver.max_steps=2", "runtime.cpu_threads=1"]
PARTS = ("train", "val", "test")
# Formats whose programs annotate the displayed picture: `dataset check` names those whose sides EXIF swaps.
DISPLAYED = ("labelme", "yolo", "voc", "cvat", "via", "labelstudio")
NAMES = ["größe", "日本語", "emoji 😀", "it's \"quoted\"", "a, b: c", "#1", "null", "1.0", "<&>", "back\\slash", "=1+1", "x" * 200]


class OddSet:
    """Pictures, how they are imported, and what must come of it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.pictures = []
        self.options = []
        self.named = []  # texts that the output must have
        self.called = {}  # what the output calls a picture that it does not call by its name
        self.refused = ""  # a text of the line that refuses it
        self.source = ""  # below the folder
        self.faults = 0  # that `dataset check` must find
        self.trains = True

    def add(self, *pictures):
        self.pictures += pictures
        return pictures[0] if len(pictures) == 1 else pictures

    def some(self, count, name="images/p{}.png", categories=("leaf", "stem"), **facts):
        """Pictures of two objects, the first with an outline."""
        for _ in range(count):
            i = len(self.pictures)
            things = [Thing(categories[0], (2 + i % 5, 3 + i % 7, 20 + i % 3, 22)),
                      Thing(categories[-1], (24, 12 + i % 4, 40 + i % 6, 44), outline=False)]
            self.pictures.append(Picture(name.format(i), things, **facts))
        return self.pictures[-count:]

    def write(self, name, text, encoding="utf-8"):
        write(self.folder, name, text, encoding)

    def json(self, name, content, encoding="utf-8"):
        write_json(self.folder, name, content, encoding)

    def labels_of(self, picture):
        return (self.folder / formats.label_file(picture)).read_text()

    def save_pictures(self):
        for picture in self.pictures:
            if picture.saved:
                picture.save(self.folder)

    def lose(self, *numbers):
        """Expects that the second things of these pictures do not come in."""
        for number in numbers:
            self.pictures[number].things[1].kept = False

    def lose_pictures(self, *numbers):
        for number in numbers:
            self.pictures[number].kept = False


SETS = {}


def odd(name):
    def add(make):
        SETS[name] = make
    return add


# Oddities of every format


def plain(s):
    for extension in (".png", ".PNG", ".jpg", ".JPG", ".Jpeg", ".bmp", ".tif", ".webp"):
        s.some(1, "images/p{}" + extension)


def names(s):
    files = ["größe 1.png", "日本.png", "a%20b.png", "a+b&c.png", "x#1,2;3.png", "it's.png", "a.b.c.png", "-dash.png", "😀.png",
             " blank.png", "q?x.png", "n" * 150 + ".png"]
    for file, name in zip(files, NAMES):
        s.some(1, "images/" + file, categories=(name, NAMES[0]))


def exif(s):
    for orientation in range(1, 9):
        turned = orientation > 4
        s.some(1, f"images/turned{orientation}.jpg", width=48 if turned else 64, height=64 if turned else 48, orientation=orientation)
        s.some(1, f"images/square{orientation}.jpg", width=64, height=64, orientation=orientation)


def nested(s):
    for split, folder in (("train", "train"), ("val", "valid"), ("test", "test")):
        s.some(1, f"images/{folder}/a.png", split=split)
        s.some(1, f"images/{folder}/deep/er/a.png", split=split)
        s.some(1, f"images/{folder}/b.png", split=split)


def unlabelled(s):
    s.some(3)
    s.add(Picture("images/empty.png", []), Picture("images/nobody.png", [], labelled=False, kept=False))
    for file, facts in (("zero.png", {"content": b""}), ("text.jpg", {"content": b"<html>404</html>"}), ("missing.png", {"saved": False})):
        s.some(1, f"images/{file}", kept=False, **facts)


for make in (plain, names, exif, nested, unlabelled):
    for kind, writer in WRITERS.items():
        @odd(f"{kind}: {make.__name__}")
        def _(s, make=make, kind=kind, writer=writer):
            make(s)
            s.faults = 4 if make is exif and kind in DISPLAYED else 0
            writer(s.folder, s.pictures)


# COCO and LVIS


def coco_set(name):
    """A set of eight pictures whose COCO file is changed."""
    def add(change):
        def make(s):
            s.some(8)
            root = formats.coco_of(s.pictures)
            change(s, root)
            if root:
                s.json("annotations.json", root)
        SETS[name] = make
    return add


@coco_set("coco: ids from 0, with gaps")
def _(s, root):
    new = {1: 0, 2: 90}
    for category in root["categories"]:
        category["id"] = new[category["id"]]
    for image in root["images"]:
        image["id"] = (image["id"] - 1) * 1000
    for number, annotation in enumerate(root["annotations"]):
        annotation.update(id=number, image_id=(annotation["image_id"] - 1) * 1000, category_id=new[annotation["category_id"]])


@coco_set("coco: ids of annotations that are UUIDs, numbers in texts, twice there, missing")
def _(s, root):
    for annotation, new in zip(root["annotations"], ["0b6e3c1e-57a9-4c2e-9d0c-1c8a8b1d0f11", "17", 3, 3, None, 1.0, -4]):
        annotation["id"] = new
    del root["annotations"][7]["id"]


@coco_set("coco: ids of images that are UUIDs")
def _(s, root):
    for entry, key in [(image, "id") for image in root["images"]] + [(one, "image_id") for one in root["annotations"]]:
        entry[key] = f"0b6e3c1e-57a9-4c2e-9d0c-{entry[key]:012}"
    s.refused = "id"


@coco_set("coco: faulty outlines")
def _(s, root):
    outlines = [one for one in root["annotations"] if "segmentation" in one]
    changes = (lambda xy: xy, lambda xy: [[xy]], lambda xy: [xy, [5, 5, 6, 6]], lambda xy: [xy, []], lambda xy: [xy, [1, 2, 3, 4, 5]],
               lambda xy: [xy, [float("nan")] * 6], lambda xy: [], lambda xy: None)
    for one, change in zip(outlines, changes):
        one["segmentation"] = change(one["segmentation"][0])


@coco_set("coco: faulty boxes")
def _(s, root):
    boxes = [one for one in root["annotations"] if "segmentation" not in one]
    for one, box in zip(boxes, ([10, 10, -5, 5], [float("nan"), 1, 5, 5], [1, 1, 0, 5], [1, 2, 3], None, [1e300, 0, 1e300, 5], "box")):
        one["bbox"] = box
    s.lose(*range(7))


@coco_set("coco: boxes that leave the picture")
def _(s, root):
    s.faults = 3
    boxes = [one for one in root["annotations"] if "segmentation" not in one]
    for one, picture, box in zip(boxes, s.pictures, ((-10, 30, 12, 44), (40, 30, 80, 60), (24, -50, 50, 30))):
        picture.things[1].box = box
        one["bbox"] = formats.xywh(box)
    boxes[4]["bbox"] = [100, 100, 20, 20]
    s.lose(4)


@coco_set("coco: crowds and RLE")
def _(s, root):
    for number, annotation in enumerate(root["annotations"]):
        picture = s.pictures[annotation["image_id"] - 1]
        x, y, w, h = annotation["bbox"]
        pixels = np.zeros((picture.height, picture.width), np.uint8, order="F")
        pixels[y:y + h, x:x + w] = 1
        packed = rle.encode(pixels)
        runs = np.diff(np.concatenate([[0], 1 + np.nonzero(np.diff(pixels.ravel("F")))[0], [pixels.size]])).tolist()
        counts = packed["counts"].decode() if number % 3 else runs
        annotation.update(iscrowd=int(number % 4 == 0), segmentation={"size": list(pixels.shape), "counts": counts})


@odd("coco: 80 classes")
def _(s):
    for number in range(20):
        things = [Thing(f"class {4 * number + k}", (2 + 15 * k, 4, 14 + 15 * k, 30 + k), outline=k % 2 == 0) for k in range(4)]
        s.add(Picture(f"p{number}.png", things))
    formats.coco(s.folder, s.pictures)


for kind in ("coco", "yolo", "masks"):
    @odd(f"{kind}: one picture")
    def _(s, kind=kind):
        s.some(1)
        WRITERS[kind](s.folder, s.pictures)


@odd("coco: a validation file without pictures")
def _(s):
    s.some(4)
    s.json("annotations/instances_train.json", formats.coco_of(s.pictures))
    s.json("annotations/instances_val.json", {**formats.coco_of(s.pictures), "images": [], "annotations": []})


@odd("coco: files of three splits, of which two have one picture")
def _(s):
    for split in PARTS:
        s.some(3, f"{split}/p{{}}.png", split=split)
    for split in PARTS:
        own = [picture for picture in s.pictures if picture.split == split]
        s.json(f"annotations/instances_{split}2017.json", formats.coco_of(own + (s.pictures[3:4] if split == "test" else [])))
    s.pictures[3].split = ""  # it is in two
    s.named = ["p3.png"]


@coco_set("coco: pictures that are there twice")
def _(s, root):
    root["images"].append({**root["images"][0], "id": 100})
    root["images"].append({**root["images"][1], "file_name": "images/p2.png"})
    s.named = ["p0.png"]
    s.lose_pictures(1)


for encoding, refused in (("utf-16", ""), ("utf-8-sig", ""), ("utf-16-be", ""), ("latin-1", "UTF-8")):
    @odd(f"coco: encoding {encoding}")
    def _(s, encoding=encoding, refused=refused):
        s.some(4, categories=("größe", "é"))
        text = json.dumps(formats.coco_of(s.pictures), ensure_ascii=False, indent=1).replace("\n", "\r\n")
        s.write("annotations.json", text, encoding)
        s.refused = refused


@coco_set("coco: backslashes, absolute paths, folders of another machine")
def _(s, root):
    for image, form in zip(root["images"], ("images\\{}", "{here}/images/{}", "C:\\data\\images\\{}", "/home/anna/images/{}", "./images/{}",
                                            "{}", "images//{}", "../{}")):
        image["file_name"] = form.format(pathlib.Path(image["file_name"]).name, here=s.folder)


@coco_set("coco: class names with blanks, twice there")
def _(s, root):
    root["categories"] = [{"id": 1, "name": " leaf\n"}, {"id": 2, "name": "stem"}, {"id": 3, "name": "leaf"}]
    root["annotations"][4]["category_id"] = 3
    s.named = ["leaf"]


@coco_set("coco: objects of no class and of no picture")
def _(s, root):
    root["annotations"][1]["category_id"] = 77
    root["annotations"][3]["image_id"] = 777
    del root["annotations"][5]["category_id"]
    s.lose(0, 1, 2)


@coco_set("coco: sizes that are not the file's")
def _(s, root):
    root["images"][0].update(width=640, height=480)
    root["images"][1].update(width=48, height=64)
    root["images"][2].update(width=0, height=0)
    root["images"][3].update(width="64")
    del root["images"][4]["width"]
    s.lose_pictures(0, 1, 2, 3, 4)
    for number in (2, 3, 4):
        s.called[s.pictures[number].file] = f"image {number + 1}:"


@coco_set("coco: a truncated JPEG")
def _(s, root):
    cut = s.pictures[0]
    cut.save(s.folder)
    data = io.BytesIO()
    Image.open(s.folder / cut.file).save(data, "JPEG")
    cut.content = data.getvalue()[:len(data.getvalue()) // 2]
    s.faults, s.trains = 1, False


@coco_set("coco: broken JSON and a zip beside it")
def _(s, root):
    s.write("cut.json", json.dumps(root)[:-40])
    s.write("all.zip", b"PK\3\4" + bytes(100))
    s.named = ["cut.json"]


@coco_set("coco: broken JSON alone")
def _(s, root):
    s.write("cut.json", json.dumps(root)[:-40])
    root.clear()
    s.refused = "cut.json"


@coco_set("coco: a zip alone")
def _(s, root):
    with zipfile.ZipFile(s.folder / "all.zip", "w") as archive:
        archive.writestr("annotations.json", json.dumps(root))
    root.clear()
    s.refused = "all.zip"


@odd("coco: pictures of other kinds of pixels")
def _(s):
    for name, mode in (("grey.png", "L"), ("deep.png", "I;16"), ("alpha.png", "RGBA"), ("palette.png", "P"), ("bits.png", "1"),
                       ("greyalpha.png", "LA"), ("grey.jpg", "L"), ("cmyk.jpg", "CMYK"), ("moving.png", "animated"),
                        ("pages.tif", "animated"), ("deep.tif", "I;16"), ("palette.bmp", "P"), ("alpha.webp", "RGBA")):
        s.some(1, "images/" + name, mode=mode)
    formats.coco(s.folder, s.pictures)


@odd("coco: an animated WebP")
def _(s):
    s.some(4)
    s.some(1, "images/moving.webp", mode="animated")
    formats.coco(s.folder, s.pictures)
    s.faults, s.trains = 1, False


@odd("lvis: no file_name, only coco_url")
def _(s):
    s.some(4, "{:012}.png")
    formats.lvis(s.folder, s.pictures)
    root = json.loads((s.folder / "lvis_v1.json").read_text())
    for image in root["images"]:
        del image["file_name"]
    s.json("lvis_v1.json", root)


# YOLO


@odd("yolo: lists with backslashes and CRLF")
def _(s):
    s.some(3, split="train")
    s.some(2, split="val")
    formats.yolo(s.folder, s.pictures)
    for split in ("train", "val"):
        s.write(f"{split}.txt", "".join(f".\\images\\{one.path.name}\r\n" for one in s.pictures if one.split == split))
    s.write("data.yaml", "train: train.txt\r\nval: val.txt\r\nnames: [leaf, stem]\r\n", "utf-8-sig")


@odd("yolo: UTF-16 in set.yaml and in labels")
def _(s):
    s.some(4, categories=("größe", "日本語"))
    formats.yolo(s.folder, s.pictures)
    (s.folder / "data.yaml").unlink()
    s.write("set.yaml", "names: [größe, 日本語]\n", "utf-16-le")
    for picture, encoding in zip(s.pictures, ("utf-16", "utf-8-sig", "utf-16-be", "utf-8")):
        s.write(formats.label_file(picture), s.labels_of(picture), encoding)


for name, content in (("data.yaml", "names: [größe, stem]\n"), ("classes.txt", "größe\nstem\n")):
    @odd(f"yolo: Latin-1 in {name}")
    def _(s, name=name, content=content):
        s.some(4)
        formats.yolo(s.folder, s.pictures)
        (s.folder / "data.yaml").unlink()
        s.write(name, content, "latin-1")
        s.refused = name


@odd("yolo: faulty lines")
def _(s):
    s.some(8)
    formats.yolo(s.folder, s.pictures)
    lines = ("0 nan 0.5 0.5 0.5", "7 0.5 0.5 0.5 0.5", "1 0.5 0.5 0.5 0.5 0.9", "1 0.5 0.5", "stem 0.5 0.5 0.1 0.1", "-1 0.5 0.5 0.1 0.1",
             "1 0.5 0.5 0 0.1", "1 300 200 20 20")
    for picture, line in zip(s.pictures, lines):
        first = s.labels_of(picture).splitlines()[0]
        s.write(formats.label_file(picture), f"{first}\n\n{line}\n")
        picture.things[1].kept = False
        s.named.append(f"{formats.label_file(picture)}:3")


@odd("yolo: tabs, CR, class as a float, class gaps, no names")
def _(s):
    s.some(4, categories=("class 0", "class 5"))
    formats.yolo(s.folder, s.pictures)
    (s.folder / "data.yaml").unlink()
    for picture in s.pictures:
        text = s.labels_of(picture)
        s.write(formats.label_file(picture), re.sub("^1 ", "5.0 ", text, flags=re.M).replace(" ", "\t").replace("\n", "\r"))


@odd("yolo: obj.names of CVAT, labels beside the pictures")
def _(s):
    s.some(4, "obj_train_data/p{}.png")
    for picture in s.pictures:
        s.write(picture.path.with_suffix(".txt"), "\n".join(formats.yolo_line(thing, picture, k) for k, thing in enumerate(picture.things)))
    s.write("obj.names", "leaf\nstem\n")
    s.write("obj.data", "classes = 2\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n")
    s.write("train.txt", "".join(f"data/{picture.file}\n" for picture in s.pictures))


@odd("yolo: keypoints behind boxes")
def _(s):
    s.some(4)
    for picture in s.pictures:
        for thing in picture.things:
            thing.outline = False
    formats.yolo(s.folder, s.pictures)
    for picture in s.pictures:
        text = s.labels_of(picture)
        s.write(formats.label_file(picture), text.replace("\n", " 0.5 0.5 2 0.6 0.6 1\n"))
    s.write("data.yaml", "kpt_shape: [2, 3]\nnames: {0: leaf, 1: stem}\n")
    s.named = ["keypoints"]


@odd("yolo: train and val are one folder")
def _(s):
    s.some(4)
    formats.yolo(s.folder, s.pictures)
    s.write("data.yaml", "train: images\nval: images\nnames: [leaf, stem]\n")
    s.named = ["twice"]


@odd("yolo: labels in upper case, a label of no picture, two pictures of one label")
def _(s):
    s.some(4)
    formats.yolo(s.folder, s.pictures)
    (s.folder / "labels/p0.txt").rename(s.folder / "labels/p0.TXT")
    s.lose_pictures(0)
    s.write("labels/ghost.txt", "0 0.5 0.5 0.1 0.1\n")
    s.add(Picture("images/p1.jpg", [], kept=False)).file = "images/p1.tif"
    s.named = ["ghost", "p1.tif"]


@odd("yolo: --exif ignore")
def _(s):
    for orientation in range(2, 9):
        s.some(1, f"images/p{orientation}.jpg", orientation=orientation, width=48, height=48 + 16 * (orientation > 4))
    formats.yolo(s.folder, [as_stored(picture) for picture in s.pictures])
    s.options = ["--exif", "ignore"]


def as_stored(picture):
    """The picture as a program shows it that ignores EXIF."""
    width, height = picture.stored_size
    things = [picture.stored(thing) for thing in picture.things]
    return dataclasses.replace(picture, things=things, width=width, height=height, orientation=1)


# VOC


@odd("voc: encodings")
def _(s):
    for name, encoding, declared in (("性别", "gbk", "GBK"), ("größe", "latin-1", "ISO-8859-1"), ("größe", "utf-16", "UTF-16"),
                                     ("größe", "utf-8-sig", ""), ("я", "cp1251", "windows-1251"), ("größe", "latin-1", "")):
        (picture,) = s.some(1, categories=(name, "stem"))
        start = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
        s.write(picture.path.with_suffix(".xml"), formats.voc_of(picture, start), encoding)
    s.lose_pictures(-1)
    s.named = ["p5.xml"]


@odd("voc: numbers, missing and swapped tags")
def _(s):
    s.some(7)
    changes = ((">44</ymax>", ">44.4</ymax>"), (">25</xmin>", ">\n25 </xmin>"), (">25</xmin>", ">99</xmin>"), ("<name>stem</name>", ""),
               (">44</ymax>", ">NaN</ymax>"), ("<depth>3</depth></size>", "</size><segmented>1</segmented>"),
               ("<width>64</width>", "<width>0</width>"))
    for picture, (before, after) in zip(s.pictures, changes):
        s.write(picture.path.with_suffix(".xml"), formats.voc_of(picture).replace(before, after))
    s.lose(2, 3, 4)


@odd("voc: VOCdevkit with SegmentationObject, lists with backslashes")
def _(s):
    s.some(2, "VOC2012/JPEGImages/2007_{}.jpg", split="train")
    s.some(2, "VOC2012/JPEGImages/2007_{}.jpg", split="val")
    palette = [channel for i in range(256) for channel in ((i & 1) * 128, (i >> 1 & 1) * 128, (i >> 2 & 1) * 128)]
    for picture in s.pictures:
        s.write(f"VOC2012/Annotations/{picture.path.stem}.xml", formats.voc_of(picture))
        place = s.folder / f"VOC2012/SegmentationObject/{picture.path.stem}.png"
        place.parent.mkdir(exist_ok=True)
        image = Image.fromarray(picture.numbers, "P")
        image.putpalette(palette)
        image.save(place)
    for split in ("train", "val"):
        lines = "".join(f"JPEGImages\\{one.path.name}\r\n" for one in s.pictures if one.split == split)
        s.write(f"VOC2012/ImageSets/Segmentation/{split}.txt", lines)


@odd("voc: file names that are wrong, broken XML, other XML")
def _(s):
    s.some(5)
    formats.voc(s.folder, s.pictures)
    s.write("images/p0.xml", formats.voc_of(s.pictures[0]).replace("p0.png", "p0.jpeg"))
    s.write("images/p1.xml", formats.voc_of(s.pictures[1]).replace("p1.png", "IMG_0001.JPG"))
    s.write("images/p2.xml", formats.voc_of(s.pictures[2])[:-20])
    s.write("project.xml", "<project/>")
    s.lose_pictures(2)
    s.named = ["p2.xml"]


# CVAT


@odd("cvat: a project of two subsets with equal names")
def _(s):
    text = ""
    for split, subset in (("train", "Train"), ("val", "Validation")):
        pictures = s.some(2, f"images/{subset}/frame_{{}}.png", split=split)
        for number, picture in enumerate(pictures):
            picture.file = f"images/{subset}/frame_{number:06}.png"
        named = [dataclasses.replace(picture, file=picture.path.name) for picture in pictures]
        text += formats.cvat_of(named, f' subset="{subset}"')
    s.write("annotations.xml", f"<annotations>{text}</annotations>")


@odd("cvat: tracks of a video")
def _(s):
    s.some(4, "images/frame_{:06}.png")
    text = ""
    for number in range(2):
        text += f'<track id="{number}" label="{("leaf", "stem")[number]}">'
        for frame, picture in enumerate(s.pictures):
            x0, y0, x1, y1 = picture.things[number].box
            text += f'<box frame="{frame}" outside="0" xtl="{x0}" ytl="{y0}" xbr="{x1}" ybr="{y1}"/>'
        for frame, outside in ((9, 1), (99, 0)):
            text += f'<box frame="{frame}" outside="{outside}" xtl="1" ytl="1" xbr="9" ybr="9"/>'
        text += "</track>"
    s.write("annotations.xml", f"<annotations>{text}</annotations>", "utf-16")
    s.named = ["99"]


@odd("cvat: masks, turned boxes, groups, points, faulty shapes")
def _(s):
    s.some(6)
    text = formats.cvat_of(s.pictures)
    def change(number, new, kept=True):
        nonlocal text
        old = formats.cvat_of([dataclasses.replace(s.pictures[number], things=s.pictures[number].things[1:])])
        old = old[old.index("<box"):old.index("</image>")]
        text = text.replace(old, new, 1)
        s.pictures[number].things[1].kept = kept
    x0, y0, x1, y1 = s.pictures[0].things[1].box
    change(0, f'<mask label="stem" rle="0,{(x1 - x0) * (y1 - y0)}" left="{x0}" top="{y0}" width="{x1 - x0}" height="{y1 - y0}"/>')
    x0, y0, x1, y1 = s.pictures[1].things[1].box
    cx, cy, w, h = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2, (y1 - y0) / 2
    change(1, f'<box label="stem" xtl="{cx - h}" ytl="{cy - w}" xbr="{cx + h}" ybr="{cy + w}" rotation="90"/>')
    x0, y0, x1, y1 = s.pictures[2].things[1].box
    half = ";".join(f"{x},{y}" for x, y in ((x0, y0), (x1, y0), (x1, y0 + 5), (x0, y0 + 5)))
    rest = ";".join(f"{x},{y}" for x, y in ((x0, y1 - 5), (x1, y1 - 5), (x1, y1), (x0, y1)))
    change(2, f'<polygon label="stem" points="{half}" group_id="1"/><polygon label="stem" points="{rest}" group_id="1"/>')
    change(3, '<points label="stem" points="3,3"/>', kept=False)
    change(4, '<polygon label="stem" points="3,3;x,4;5,5"/>', kept=False)
    change(5, '<box label="stem" xtl="nan" ytl="1" xbr="9" ybr="9"/>', kept=False)
    s.write("annotations.xml", f"<annotations>{text}</annotations>")


@odd("cvat: line breaks, blanks and entities in names")
def _(s):
    s.some(4, categories=("R&D <a>", "stem"))
    text = formats.cvat_of(s.pictures).replace('label="stem"', 'label=" stem&#10;"')
    labels = "<labels><label><name>\n stem\n</name></label></labels>"
    s.write("annotations.xml", f"<annotations><meta><task>{labels}</task></meta>{text}</annotations>")


# LabelMe


@odd("labelme: shapes")
def _(s):
    s.some(8)
    shapes = {picture.file: formats.labelme_of(picture) for picture in s.pictures}
    def second(number):
        return shapes[s.pictures[number].file]["shapes"][1], s.pictures[number].things[1]
    shape, thing = second(0)
    thing.box = (26, 14, 42, 30)
    shape.update(shape_type="circle", points=[[34, 22], [34, 30]])
    shape, thing = second(1)
    x0, y0, x1, y1 = thing.box
    data = io.BytesIO()
    Image.fromarray(np.ones((y1 - y0, x1 - x0), bool)).save(data, "PNG")
    shape.update(shape_type="mask", points=[[x0, y0], [x1 - 1, y1 - 1]], mask=base64.b64encode(data.getvalue()).decode())
    shape, thing = second(2)
    x0, y0, x1, y1 = thing.box
    shape.update(shape_type="rectangle", points=[[x1, y1], [x0, y0]])
    shape, thing = second(3)
    shape.update(shape_type="rectangle", points=formats.points_of(thing))
    second(4)[0].update(shape_type="point", points=[[3, 3]])
    second(5)[0].update(points=[[float("nan"), 3], [9, 9]])
    second(6)[0].update(label=7, points=[[1, 1], [9, 9]])
    s.lose(4, 5, 6)
    shape, thing = second(7)
    shape.update(group_id="b2f7", shape_type="polygon", points=formats.points_of(thing))
    for file, root in shapes.items():
        s.json(pathlib.Path(file).with_suffix(".json"), root)


@odd("labelme: pictures in the files")
def _(s):
    s.some(4)
    for picture in s.pictures:
        picture.save(s.folder)
        data = base64.b64encode((s.folder / picture.file).read_bytes()).decode()
        (s.folder / picture.file).unlink()
        picture.saved = False
        s.json(picture.path.with_suffix(".json"), {**formats.labelme_of(picture), "imageData": data})


@odd("labelme: encodings")
def _(s):
    s.some(4, categories=("größe", "stem"))
    for picture, encoding in zip(s.pictures, ("utf-16", "utf-8-sig", "utf-8", "latin-1")):
        s.json(picture.path.with_suffix(".json"), formats.labelme_of(picture), encoding)
    s.lose_pictures(3)


@odd("labelme: paths with backslashes, annotations in another folder")
def _(s):
    s.some(4, "pictures/day 1/p{}.png")
    for picture in s.pictures:
        s.json(f"json/{picture.path.stem}.json", {**formats.labelme_of(picture), "imagePath": "..\\pictures\\day 1\\" + picture.path.name})


@odd("labelme: broken and doubled files")
def _(s):
    s.some(5)
    formats.labelme(s.folder, s.pictures)
    s.write("images/p0.json", "{'shapes': []}")
    s.write("images/p1.json", b"PK\3\4" + bytes(50))
    s.json("images/copy of p2.json", formats.labelme_of(s.pictures[2]))
    s.json("images/p3.json", {**formats.labelme_of(s.pictures[3]), "imageWidth": 99})
    s.json("settings.json", {"theme": "dark"})
    s.lose_pictures(0, 1, 3)
    s.named = ["p2.json"]


@odd("labelme: equal names in two folders, one without a label, JSON of other programs")
def _(s):
    s.some(1, "a/p.png")
    s.some(1, "b/p.png", labelled=False, kept=False)
    s.some(2)
    s.some(1, labelled=False, kept=False)
    formats.labelme(s.folder, s.pictures)
    s.json("images/p4.json", {"camera": 7})
    s.named = ["b/p.png", "p4.png"]


@odd("labelme: EXIF without sizes")
def _(s):
    exif(s)
    formats.labelme(s.folder, s.pictures)
    drop_sizes(s, s.pictures)
    s.faults = 4


@odd("labelme: EXIF that other pictures' sizes say is ignored")
def _(s):
    for orientation in (6, 8, 5, 3, 2):
        s.some(1, width=48, height=64, orientation=orientation)
    formats.labelme(s.folder, [as_stored(picture) for picture in s.pictures])
    drop_sizes(s, s.pictures[1:])


def drop_sizes(s, pictures):
    for picture in pictures:
        place = (s.folder / picture.file).with_suffix(".json")
        s.json(place, {key: value for key, value in json.loads(place.read_text()).items() if key not in ("imageHeight", "imageWidth")})


# VIA


@odd("via: version 1, project, attributes")
def _(s):
    s.some(6, categories=("leaf", "leaf"))
    entries = {picture.file: formats.via_of(picture) for picture in s.pictures}
    first, second, third, fourth, fifth, sixth = entries.values()
    first["regions"] = {str(number): region for number, region in enumerate(first["regions"])}
    for region in second["regions"]:
        region["region_attributes"] = {"type": {"stem": False, "leaf": True}}
    for region in third["regions"]:
        region["region_attributes"] = {"Art": "leaf"}
    for region, thing in zip(fourth["regions"], s.pictures[3].things):
        region["region_attributes"] = {}
        thing.category = "object"
    fifth["regions"][1]["shape_attributes"] = {"name": "point", "cx": 3, "cy": 3}
    sixth["regions"][1]["shape_attributes"] = {"name": "rect", "x": None, "y": 1, "width": 2, "height": 3}
    s.lose(4, 5)
    s.json("via_project.json", {"_via_settings": {}, "_via_img_metadata": entries, "_via_attributes": {}})


@odd("via: equal names without their folders")
def _(s):
    s.some(1, "a/p.png", kept=False)
    s.some(1, "b/p.png", kept=False)
    s.some(2)
    s.json("via.json", {str(k): {**formats.via_of(one), "filename": one.path.name} for k, one in enumerate(s.pictures)})
    s.named = ["a/p.png", "b/p.png"]


# Label Studio


@odd("labelstudio: skipped, unfinished, two annotators, predictions, several labels")
def _(s):
    s.some(6)
    tasks = [formats.task_of(picture, number) for number, picture in enumerate(s.pictures)]
    tasks[0]["annotations"][0]["was_cancelled"] = True
    tasks[1]["annotations"] = []
    tasks[2]["annotations"].append(copy.deepcopy(tasks[2]["annotations"][0]))
    tasks[3]["predictions"] = tasks[3]["annotations"]
    tasks[4]["annotations"][0]["result"][1]["value"]["rectanglelabels"] = []
    tasks[5]["annotations"][0]["result"].append({"type": "choices", "from_name": "c", "to_name": "image", "value": {"choices": ["x"]}})
    s.lose_pictures(0, 1)
    s.lose(4)
    s.json("export.json", tasks)


@odd("labelstudio: ids that are UUIDs or missing, uploads, labels apart from shapes")
def _(s):
    s.some(5, "p{}.png")
    tasks = [formats.task_of(picture, number) for number, picture in enumerate(s.pictures)]
    tasks[0]["id"] = "0b6e3c1e-57a9-4c2e-9d0c-1c8a8b1d0f11"
    del tasks[1]["id"]
    tasks[2]["data"]["image"] = "/data/upload/1/1a2b3c4d-p2.png"
    tasks[3]["data"] = {"image": "https://host/p3.png?token=1", "text": "p1.png"}
    for result in tasks[4]["annotations"][0]["result"][1:]:
        label = result["value"].pop("rectanglelabels")
        result["type"] = "rectangle"
        tasks[4]["annotations"][0]["result"].append({**result, "type": "labels", "value": {**result["value"], "labels": label}})
    s.json("export.json", tasks)


@odd("labelstudio: EXIF without sizes")
def _(s):
    exif(s)
    tasks = [formats.task_of(picture, number) for number, picture in enumerate(s.pictures)]
    for task in tasks:
        for result in task["annotations"][0]["result"]:
            del result["original_width"]
    s.json("export.json", tasks)
    s.faults = 4


@odd("labelstudio: JSON-MIN")
def _(s):
    s.some(2)
    label = {"x": 1, "y": 1, "width": 9, "height": 9, "rectanglelabels": ["leaf"]}
    s.json("export.json", [{"image": "/data/p0.png", "id": 1, "label": [label]}])
    s.refused = "unknown"


# GeoJSON


@odd("geojson: several polygons, points, no geometry, lists, one feature")
def _(s):
    s.some(6)
    features = [[formats.feature_of(thing) for thing in picture.things] for picture in s.pictures]
    geometry = features[0][1]["geometry"]
    geometry.update(type="MultiPolygon", coordinates=[geometry["coordinates"]])
    features[1][1]["geometry"] = {"type": "Point", "coordinates": [3, 3]}
    features[2][1]["geometry"] = None
    features[3][1]["geometry"]["coordinates"] = [[[1, 1], [2, 2]]]
    s.lose(1, 2, 3)
    for number, picture in enumerate(s.pictures):
        root = {"type": "FeatureCollection", "features": features[number]}
        if number == 4:
            root = features[number]
        elif number == 5:
            root = features[number][0]
            picture.things.pop()
        s.json(picture.path.with_suffix(".geojson"), root)


# Label images


@odd("masks: 16 and 32 bits, RGB, palette, suffixes")
def _(s):
    s.some(6, categories=("object",))
    forms = (lambda n: Image.fromarray(n.astype(np.uint16) * 300), lambda n: Image.fromarray(np.stack([n * 90, n * 7, n], -1)),
             lambda n: Image.fromarray(n.astype(np.int32) * 70000), lambda n: Image.fromarray(n, "P"), lambda n: Image.fromarray(n * 120),
             lambda n: Image.fromarray(np.stack([n, n, n, np.full_like(n, 255)], -1)))
    endings = (".png", "_mask.png", ".tif", "_cp_masks.png", "_label.PNG", "_instances.png")
    for picture, form, ending in zip(s.pictures, forms, endings):
        place = s.folder / "masks" / (picture.path.stem + ending)
        place.parent.mkdir(exist_ok=True)
        image = form(picture.numbers)
        if image.mode == "P":
            image.putpalette([channel for i in range(256) for channel in (i, 255 - i, i)])
        image.save(place)


@odd("masks: folders are classes, one in Latin-1")
def _(s):
    s.some(3, categories=("größe", "日本語"))
    for picture in s.pictures:
        for number, thing in enumerate(picture.things, 1):
            place = s.folder / "masks" / thing.category / picture.path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(np.where(picture.numbers == number, 255, 0).astype(np.uint8)).save(place)
    latin = os.fsencode(s.folder / "masks") + b"/gr\xf6sse"
    os.mkdir(latin)
    shutil.copy(s.folder / "masks" / "größe" / "p0.png", latin + b"/p0.png")
    s.named = ["p0.png"]


@odd("masks: another size, a JPEG, black, of no picture")
def _(s):
    s.some(5, categories=("object",))
    formats.masks(s.folder, s.pictures)
    Image.new("L", (10, 10), 1).save(s.folder / "masks/p0.png")
    Image.fromarray(s.pictures[1].numbers * 100).save(s.folder / "masks/p1.jpg", quality=60)
    (s.folder / "masks/p1.png").unlink()
    Image.new("L", (64, 48)).save(s.folder / "masks/p2.png")
    Image.new("L", (64, 48), 1).save(s.folder / "masks/ghost.png")
    s.lose_pictures(0, 1)
    s.pictures[2].things = []
    s.named = ["ghost"]


# Cityscapes


@odd("cityscapes: groups, deleted, hidden and unknown objects")
def _(s):
    s.some(6, "images/train/ulm/ulm_{}.png")
    formats.cityscapes(s.folder, s.pictures)
    for number, change in enumerate(({"label": "cargroup"}, {"deleted": 1}, {"label": "road"}, {"label": "pothole"}, {"polygon": [[1, 1]]}, None)):
        place = s.folder / s.pictures[number].file.replace("leftImg8bit/", "gtFine/").replace("_leftImg8bit.png", "_gtFine_polygons.json")
        root = json.loads(place.read_text())
        if change:
            root["objects"][1].update(change)
        else:
            root["objects"].append({"label": "bus", "polygon": root["objects"][1]["polygon"]})
            s.pictures[number].things[1].category = "bus"
        s.json(place, root)
        s.pictures[number].things[1].kept = number in (0, 5)
    s.pictures[0].things[1].category = "car"
    s.named = ["hide", "road"]


# Mixed


@odd("mixed: coco and more files of labelme in one folder")
def _(s):
    formats.coco(s.folder, s.some(4, "coco/p{}.png", kept=False))
    formats.labelme(s.folder, s.some(3, "labelme/q{}.png"))
    s.named = ["--from coco"]


@odd("mixed: yolo and voc of the same pictures")
def _(s):
    s.some(4)
    formats.yolo(s.folder, s.pictures)
    formats.voc(s.folder, s.pictures)
    s.named = ["--from voc"]


@odd("mixed: labelme and via, --from via")
def _(s):
    formats.via(s.folder, s.some(3, "via/p{}.png"))
    formats.labelme(s.folder, s.some(3, "labelme/q{}.png", kept=False))
    s.options = ["--from", "via"]


@odd("mixed: links, a loop, a FIFO, hidden files")
def _(s):
    s.some(3, "real/p{}.png")
    formats.labelme(s.folder, s.pictures)
    (s.folder / "link").symlink_to("real")
    (s.folder / "real/loop").symlink_to("..")
    (s.folder / "broken.png").symlink_to("nowhere.png")
    s.write("real/._p0.json", b"\0\5\26\7")
    os.mkfifo(s.folder / "real/pipe.json")
    os.mkfifo(s.folder / "real/pipe.png")


@odd("mixed: pictures behind a link")
def _(s):
    s.some(3)
    formats.yolo(s.folder, s.pictures)
    s.save_pictures()
    (s.folder / "images").rename(s.folder.parent / "disk")
    (s.folder / "images").symlink_to("../disk")
    for picture in s.pictures:
        picture.saved = False


@odd("mixed: a file name that is not UTF-8")
def _(s):
    s.some(3)
    formats.yolo(s.folder, s.pictures)
    s.save_pictures()
    for file in (s.folder / "images/p0.png", s.folder / "labels/p0.txt"):
        shutil.copy(file, os.fsencode(file.parent) + b"/gr\xf6sse" + os.fsencode(file.suffix))
    s.named = ["UTF-8"]


for kind, refused in (("an empty folder", "unknown"), ("pictures alone", "unknown"), ("nothing that is there", "no such"),
                      ("no object anywhere", "object")):
    @odd("mixed: " + kind)
    def _(s, kind=kind, refused=refused):
        s.refused = refused
        if kind == "pictures alone":
            s.some(3)
        elif kind.startswith("nothing"):
            s.source = "nowhere"
        elif kind.startswith("no object"):
            s.add(Picture("images/p.png", []))
            formats.labelme(s.folder, s.pictures)


# Trials of a set


class Outcome:
    def __init__(self):
        self.problems = []
        self.imported = self.checked = self.trained = ""

    def require(self, holds, problem):
        if not holds:
            self.problems.append(problem)


def run(engine, *words):
    done = subprocess.run([engine, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def box_of(annotation):
    shape = annotation.get("segmentation")
    if isinstance(shape, dict):
        counts = rle.frPyObjects(shape, *shape["size"]) if isinstance(shape["counts"], list) else shape
        x, y, w, h = rle.toBbox(counts)
    elif shape:
        xs, ys = [x for xy in shape for x in xy[::2]], [y for xy in shape for y in xy[1::2]]
        return [min(xs), min(ys), max(xs), max(ys)]
    else:
        x, y, w, h = annotation["bbox"]
    return [x, y, x + w, y + h]


def result_of(out):
    """(split, size, things) by file."""
    folders = dict(re.findall(r'^  (train|val): {images: "?(.*?)"?, annotations', (out / "experiment.yaml").read_text(), re.M))
    result = {}
    for split in PARTS:
        place = out / f"annotations/instances_{split}.json"
        if not place.exists():
            continue
        root = json.loads(place.read_text())
        names = {category["id"]: category["name"] for category in root["categories"]}
        files = {}
        for image in root["images"]:
            folder = folders.get(split) or next(iter(folders.values()))
            files[image["id"]] = os.path.realpath(out / folder / image["file_name"])
            result[files[image["id"]]] = (split, (image["width"], image["height"]), [])
        for annotation in root["annotations"]:
            result[files[annotation["image_id"]]][2].append((names[annotation["category_id"]], box_of(annotation)))
    return result


def is_same(thing, category, box, size):
    clipped = [min(max(value, 0), side) for value, side in zip(box, size * 2)]
    wanted = [min(max(value, 0), side) for value, side in zip(thing.box, size * 2)]
    return category == thing.category and all(abs(a - b) <= 1 for a, b in zip(clipped, wanted))


def compare_picture(s, picture, found, outcome):
    """Returns how many of its things are lost."""
    split, size, things = found
    outcome.require(picture.kept, f"{picture.file} came in")
    outcome.require(not picture.split or split == picture.split, f"{picture.file} is in {split}")
    is_stored = size == picture.stored_size
    outcome.require(is_stored or size == (picture.width, picture.height), f"{picture.file} has the size {size}")
    left = list(things)
    lost = 0
    for thing in picture.things:
        shown = picture.stored(thing) if is_stored and picture.orientation > 1 else thing
        same = next((one for one in left if is_same(shown, *one, size)), None)
        if same:
            left.remove(same)
        else:
            lost += 1
        what = f"{picture.file}: {thing.category[:20]} {shown.box}"
        outcome.require(bool(same) == thing.kept, f"{what} {'came in' if same else 'is missing'}")
    outcome.problems += [f"{picture.file}: {one} was not annotated" for one in left]
    return lost


def check_import(s, engine, out, outcome):
    status, text, errors = run(engine, "dataset", "import", s.folder / s.source, "--out", out, *s.options)
    if s.refused:
        outcome.imported = f"refused ({status})"
        outcome.require(status in (1, 2), f"exit status {status}")
        outcome.require(s.refused in errors.splitlines()[-1] if errors else False, f"says {errors[-300:]!r}")
        outcome.require(not out.exists(), "a refused import left its folder")
        return False
    if status != 0:
        outcome.imported = f"status {status}"
        outcome.problems.append(f"exit status {status}: {errors[-300:]!r}")
        return False
    faults = (out / "faults.txt").read_text(errors="replace") if (out / "faults.txt").exists() else ""
    said = text + errors + faults
    result = result_of(out)
    lost = lost_pictures = 0
    for picture in s.pictures:
        place = os.path.realpath(s.folder / picture.file)
        if place not in result:  # taken out of its annotation file
            place = os.path.realpath(out / "images" / picture.file)
        found = result.pop(place, None)
        if found:
            lost += compare_picture(s, picture, found, outcome)
            continue
        lost_pictures += 1
        outcome.require(not picture.kept, f"{picture.file} is missing")
        outcome.require(s.called.get(picture.file, picture.path.stem) in said, f"{picture.file} is lost in silence")
    outcome.problems += [f"{place} came in" for place in result]
    counted = sum(int(count) for count in re.findall(r"^lost: .*?(\d+)\)?$", text, re.M))
    outcome.require(lost <= counted + len(faults.splitlines()), f"{lost} objects are lost, {len(faults.splitlines())} named")
    for wanted in s.named:
        outcome.require(wanted in said, f"does not name {wanted}")
    objects = sum(len(picture.things) for picture in s.pictures)
    outcome.imported = f"{len(s.pictures) - lost_pictures} of {len(s.pictures)}, {count_objects(out)} of {objects}"
    totals = [list(map(int, pair)) for pair in re.findall(r"^[\w-]+: +(\d+) images?, (\d+) objects?", text, re.M)]
    outcome.require(sum(pair[1] for pair in totals) == count_objects(out), f"prints {totals}")
    return True


def count_objects(out):
    return sum(len(json.loads(place.read_text())["annotations"]) for place in (out / "annotations").iterdir())


def try_set(engine, name, folder):
    outcome = Outcome()
    s = OddSet(name, folder / "set")
    s.folder.mkdir(parents=True)
    try:
        SETS[name](s)
        s.save_pictures()
        out = folder / "out"
        if check_import(s, engine, out, outcome):
            check_check(s, engine, out, outcome)
            check_training(s, engine, out, folder / "run", outcome)
    except subprocess.TimeoutExpired as expired:
        outcome.problems.append(f"{expired.cmd[1:3]} hangs")
    if not outcome.problems:
        shutil.rmtree(folder / "run", ignore_errors=True)  # its checkpoints are large
    return s, outcome


def check_check(s, engine, out, outcome):
    status, _, errors = run(engine, "dataset", "check", out / "experiment.yaml", "--out", out / "check.json")
    outcome.require(status == (0 if s.trains else 1), f"check: exit status {status}: {errors[-300:]!r}")
    faults = json.loads((out / "check.json").read_text())["faults"] if (out / "check.json").exists() else []
    kinds = {fault["kind"] for fault in faults}
    outcome.checked = f"{len(faults)} {' '.join(sorted(kinds))}".strip()
    outcome.require(len(faults) == s.faults, f"check: {outcome.checked}")


def check_training(s, engine, out, folder, outcome):
    overrides = [word for override in SMALL for word in ("--set", override)]
    status, _, errors = run(engine, "train", out / "experiment.yaml", "--output", folder, *overrides)
    outcome.trained = "two steps" if status == 0 else f"status {status}"
    outcome.require(status == (0 if s.trains else 1), f"train: exit status {status}: {errors[-400:]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--only", default="", help="sets whose names have this text")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for what is made")
    args = parser.parse_args()
    engine = (args.build / "bin/lockstep-engine").resolve()
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="lockstep-odd-"))
    chosen = [name for name in SETS if args.only in name]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda name: try_set(engine, name, folder / str(list(SETS).index(name))), chosen))
    print("| set | pictures, objects in of made | check: faults | training |\n|---|---|---|---|")
    for s, outcome in outcomes:
        print(f"| {s.name} | {outcome.imported} | {outcome.checked} | {outcome.trained} |")
    failed = [(s, outcome) for s, outcome in outcomes if outcome.problems]
    for s, outcome in failed:
        print(f"\n{s.name} ({s.folder}):", *outcome.problems[:12], sep="\n  ", file=sys.stderr)
    print(f"\n{len(outcomes)} data sets, {len(failed)} with problems")
    if not args.keep:
        shutil.rmtree(folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
