"""Small random datasets and results that have every edge of COCO's evaluation, for coco_reference.py.

A set's files come in two readings where they leave something out: `gt` as a user has it, and `plain_gt` with the areas and boxes that
pycocotools, which cannot do without, is given in their place.
"""
import numpy as np
from pycocotools import mask as mask_api

GRID_PX = 8  # sides and places of multiples of it give IoUs of 0.5, 0.6, 0.75 … and equal ones
EDGE_AREAS = [0.0, 1023.5, 1024.0, 1024.5, 9216.0, 9217.0, 1e10, 1.5e10]  # about the ends of COCO's sizes


def runs_of(rle):
    """Counts of a compressed RLE, read from pycocotools' pixels (not from its text)."""
    pixels = mask_api.decode(rle).flatten(order='F').astype(np.int8)
    if pixels.size == 0:
        return [0]
    changes = np.flatnonzero(np.diff(np.concatenate([[0], pixels])))
    return np.diff(np.concatenate([[0], changes, [pixels.size]])).astype(int).tolist()


def rle_of(polygons, height, width):
    return mask_api.merge(mask_api.frPyObjects(polygons, height, width))


def as_runs(rng, rle):
    """An uncompressed or compressed RLE."""
    counts = runs_of(rle) if rng.random() < 0.5 else rle['counts'].decode()
    return dict(size=[int(v) for v in rle['size']], counts=counts)


