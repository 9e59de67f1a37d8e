"""What `dataset check` should find, by other means: pycocotools' masks, every pair of edges, of objects and of pictures.

usage: dataset_check_reference.py ANNOTATIONS IMAGES OUT.json
Writes {"faults": [[kind, image_id, annotation_id or null]…], "notes": the same of unusual_area and unusual_aspect}, each ordered.
"""
import contextlib
import io
import itertools
import json
import pathlib
import sys

import numpy as np
from PIL import Image
from pycocotools import mask as mask_api
from pycocotools.coco import COCO

MOST_PX = 2
DOUBLED_IOU = 0.6
SIGMAS = 5
SIDE = 64


def crosses(polygon):
    """Whether two edges cross: the ends of each are on either side of the other."""
    points = np.reshape(polygon, (-1, 2))
    starts, ends = points, np.roll(points, -1, axis=0)
    long = np.any(starts != ends, axis=1)
    starts, ends = starts[long], ends[long]
    along = ends - starts

    def distances(at):
        """[edge, point]: signed, px"""
        offsets = at[None] - starts[:, None]
        return (along[:, None, 0] * offsets[..., 1] - along[:, None, 1] * offsets[..., 0]) / np.hypot(*along.T)[:, None]

    first, second = distances(starts), distances(ends)
    apart = (np.minimum(first, second) < -1e-6) & (np.maximum(first, second) > 1e-6)
    return bool(np.any(apart & apart.T))


def area(polygon):
    x, y = np.reshape(polygon, (-1, 2)).T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def faults_of(coco, annotation):
    image = coco.imgs[annotation['image_id']]
    x, y, width, height = annotation['bbox']
    if width <= 0 or height <= 0:
        yield 'box_empty'
    if x < -MOST_PX or y < -MOST_PX or x + width > image['width'] + MOST_PX or y + height > image['height'] + MOST_PX:
        yield 'box_outside'
    if isinstance(annotation['segmentation'], list):
        for polygon in annotation['segmentation']:
            if crosses(polygon):
                yield 'polygon_crossing'
            elif area(polygon) < 1e-6:
                yield 'polygon_empty'
    mask = mask_api.toBbox(coco.annToRLE(annotation))
    corners = np.array([[x, y, x + width, y + height], [mask[0], mask[1], mask[0] + mask[2], mask[1] + mask[3]]])
    corners = np.clip(corners, 0, np.array([image['width'], image['height']] * 2))
    if mask[2] > 0 and width > 0 and height > 0 and np.abs(corners[0] - corners[1]).max() > MOST_PX:
        yield 'box_not_mask'


def doubled_objects(coco, annotations):
    for i, j in itertools.combinations(range(len(annotations)), 2):
        one, other = annotations[i], annotations[j]
        if one['category_id'] != other['category_id']:
            continue
        masks = [coco.annToRLE(one), coco.annToRLE(other)]
        if mask_api.iou(masks[:1], masks[1:], [0])[0, 0] > DOUBLED_IOU:
            areas = mask_api.area(masks)
            yield (one if areas[0] < areas[1] else other)['id']


def thumbnail(path):
    """64 x 64 means of exactly what each covers."""
    pixels = np.asarray(Image.open(path).convert('L'), dtype=float)
    for axis in (0, 1):
        sums = np.cumsum(pixels, axis=axis)
        sums = np.concatenate([np.zeros_like(np.take(sums, [0], axis)), sums], axis)
        edges = np.linspace(0, pixels.shape[axis], SIDE + 1)
        below = np.minimum(edges.astype(int), pixels.shape[axis] - 1)
        shape = [-1 if a == axis else 1 for a in (0, 1)]
        at = np.take(sums, below, axis) + np.take(pixels, below, axis) * (edges - below).reshape(shape)
        pixels = np.diff(at, axis=axis) / (edges[1] - edges[0])
    return np.rint(pixels)


def same_pictures(images):
    seen = []
    for image_id, path in images:
        own = thumbnail(path)
        differences = (np.abs(own - other) for other in seen)
        if any(d.mean() <= 2 and d.max() <= 20 for d in differences):
            yield image_id
        seen.append(own)


def unusual(annotations, value_of):
    for category in {a['category_id'] for a in annotations}:
        own = [a for a in annotations if a['category_id'] == category and value_of(a) > 0]
        logs = np.log([value_of(a) for a in own])
        spread = logs.std()
        yield from (a for a, value in zip(own, logs) if spread > 1e-9 and abs(value - logs.mean()) > SIGMAS * spread)


def main():
    annotation_file, folder, out = sys.argv[1:]
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(annotation_file)
    found = {'faults': [], 'notes': []}
    paths = [(i, pathlib.Path(folder) / image['file_name']) for i, image in sorted(coco.imgs.items())]
    for image_id, path in paths:
        with Image.open(path) as picture:
            picture.load()  # fails for a truncated file
            if picture.size != (coco.imgs[image_id]['width'], coco.imgs[image_id]['height']):
                found['faults'].append(['image_size', image_id, None])
        annotations = coco.imgToAnns[image_id]
        for annotation in annotations:
            found['faults'] += [[kind, image_id, annotation['id']] for kind in faults_of(coco, annotation)]
        objects = [a for a in annotations if not a.get('iscrowd')]
        found['faults'] += [['doubled_object', image_id, i] for i in doubled_objects(coco, objects)]
    found['faults'] += [['picture_twice', i, None] for i in same_pictures(paths)]
    objects = [a for a in coco.anns.values() if not a.get('iscrowd')]
    for kind, value_of in (('unusual_area', lambda a: a['area']),
                           ('unusual_aspect', lambda a: a['bbox'][3] / a['bbox'][2] if a['bbox'][2] > 0 else 0)):
        found['notes'] += [[kind, a['image_id'], a['id']] for a in unusual(objects, value_of)]
    for key in found:
        found[key].sort(key=lambda row: (row[0], row[1], row[2] or 0))
    pathlib.Path(out).write_text(json.dumps(found))


if __name__ == '__main__':
    main()
