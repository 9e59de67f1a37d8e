"""Slow and plain: matches, operating points, curves, TIDE's errors and weighted AP from their
definitions, for tests/coco. Of pycocotools only the masks' IoU is used.

usage: coco_analysis_reference.py OUT_DIR
Writes made datasets and expected.json; all numbers read back to the same double.
"""
import json
import os
import sys

import numpy as np
from pycocotools import mask as mask_api

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from coco_reference import dump, random_set  # makes the data alone

RECALLS = np.linspace(0, 1, 101)
SIZES = dict(all=(0, 1e10), small=(0, 1024), medium=(1024, 9216), large=(9216, 1e10))


# ---- what stands on an image --------------------------------------------------------------------

def as_rle(segmentation, height, width):
    if isinstance(segmentation, list):
        return mask_api.merge(mask_api.frPyObjects(segmentation, height, width))
    if isinstance(segmentation['counts'], list):
        return mask_api.frPyObjects(segmentation, height, width)
    return segmentation


def load(gt, results, kind):
    """One dict for each image by id: objs, dets (ranked, at most 100 a class), iou[det][obj]."""
    images = []
    for image in sorted(gt['images'], key=lambda i: i['id']):
        objs = [a for a in gt['annotations'] if a['image_id'] == image['id']]
        dets = [dict(d, area=d['bbox'][2] * d['bbox'][3]) for d in results
                if d['image_id'] == image['id']]
        dets.sort(key=lambda d: -d['score'])
        dets = [d for i, d in enumerate(dets)
                if sum(e['category_id'] == d['category_id'] for e in dets[:i]) < 100]
        size = image['height'], image['width']
        region = ((lambda a: a['bbox']) if kind == 'bbox' else
                  (lambda a: as_rle(a['segmentation'], *size)))
        iou = np.zeros((len(dets), len(objs)))
        if dets and objs:
            iou = mask_api.iou([region(d) for d in dets], [region(o) for o in objs],
                               [o['iscrowd'] for o in objs])
        images.append(dict(id=image['id'], objs=objs, dets=dets, iou=iou))
    return images


def outside(area, size):
    return area < SIZES[size][0] or area > SIZES[size][1]


def match(image, threshold, score=-1e9, size='all'):
    """[(verdict, index of the object or None)] of the detections, {object: detection or None}."""
    objs, dets, iou = image['objs'], image['dets'], image['iou']
    counts = [not o['iscrowd'] and not outside(o['area'], size) for o in objs]
    found = {g: None for g in range(len(objs)) if counts[g]}
    taken, verdicts = set(), []
    for d, det in enumerate(dets):
        if det['score'] < score:
            break
        able = [g for g, o in enumerate(objs)
                if o['category_id'] == det['category_id'] and iou[d][g] > 0
                and iou[d][g] >= min(threshold, 1 - 1e-10) and (g not in taken or o['iscrowd'])]
        able = [g for g in able if counts[g]] or able
        alone = 'ignored' if outside(det['area'], size) else 'fp'
        if not able:
            verdicts.append((alone, None))
            continue
        best = max(able, key=lambda g: (iou[d][g], g))
        taken.add(best)
        if not counts[best]:
            verdicts.append(('ignored', best))
        else:
            verdicts.append(('tp', best))
            found[best] = d
    return verdicts, found


# ---- operating point ----------------------------------------------------------------------------

def tally(images, matches, wanted=lambda image, category: True):
    tp = fp = fn = 0
    for i, (image, (verdicts, found)) in enumerate(zip(images, matches)):
        for det, (verdict, _) in zip(image['dets'], verdicts):
            if wanted(i, det['category_id']):
                tp += verdict == 'tp'
                fp += verdict == 'fp'
        fn += sum(d is None for g, d in found.items() if wanted(i, image['objs'][g]['category_id']))
    return [tp, fp, fn]


def confusion(images, matches, categories, threshold):
    row = {c: k for k, c in enumerate(categories)}
    none = len(categories)
    cells = np.zeros((none + 1, none + 1), int)
    for image, (verdicts, found) in zip(images, matches):
        left = [g for g, d in found.items() if d is None]
        for d, (verdict, g) in enumerate(verdicts):
            own = image['dets'][d]['category_id']
            if verdict == 'tp':
                cells[row[own], row[own]] += 1
            if verdict != 'fp':
                continue
            able = [g for g in left if image['objs'][g]['category_id'] != own
                    and image['iou'][d][g] >= min(threshold, 1 - 1e-10)]
            if able:
                best = max(able, key=lambda g: (image['iou'][d][g], g))
                left.remove(best)
                cells[row[image['objs'][best]['category_id']], row[own]] += 1
            else:
                cells[none, row[own]] += 1
        for g in left:
            cells[row[image['objs'][g]['category_id']], none] += 1
    return cells.tolist()


