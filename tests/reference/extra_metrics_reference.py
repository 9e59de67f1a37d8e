"""What panopticapi's rule, stardist, AJI's formula and lvis make of random instance segmentations, for tests/coco.

usage: extra_metrics_reference.py OUT_DIR
Writes its inputs beside its answers; all numbers read back to the same double.
"""
import contextlib
import importlib.util
import io
import json
import logging
import multiprocessing
import os
import sys
import types

import numpy as np
from pycocotools import mask as mask_api

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from coco_reference import dump, random_set
from coco_small_sets import rle_of

SETS, THRESHOLDS = 200, [0.1, 0.3, *np.linspace(0.5, 0.95, 10)]  # below 0.5 a segment has several partners to choose from


def stub(name, **members):
    sys.modules[name] = types.SimpleNamespace(**members)


def load_stardist():
    """stardist.matching alone: the package imports TensorFlow's tools, and this file compilers and plots that it does not need here."""
    stub('numba', jit=lambda *arguments, **options: lambda function: function)
    stub('tqdm', tqdm=None)
    stub('skimage')
    stub('skimage.measure', regionprops=None)
    stub('csbdeep')

    def raise_(error):
        raise error
    stub('csbdeep.utils', _raise=raise_)
    place = os.path.join(os.path.dirname(importlib.util.find_spec('stardist').origin), 'matching.py')
    spec = importlib.util.spec_from_file_location('stardist_matching', place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_lvis():
    """lvis without its plots, and with numpy's former name of float."""
    np.float = float
    for name in 'cv2', 'matplotlib', 'matplotlib.pyplot':
        stub(name)
    stub('matplotlib.patches', Polygon=None)
    sys.modules['matplotlib'].pyplot = sys.modules['matplotlib.pyplot']
    import lvis
    logging.getLogger('lvis').setLevel(logging.ERROR)
    for name in ('lvis.lvis', 'lvis.eval', 'lvis.results'):
        logging.getLogger(name).setLevel(logging.ERROR)
    return lvis


# ---- label maps ---------------------------------------------------------------------------------

def decoded(segmentation, image):
    height, width = image['height'], image['width']
    if isinstance(segmentation, list):
        return mask_api.decode(rle_of(segmentation, height, width)) > 0
    if isinstance(segmentation['counts'], list):
        return mask_api.decode(mask_api.frPyObjects(segmentation, height, width)) > 0
    return mask_api.decode(segmentation) > 0


def painted(image, things):
    """Label i + 1 is of things[i]; the last of a pixel stays."""
    labels = np.zeros((image['height'], image['width']), np.int64)
    for label, mask in things:
        labels[mask] = label
    return labels


class Picture:
    """Label maps of an image and what its labels are."""

    def __init__(self, image, annotations, results, threshold):
        masks = [decoded(a['segmentation'], image) for a in annotations]
        order = sorted(range(len(annotations)), key=lambda i: (1 - annotations[i]['iscrowd'], -int(masks[i].sum())))
        self.truth = painted(image, [(i + 1, masks[i]) for i in order])
        shown = sorted((r for r in results if r['score'] >= threshold), key=lambda r: -r['score'])
        self.found = painted(image, [(i + 1, decoded(shown[i]['segmentation'], image)) for i in reversed(range(len(shown)))])
        self.pixels = np.zeros((len(annotations) + 1, len(shown) + 1), np.int64)
        np.add.at(self.pixels, (self.truth.ravel(), self.found.ravel()), 1)
        self.objects = {i + 1: annotations[i] for i in range(len(annotations)) if self.pixels[i + 1].any()}
        self.detections = {i + 1: shown[i] for i in range(len(shown)) if self.pixels[:, i + 1].any()}

    def shared(self, of_object, of_detection):
        return int(self.pixels[of_object, of_detection])

    def area(self, kind, label):
        return int((self.pixels[label] if kind == 'truth' else self.pixels[:, label]).sum())


# ---- panopticapi's rule -------------------------------------------------------------------------

def add_panoptic(picture, tally):
    """pq_compute_single_core of panopticapi's evaluation.py as its paper and README describe it, without void."""
    matched_objects, matched_detections = set(), set()
    for g, thing in picture.objects.items():
        for d, result in picture.detections.items():
            if thing['iscrowd'] or thing['category_id'] != result['category_id']:
                continue
            shared = picture.shared(g, d)
            iou = shared / (picture.area('truth', g) + picture.area('found', d) - shared)
            if iou > 0.5:
                row = tally[thing['category_id']]
                row['tp'] += 1
                row['iou'] += iou
                matched_objects.add(g)
                matched_detections.add(d)
    for g, thing in picture.objects.items():
        if g not in matched_objects and not thing['iscrowd']:
            tally[thing['category_id']]['fn'] += 1
    for d, result in picture.detections.items():
        if d in matched_detections:
            continue
        crowd = sum(picture.shared(g, d) for g, thing in picture.objects.items()
                    if thing['iscrowd'] and thing['category_id'] == result['category_id'])
        if crowd / picture.area('found', d) > 0.5:
            continue
        tally[result['category_id']]['fp'] += 1


def panoptic(pictures, categories):
    tally = {c: dict(tp=0, fp=0, fn=0, iou=0.0) for c in categories}
    for picture in pictures:
        add_panoptic(picture, tally)
    classes, values = [], []
    for c in categories:
        row = tally[c]
        all_of_class = row['tp'] + row['fp'] / 2 + row['fn'] / 2
        if all_of_class == 0:
            classes.append(dict(pq=-1.0, sq=-1.0, rq=-1.0))
            continue
        own = dict(pq=row['iou'] / all_of_class, sq=row['iou'] / row['tp'] if row['tp'] else 0.0, rq=row['tp'] / all_of_class)
        classes.append(own)
        values.append(own)
    mean = {k: float(np.mean([v[k] for v in values])) if values else -1.0 for k in ('pq', 'sq', 'rq')}
    return dict(mean=mean, classes=classes)


# ---- stardist and AJI ---------------------------------------------------------------------------

def of_class(labels, things, category):
    kept = np.zeros_like(labels)
    wanted = [label for label, thing in things.items() if thing['category_id'] == category]
    for number, label in enumerate(wanted):
        kept[labels == label] = number + 1
    return kept


def f1(stardist, pictures, categories):
    """Sums over the images and classes of stardist's matching, at each threshold."""
    rows = [dict(tp=0, fp=0, fn=0) for _ in THRESHOLDS]
    for picture in pictures:
        for category in categories:
            found = stardist.matching(of_class(picture.truth, picture.objects, category), of_class(picture.found, picture.detections, category),
                                      thresh=tuple(THRESHOLDS))
            for row, stats in zip(rows, found):
                for key in row:
                    row[key] += int(getattr(stats, key))
    return rows


def jaccard(pictures):
    """AJI of Kumar et al. 2017, mean over images."""
    values = []
    for picture in pictures:
        shared_all, union_all, used = 0, 0, set()
        for g, thing in picture.objects.items():
            best, best_iou = None, 0.0
            for d, result in picture.detections.items():
                if thing['category_id'] != result['category_id']:
                    continue
                shared = picture.shared(g, d)
                iou = shared / (picture.area('truth', g) + picture.area('found', d) - shared)
                if iou > best_iou:
                    best, best_iou = d, iou
            if best is None:
                union_all += picture.area('truth', g)
                continue
            shared = picture.shared(g, best)
            shared_all += shared
            union_all += picture.area('truth', g) + picture.area('found', best) - shared
            used.add(best)
        union_all += sum(picture.area('found', d) for d in picture.detections if d not in used)
        if union_all:
            values.append(shared_all / union_all)
    return float(np.mean(values)) if values else -1.0


def counts(gt, results, threshold):
    differences, shares = [], []
    for image in gt['images']:
        objects = sum(1 for a in gt['annotations'] if a['image_id'] == image['id'] and not a['iscrowd'])
        found = sum(1 for r in results if r['image_id'] == image['id'] and r['score'] >= threshold)
        differences.append(found - objects)
        if objects:
            shares.append(abs(found - objects) / objects)
    return dict(mae=float(np.mean(np.abs(differences))), bias=float(np.mean(differences)), mape=float(np.mean(shares)) if shares else -1.0)


# ---- LVIS ---------------------------------------------------------------------------------------

def federated(rng, gt, with_frequency):
    """The set as LVIS': no crowds, some categories known to be absent, some not annotated exhaustively."""
    gt = json.loads(json.dumps(gt))
    ids = [c['id'] for c in gt['categories']]
    gt['annotations'] = [a for a in gt['annotations'] if not a['iscrowd']]
    for annotation in gt['annotations']:
        del annotation['iscrowd']
    for image in gt['images']:
        present = {a['category_id'] for a in gt['annotations'] if a['image_id'] == image['id']}
        absent = [c for c in ids if c not in present]
        image['neg_category_ids'] = [c for c in absent if rng.random() < 0.5]
        image['not_exhaustive_category_ids'] = [c for c in ids if rng.random() < 0.2]
        image['coco_url'] = 'http://images.cocodataset.org/val2017/' + image.pop('file_name')
    for category in gt['categories']:
        images = {a['image_id'] for a in gt['annotations'] if a['category_id'] == category['id']}
        category['image_count'] = len(images)
        category['frequency'] = str(rng.choice(['r', 'c', 'f'])) if with_frequency else ('r' if len(images) <= 10 else 'c' if len(images) <= 100 else 'f')
    return gt


def lvis_metrics(lvis, gt_path, dt_path, kind):
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = lvis.LVISEval(lvis.LVIS(gt_path), lvis.LVISResults(lvis.LVIS(gt_path), dt_path), kind)
        evaluation.run()
    names = {'AR@300': 'AR300', 'ARs@300': 'ARs', 'ARm@300': 'ARm', 'ARl@300': 'ARl'}
    return {names.get(name, name): float(value) for name, value in evaluation.get_results().items()}


def case(seed, out):
    stardist, lvis = load_stardist(), load_lvis()
    rng = np.random.default_rng(seed)
    classes = list(range(1, 2 + seed % 4)) if seed % 4 else [1]
    crowds = 0.3 if seed % 5 == 0 else 0.0
    gt, results = random_set(rng, 3, classes, 400 if seed % 25 == 3 else 10, crowds, 2, 1)
    gt['categories'].sort(key=lambda c: c['id'])
    threshold = [0.0, 0.3, 0.5][seed % 3]
    name = f'{out}/extra_{seed}'
    pictures = [Picture(image, [a for a in gt['annotations'] if a['image_id'] == image['id']],
                        [r for r in results if r['image_id'] == image['id']], threshold) for image in gt['images']]
    ids = [c['id'] for c in gt['categories']]
    made = dict(gt=dump(gt, f'{name}_gt.json'), dt=dump(results, f'{name}_dt.json'), threshold=threshold, pq=panoptic(pictures, ids),
                counts=counts(gt, results, threshold))
    if not crowds:
        made |= dict(f1=f1(stardist, pictures, ids), aji=jaccard(pictures))
    if results:
        lvis_gt = dump(federated(rng, gt, seed % 2), f'{name}_lvis_gt.json')
        made['lvis'] = dict(gt=lvis_gt, has_frequency=bool(seed % 2), bbox=lvis_metrics(lvis, lvis_gt, made['dt'], 'bbox'),
                            segm=lvis_metrics(lvis, lvis_gt, made['dt'], 'segm'))
    return made


if __name__ == '__main__':
    with multiprocessing.Pool() as pool:
        made = pool.starmap(case, [(seed, sys.argv[1]) for seed in range(SETS)], chunksize=4)
    dump(dict(cases=made), f'{sys.argv[1]}/extra.json')