class SmallSet:
    def __init__(self, seed):
        self.rng = rng = np.random.default_rng([2024, seed])
        classes = rng.choice(np.arange(1, 91), int(rng.integers(1, 4)), replace=False)
        self.classes = [int(c) for c in classes]
        self.used = self.classes[:int(rng.integers(len(classes) > 1, len(classes) + 1))]  # the others have no ground truth
        self.on_grid = rng.random() < 0.4
        self.digits = int(rng.choice([0, 1, 2, 16]))  # of scores: few digits, many ties
        self.crowds = float(rng.choice([0, 0.1, 0.4]))
        self.is_crowded = seed % 10 == 0  # more detections of a class than maxDets
        self.images, self.annotations, self.plain_annotations, self.results = [], [], [], []
        for image_id in rng.choice(10 ** 6, int(rng.integers(1, 5)), replace=False):
            self.add_image(int(image_id))
        self.shuffle()

    def add_image(self, image_id):
        rng = self.rng
        image = dict(id=image_id, file_name=f'{image_id}.png', width=int(rng.integers(12, 150)), height=int(rng.integers(12, 150)))
        self.images.append(image)
        has_objects, has_results = self.used and rng.random() < 0.85, rng.random() < 0.85
        things = [self.thing(image, self.used) for _ in range(int(rng.integers(1, 7)))] if has_objects else []
        for thing in things:
            self.annotate(thing, image)
        count = int(rng.integers(105, 160)) if self.is_crowded else int(rng.integers(0, 11))
        for _ in range(count * has_results):
            if self.results and self.results[-1]['image_id'] == image_id and rng.random() < 0.1:
                self.results.append(dict(self.results[-1]))  # duplicate
            else:
                self.detect(things, image)

    def thing(self, image, classes):
        rng, width, height = self.rng, image['width'], image['height']
        c = int(rng.choice(classes))
        if self.on_grid:
            w, h = (int(v) * GRID_PX for v in rng.choice([1, 2, 4, 8, 12], 2))
            return dict(c=c, xywh=[int(rng.integers(0, width // GRID_PX + 1)) * GRID_PX, int(rng.integers(0, height // GRID_PX + 1)) * GRID_PX, w, h])
        w, h = np.exp(rng.uniform(np.log(2), np.log(120), 2))
        return dict(c=c, xywh=[float(v) for v in (rng.uniform(-5, width), rng.uniform(-5, height), w, h)])

    def moved(self, thing):
        rng, (x, y, w, h) = self.rng, thing['xywh']
        if rng.random() < 0.25:
            return dict(thing)
        if self.on_grid:
            step = lambda: int(rng.integers(-1, 2)) * GRID_PX
            return dict(thing, xywh=[x + step(), y + step(), max(w + step(), GRID_PX), max(h + step(), GRID_PX)])
        jitter = rng.normal(0, 0.12, 4)
        return dict(thing, xywh=[x + jitter[0] * w, y + jitter[1] * h, w * float(np.exp(jitter[2])), h * float(np.exp(jitter[3]))])

    def outline(self, thing):
        """A rectangle on the grid, else a star about the box's middle, which may reach out of the image."""
        x, y, w, h = thing['xywh']
        if self.on_grid:
            return [x, y, x + w, y, x + w, y + h, x, y + h]
        points = int(self.rng.integers(3, 12))
        angle, reach = np.linspace(0, 2 * np.pi, points, endpoint=False), self.rng.uniform(0.7, 1.1, points) / 2
        corners = zip(x + w / 2 + w * reach * np.cos(angle), y + h / 2 + h * reach * np.sin(angle))
        return [round(float(v), 2) for corner in corners for v in corner]

    def annotate(self, thing, image):
        rng, size = self.rng, (image['height'], image['width'])
        polygons = [self.outline(thing)]
        while rng.random() < 0.25:
            polygons.append(self.outline(self.thing(image, self.used)))
        rle = rle_of(polygons, *size)
        box, area = [float(v) for v in mask_api.toBbox(rle)], float(mask_api.area(rle))
        crowd = int(rng.random() < self.crowds)
        segmentation = as_runs(rng, rle) if rng.random() < (0.8 if crowd else 0.3) else polygons
        if rng.random() < 0.5:
            box = [float(v) for v in thing['xywh']]
        kind = rng.choice(4)
        given = [area, area * float(rng.uniform(0.8, 1.2)), float(rng.choice(EDGE_AREAS)), None][kind]
        row = dict(id=len(self.annotations) + 1, image_id=image['id'], category_id=thing['c'], iscrowd=crowd, bbox=box, segmentation=segmentation)
        if rng.random() < 0.3:
            row['ignore'] = int(rng.integers(2))  # not used by pycocotools
        self.plain_annotations.append(dict(row, area=area if given is None else given))
        self.annotations.append(row if given is None else dict(row, area=given))

    def score(self):
        value = float(self.rng.uniform(-0.2, 1.3)) if self.rng.random() < 0.1 else float(self.rng.uniform())
        return int(round(value)) if self.digits == 0 else round(value, self.digits)

    def detect(self, things, image):
        rng = self.rng
        thing = self.moved(things[rng.integers(len(things))]) if things and rng.random() < 0.7 else self.thing(image, self.classes)
        if rng.random() < 0.1:
            thing['c'] = int(rng.choice(self.classes))
        rle = rle_of([self.outline(thing)], image['height'], image['width'])
        box = thing['xywh'] if self.on_grid or rng.random() < 0.5 else [float(v) for v in mask_api.toBbox(rle)]
        row = dict(image_id=image['id'], category_id=thing['c'], bbox=box, score=self.score(),
                   segmentation=dict(size=[image['height'], image['width']], counts=rle['counts'].decode()))
        if rng.random() < 0.3:
            row['area'] = float(rng.uniform(0, 1e4))  # pycocotools computes its own
        self.results.append(row)

    def shuffle(self):
        rng = self.rng
        ids = [int(v) for v in rng.permutation(len(self.annotations)) + (rng.random() < 0.7)]  # an id of 0 is never matched
        for row, plain, new in zip(self.annotations, self.plain_annotations, ids):
            row['id'] = plain['id'] = new
        order = rng.permutation(len(self.annotations))
        self.annotations = [self.annotations[i] for i in order]
        self.plain_annotations = [self.plain_annotations[i] for i in order]
        if not self.results:  # pycocotools does not accept empty results
            self.detect([], self.images[0])
        self.results = [self.results[i] for i in rng.permutation(len(self.results))]

    def ground_truth(self, annotations):
        return dict(images=self.images, annotations=annotations, categories=[dict(id=c, name=f'class {c}') for c in self.classes])

    def gt(self):
        return self.ground_truth(self.annotations)

    def plain_gt(self):
        return self.ground_truth(self.plain_annotations)

    def with_an_unknown_image(self):
        """Results one of which is of an image that the ground truth does not name."""
        strange = dict(self.results[int(self.rng.integers(len(self.results)))], image_id=10 ** 6 + 1)
        return self.results + [strange]
