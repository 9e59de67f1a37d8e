"""Pictures whose objects are known, and writers of annotations in every format that is imported. For odd_datasets.py."""
import dataclasses
import hashlib
import json
import pathlib
import urllib.parse
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from PIL import Image

# EXIF orientations: turn the displayed picture into the stored one.
T = Image.Transpose
STORED = {2: T.FLIP_LEFT_RIGHT, 3: T.ROTATE_180, 4: T.FLIP_TOP_BOTTOM, 5: T.TRANSPOSE, 6: T.ROTATE_90, 7: T.TRANSVERSE, 8: T.ROTATE_270}
COLOURS = np.array([(60, 90, 70), (230, 60, 40), (40, 80, 230), (240, 220, 60), (220, 40, 220)], np.uint8)


@dataclasses.dataclass
class Thing:
    category: str
    box: tuple  # x0, y0, x1, y1 in the displayed picture, px; whole numbers
    outline: bool = True  # a polygon of its corners, where the format has polygons
    kept: bool = True  # must be there after the import

    @property
    def corners(self):
        x0, y0, x1, y1 = self.box
        return [x0, y0, x1, y0, x1, y1, x0, y1]


@dataclasses.dataclass
class Picture:
    file: str
    things: list
    width: int = 64  # as displayed
    height: int = 48
    orientation: int = 1
    mode: str = "RGB"
    labelled: bool = True
    content: bytes = None  # of the file, in place of the picture
    saved: bool = True  # has a file
    kept: bool = True  # must be there after the import
    split: str = ""  # that it must come into; empty: any

    @property
    def path(self):
        return pathlib.PurePosixPath(self.file)

    @property
    def numbers(self):
        """Numbers of the things from 1 [height, width], 0 between them, as stored in the file."""
        shown = np.zeros((self.height, self.width), np.uint8)
        for number, thing in enumerate(self.things, 1):
            x0, y0, x1, y1 = thing.box
            shown[max(y0, 0):y1, max(x0, 0):x1] = number
        image = Image.fromarray(shown)
        return np.array(image.transpose(STORED[self.orientation]) if self.orientation > 1 else image)

    @property
    def stored_size(self):
        return self.numbers.shape[::-1]

    def stored(self, thing):
        """The thing with its box in the stored picture."""
        ys, xs = np.nonzero(self.numbers == 1 + self.things.index(thing))
        return dataclasses.replace(thing, box=(int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1))

    def save(self, folder):
        if self.content is not None:
            return write(folder, self.file, self.content)
        place = folder / self.file
        place.parent.mkdir(parents=True, exist_ok=True)
        noise = np.random.default_rng(int(hashlib.sha1(self.file.encode()).hexdigest()[:8], 16))
        pixels = COLOURS[self.numbers % len(COLOURS)]
        pixels = np.clip(pixels + noise.integers(-20, 20, pixels.shape[:2])[..., None], 0, 255).astype(np.uint8)
        image = Image.fromarray(pixels)
        if self.mode == "I;16":
            image = Image.fromarray(np.array(image.convert("L")).astype(np.uint16) * 257)
        elif self.mode == "animated":
            return image.save(place, save_all=True, append_images=[image.rotate(180)])
        else:
            image = image.convert(self.mode)
        exif = Image.Exif()
        exif[0x0112] = self.orientation
        image.save(place, **({"exif": exif} if self.orientation > 1 else {}))


def write(folder, name, text, encoding="utf-8"):
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode(encoding) if isinstance(text, str) else text)


def write_json(folder, name, content, encoding="utf-8"):
    write(folder, name, json.dumps(content, ensure_ascii=False, indent=1), encoding)


def labelled(pictures):
    return [picture for picture in pictures if picture.labelled]


def categories_of(pictures):
    return list(dict.fromkeys(thing.category for picture in pictures for thing in picture.things))


def xywh(box):
    return [box[0], box[1], box[2] - box[0], box[3] - box[1]]