def operating_point(images, categories, score, threshold):
    matches = [match(image, threshold, score) for image in images]
    return dict(
        score=score, iou=threshold, all=tally(images, matches),
        classes=[tally(images, matches, lambda i, c: c == category) for category in categories],
        images=[tally(images, matches, lambda i, c: i == index) for index in range(len(images))],
        sizes=[tally(images, [match(image, threshold, score, size) for image in images])
               for size in SIZES],
        confusion=confusion(images, matches, categories, threshold))


# ---- curves -------------------------------------------------------------------------------------

def precision_at_recalls(hits, objects):
    """hits: whether each ranked detection that is not ignored is a true positive."""
    hits = np.asarray(hits, bool)
    right = np.cumsum(hits)
    precision = right / np.arange(1, len(hits) + 1)
    return [float(max(precision[right / objects >= recall], default=0.0)) for recall in RECALLS]


def ranked(images, matches, category):
    """(score, is true positive, index of the image) of a class or, with None, of all, by falling score."""
    rows = []
    categories = sorted({d['category_id'] for image in images for d in image['dets']})
    for c in [category] if category is not None else categories:
        for i, (image, (verdicts, _)) in enumerate(zip(images, matches)):
            rows += [(det['score'], verdict == 'tp', i)
                     for det, (verdict, _) in zip(image['dets'], verdicts)
                     if verdict != 'ignored' and det['category_id'] == c]
    return sorted(rows, key=lambda r: -r[0])


def objects_of(images, matches, category=None):
    return sum(category is None or image['objs'][g]['category_id'] == category
               for image, (_, found) in zip(images, matches) for g in found)


def curve(images, matches, category):
    objects, rows = objects_of(images, matches, category), ranked(images, matches, category)
    if objects == 0:
        return dict(precision=[-1] * 101, ap=-1, points=[], f1=-1, f1_score=0)
    points, best, before = [], (0, 0), 0
    for score in sorted({r[0] for r in rows}, reverse=True):
        at = [r[1] for r in rows if r[0] >= score]
        tp, fp, fn = sum(at), len(at) - sum(at), objects - sum(at)
        if tp > before:
            points.append([score, tp / (tp + fp), tp / objects])
        before = tp
        best = max(best, (2 * tp / (2 * tp + fp + fn), score))
    precision = precision_at_recalls([r[1] for r in rows], objects)
    return dict(precision=precision, ap=float(np.mean(precision)), points=points,
                f1=best[0], f1_score=best[1] if best[0] > 0 else 0)


def curves(images, categories, threshold):
    matches = [match(image, threshold) for image in images]
    classes = [curve(images, matches, c) for c in categories]
    known = [c for c in classes if c['ap'] >= 0]
    return dict(iou=threshold, classes=classes, pooled=curve(images, matches, None),
                mean=np.mean([c['precision'] for c in known], axis=0).tolist(),
                ap=float(np.mean([c['ap'] for c in known])))


# ---- TIDE ---------------------------------------------------------------------------------------

TYPES = ['classification', 'localisation', 'both', 'duplicate', 'background', 'missed']


def classify(image, verdicts, found, foreground, background):
    """[(detection, type, object it is assigned to or None)]"""
    errors = []
    for d, (verdict, _) in enumerate(verdicts):
        if verdict != 'fp':
            continue
        own = {g: image['iou'][d][g] for g in found
               if image['objs'][g]['category_id'] == image['dets'][d]['category_id']}
        other = {g: image['iou'][d][g] for g in found if g not in own}
        best_own, best_other = max(own, key=own.get, default=None), max(other, key=other.get, default=None)
        if own and background <= own[best_own] < foreground:
            errors.append((d, 'localisation', best_own))
        elif other and other[best_other] >= foreground:
            errors.append((d, 'classification', best_other))
        elif own and own[best_own] >= foreground:
            errors.append((d, 'duplicate', None))
        elif max([*own.values(), *other.values()], default=0) <= background:
            errors.append((d, 'background', None))
        else:
            errors.append((d, 'both', None))
    return errors