def points_of(thing):
    return [thing.corners[i:i + 2] for i in range(0, 8, 2)]


def coco_of(pictures):
    """Boxes in the stored picture, as programs write them that ignore EXIF."""
    ids = {name: number for number, name in enumerate(categories_of(pictures), 1)}
    root = {"images": [], "annotations": [], "categories": [{"id": number, "name": name} for name, number in ids.items()]}
    for number, picture in enumerate(labelled(pictures), 1):
        width, height = picture.stored_size
        root["images"].append({"id": number, "file_name": picture.file, "width": width, "height": height})
        for thing in picture.things:
            stored = picture.stored(thing)
            x, y, w, h = xywh(stored.box)
            root["annotations"].append({"id": len(root["annotations"]) + 1, "image_id": number, "category_id": ids[thing.category],
                                        "bbox": [x, y, w, h], "area": w * h, "iscrowd": 0,
                                        **({"segmentation": [stored.corners]} if thing.outline else {})})
    return root


def coco(folder, pictures):
    write_json(folder, "annotations.json", coco_of(pictures))


def lvis(folder, pictures):
    root = coco_of(pictures)
    for image in root["images"]:
        image["coco_url"] = "http://images.cocodataset.org/" + image["file_name"]
        image.update(neg_category_ids=[], not_exhaustive_category_ids=[])
    for category in root["categories"]:
        category.update(frequency="f", synset="a.n.01")
    write_json(folder, "lvis_v1.json", root)


def labelme_of(picture):
    shapes = [{"label": thing.category, "shape_type": "polygon" if thing.outline else "rectangle", "group_id": None, "flags": {},
               "points": points_of(thing) if thing.outline else [list(thing.box[:2]), list(thing.box[2:])]} for thing in picture.things]
    return {"version": "5.4.1", "flags": {}, "shapes": shapes, "imagePath": picture.path.name, "imageData": None,
            "imageHeight": picture.height, "imageWidth": picture.width}


def labelme(folder, pictures):
    for picture in labelled(pictures):
        write_json(folder, picture.path.with_suffix(".json"), labelme_of(picture))


def yolo_line(thing, picture, index):
    sides = [picture.width, picture.height] * 4
    x0, y0, x1, y1 = thing.box
    values = thing.corners if thing.outline else [(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0]
    return " ".join([str(index)] + [f"{value / side:.6f}" for value, side in zip(values, sides)])


def label_file(picture):
    return pathlib.PurePosixPath("labels", *picture.path.parts[1:]).with_suffix(".txt")


def yolo(folder, pictures):
    names = categories_of(pictures)
    for picture in labelled(pictures):
        lines = [yolo_line(thing, picture, names.index(thing.category)) for thing in picture.things]
        write(folder, label_file(picture), "".join(line + "\n" for line in lines))
    write(folder, "data.yaml", "path: .\nnames: " + json.dumps(names, ensure_ascii=False) + "\n")


def voc_of(picture, start=""):
    text = f"{start}<annotation><folder>{escape(picture.path.parent.name)}</folder><filename>{escape(picture.path.name)}</filename>"
    text += f"<size><width>{picture.width}</width><height>{picture.height}</height><depth>3</depth></size>"
    for thing in picture.things:
        x0, y0, x1, y1 = thing.box
        text += (f"<object><name>{escape(thing.category)}</name><bndbox><xmin>{x0 + 1}</xmin><ymin>{y0 + 1}</ymin>"
                 f"<xmax>{x1}</xmax><ymax>{y1}</ymax></bndbox></object>")
    return text + "</annotation>"


def voc(folder, pictures):
    for picture in labelled(pictures):
        write(folder, picture.path.with_suffix(".xml"), voc_of(picture))


def cvat_of(pictures, subset=""):
    text = ""
    for picture in labelled(pictures):
        text += f'<image id="0" name={quoteattr(picture.file)} width="{picture.width}" height="{picture.height}"{subset}>'
        for thing in picture.things:
            x0, y0, x1, y1 = thing.box
            corners = ";".join(f"{x},{y}" for x, y in points_of(thing))
            text += (f'<polygon label={quoteattr(thing.category)} points="{corners}"/>' if thing.outline else
                     f'<box label={quoteattr(thing.category)} xtl="{x0}" ytl="{y0}" xbr="{x1}" ybr="{y1}"/>')
        text += "</image>\n"
    return text


def cvat(folder, pictures):
    write(folder, "annotations.xml", f"<annotations><version>1.1</version>\n{cvat_of(pictures)}</annotations>")


def via_of(picture):
    regions = []
    for thing in picture.things:
        x, y, w, h = xywh(thing.box)
        shape = ({"name": "polygon", "all_points_x": thing.corners[::2], "all_points_y": thing.corners[1::2]} if thing.outline else
                 {"name": "rect", "x": x, "y": y, "width": w, "height": h})
        regions.append({"shape_attributes": shape, "region_attributes": {"class": thing.category}})
    return {"filename": picture.file, "size": -1, "regions": regions, "file_attributes": {}}


def via(folder, pictures):
    write_json(folder, "via.json", {picture.file + "-1": via_of(picture) for picture in labelled(pictures)})


def cityscapes(folder, pictures):
    """Writes gtFine and leftImg8bit: only PNG, and only the format's own classes."""
    names = ["car", "person", "bus"]
    for picture in pictures:
        stem = picture.path.with_suffix("").relative_to("images")
        picture.file = f"leftImg8bit/{stem}_leftImg8bit.png"
        for number, thing in enumerate(picture.things):
            thing.category = names[number % len(names)]
        if picture.labelled:
            width, height = picture.stored_size
            objects = [{"label": thing.category, "polygon": points_of(picture.stored(thing))} for thing in picture.things]
            write_json(folder, f"gtFine/{stem}_gtFine_polygons.json", {"imgHeight": height, "imgWidth": width, "objects": objects})


def task_of(picture, number):
    result = []
    for thing in picture.things:
        sides = np.array([picture.width, picture.height])
        x0, y0, x1, y1 = (np.array(thing.box).reshape(2, 2) / sides * 100).ravel().tolist()
        value = ({"points": (np.array(points_of(thing)) / sides * 100).tolist()} if thing.outline else
                 {"x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0, "rotation": 0})
        kind = "polygonlabels" if thing.outline else "rectanglelabels"
        result.append({"id": f"r{len(result)}", "type": kind, "from_name": "label", "to_name": "image",
                       "original_width": picture.width, "original_height": picture.height, "value": {**value, kind: [thing.category]}})
    return {"id": number, "data": {"image": "/data/local-files/?d=" + urllib.parse.quote(picture.file)},
            "annotations": [{"id": number, "was_cancelled": False, "result": result}]}


def labelstudio(folder, pictures):
    write_json(folder, "export.json", [task_of(picture, number) for number, picture in enumerate(labelled(pictures), 1)])


def feature_of(thing):
    return {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [points_of(thing) + points_of(thing)[:1]]},
            "properties": {"objectType": "annotation", "classification": {"name": thing.category, "color": [255, 0, 0]}}}


def geojson(folder, pictures):
    for picture in labelled(pictures):
        features = [feature_of(picture.stored(thing)) for thing in picture.things]
        write_json(folder, picture.path.with_suffix(".geojson"), {"type": "FeatureCollection", "features": features})


def mask_file(picture):
    return pathlib.PurePosixPath("masks", *picture.path.parts[1:]).with_suffix(".png")


def masks(folder, pictures):
    """Writes one class, object."""
    for picture in pictures:
        for thing in picture.things:
            thing.category = "object"
        if picture.labelled:
            place = folder / mask_file(picture)
            place.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture.numbers).save(place)


WRITERS = {writer.__name__: writer for writer in (coco, lvis, labelme, yolo, voc, cvat, via, cityscapes, labelstudio, geojson, masks)}