def fixed_ap(images, matches, errors, categories, fix):
    aps = []
    lists, objects = {c: [] for c in categories}, {c: 0 for c in categories}
    for image, (verdicts, found), image_errors in zip(images, matches, errors):
        by_detection = {d: (kind, g) for d, kind, g in image_errors}
        standing = {}  # object -> the first detection of all that stand for it
        for d, _, g in image_errors:
            if g is not None and found[g] is None:
                standing.setdefault(g, d)
        for d, (verdict, _) in enumerate(verdicts):
            category, score = image['dets'][d]['category_id'], image['dets'][d]['score']
            if verdict == 'tp':
                lists[category].append((score, True))
            if verdict != 'fp' or fix == 'false positives':
                continue
            kind, g = by_detection[d]
            if kind != fix:
                lists[category].append((score, False))
            elif g is not None and standing.get(g) == d:
                lists[image['objs'][g]['category_id']].append((score, True))
        for g, d in found.items():
            gone = d is None and (fix == 'false negatives' or
                                  (fix == 'missed' and g not in standing))
            objects[image['objs'][g]['category_id']] += not gone
    for c in categories:
        if objects[c] > 0:
            hits = [hit for _, hit in sorted(lists[c], key=lambda r: -r[0])]
            aps.append(np.mean(precision_at_recalls(hits, objects[c])))
    return float(np.mean(aps))


def tide(images, categories, foreground, background):
    matches = [match(image, foreground) for image in images]
    errors = [classify(image, *m, foreground, background) for image, m in zip(images, matches)]
    counts = {kind: sum(k == kind for e in errors for _, k, _ in e) for kind in TYPES}
    negatives = [{g for g, d in found.items() if d is None} for _, found in matches]
    counts['missed'] = sum(len(n - {g for _, _, g in e}) for n, e in zip(negatives, errors))
    counts['false positives'] = sum(len(e) for e in errors)
    counts['false negatives'] = sum(len(n) for n in negatives)
    ap = fixed_ap(images, matches, errors, categories, None)
    costs = {kind: max(fixed_ap(images, matches, errors, categories, kind) - ap, 0)
             for kind in counts}
    return dict(iou=foreground, background=background, ap=ap, counts=counts, costs=costs)


# ---- weighted AP --------------------------------------------------------------------------------

def weighted_ap(images, categories, weights):
    """Every image weights[i] times, the copies of a detection adjacent."""
    aps = np.full((10, len(categories)), -1.0)
    for t, threshold in enumerate(np.linspace(.5, .95, 10)):
        matches = [match(image, threshold) for image in images]
        for k, category in enumerate(categories):
            objects = sum(w * objects_of([i], [m], category)
                          for i, m, w in zip(images, matches, weights))
            if objects:
                hits = [hit for _, hit, i in ranked(images, matches, category)
                        for _ in range(weights[i])]
                aps[t, k] = np.mean(precision_at_recalls(hits, objects))
    return [float(aps[aps >= 0].mean()), float(aps[0][aps[0] >= 0].mean())]


# ---- cases --------------------------------------------------------------------------------------

def case(out, name, kind, setting, seed):
    rng = np.random.default_rng(seed)
    gt, results = random_set(rng, *setting)
    categories = sorted(c['id'] for c in gt['categories'])
    images = load(gt, results, kind)
    points = [(0, .5), (.3, .5), (.5, .75), (.8, .31), (0, .1), (0, 1.0), (2, .5)]
    weights = [rng.multinomial(len(images), np.full(len(images), 1 / len(images))).tolist()
               for _ in range(4)]
    return dict(name=f'{name} {kind}', type=kind, gt=dump(gt, f'{out}/{name}_{kind}_gt.json'),
                dt=dump(results, f'{out}/{name}_{kind}_dt.json'),
                points=[operating_point(images, categories, *p) for p in points],
                curves=[curves(images, categories, t) for t in (.5, .62, .9)],
                tide=[tide(images, categories, *t) for t in ((.5, .1), (.75, .2))],
                weighted=[dict(weights=w, ap=weighted_ap(images, categories, w)) for w in weights])


def write_cases(out):
    settings = dict(  # images, classes, results per image, share of crowds, digits of scores, first id
        crowds=(16, [3, 5, 9, 12], 20, 0.3, 3, 1),
        ties=(20, [7, 1], 15, 0.1, 1, 100),
        many_results=(3, [1, 2], 420, 0.1, 2, 1),
        id_zero=(8, [1, 2, 3], 10, 0.1, 2, 0))
    cases = [case(out, name, kind, setting, seed) for seed, (name, setting)
             in enumerate(settings.items(), 70) for kind in ('bbox', 'segm')]
    dump(dict(cases=cases), f'{out}/expected.json')


if __name__ == '__main__':
    write_cases(sys.argv[1])
