"""What pycocotools makes of random masks, polygons and datasets, for tests/coco.

usage: coco_reference.py masks OUT.json
       coco_reference.py ap OUT_DIR [DATA_DIR]    DATA_DIR: real annotations, see `real_cases`
Writes its inputs beside its answers; all numbers read back to the same double.
"""
import contextlib
import hashlib
import io
import json
import multiprocessing
import os
import pathlib
import sys

import numpy as np
from pycocotools import mask as mask_api
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

sys.path += [os.path.dirname(os.path.abspath(__file__)), str(pathlib.Path(__file__).resolve().parents[1] / 'benchmarks')]
from coco_eval_beside_peers import make_set
from coco_small_sets import SmallSet, rle_of, runs_of


# ---- masks --------------------------------------------------------------------------------------

def described(rle):
    return dict(size=list(rle['size']), counts=runs_of(rle), text=rle['counts'].decode(),
                area=int(mask_api.area(rle)), bbox=[float(v) for v in mask_api.toBbox(rle)])


def random_polygon(rng, height, width):
    kind, points = int(rng.integers(8)), int(rng.integers(3, 14))
    xy = rng.uniform(0, 1, (points, 2)) * [width, height]
    if kind == 1:
        xy = xy * 1.6 - np.array([width, height]) * 0.3  # partly outside
    elif kind == 2:
        xy = np.round(xy)
    elif kind == 3:
        xy = np.round(xy * 2) / 2
    elif kind == 4:
        xy = np.repeat(xy, 2, axis=0)  # doubled points
    elif kind == 5:
        xy = xy[0] + rng.normal(0, 1, (points, 2))  # tiny
    elif kind == 6:
        xy = xy * 40 - np.array([width, height]) * 20  # mostly outside
    elif kind == 7:
        xy[:, int(rng.integers(2))] = float(rng.uniform(0, min(width, height)))  # a line
    return [float(v) for v in xy.flatten()]


def random_mask(rng, height, width):
    density = rng.choice([0.0, 0.02, 0.3, 0.5, 0.97, 1.0])
    mask = (rng.uniform(size=(height, width)) < density).astype(np.uint8)
    if rng.random() < 0.5:  # a blob, as real masks are
        y, x = np.mgrid[:height, :width]
        cy, cx = rng.uniform(0, height), rng.uniform(0, width)
        mask = ((y - cy) ** 2 + (x - cx) ** 2 < rng.uniform(1, max(height, width)) ** 2 / 4)
        mask = mask.astype(np.uint8)
    return mask


def mask_cases(rng):
    cases = []
    for i in range(220):
        if i % 20 == 0:
            height, width = 333, 501
        else:
            height, width = int(rng.integers(1, 90)), int(rng.integers(1, 150))
        masks = [random_mask(rng, height, width) for _ in range(3)]
        rles = [mask_api.encode(np.asfortranarray(m)) for m in masks]
        iou = [float(mask_api.iou([rles[0]], [rles[1]], [crowd])[0, 0]) for crowd in (0, 1)]
        cases.append(dict(height=height, width=width,
                          pixels=[[''.join(map(str, row)) for row in m.tolist()] for m in masks],
                          rles=[described(r) for r in rles], iou=iou,
                          union=described(mask_api.merge(rles)),
                          intersection=described(mask_api.merge(rles, intersect=True))))
    return cases


def polygon_cases(rng):
    cases = []
    for i in range(900):
        height, width = ((480, 640) if i % 10 == 0 else
                         (int(rng.integers(1, 60)), int(rng.integers(1, 60))))
        polygons = [random_polygon(rng, height, width) for _ in range(int(rng.integers(1, 4)))]
        rles = mask_api.frPyObjects(polygons, height, width)
        cases.append(dict(height=height, width=width, polygons=polygons,
                          rles=[r['counts'].decode() for r in rles],
                          union=mask_api.merge(rles)['counts'].decode()))
    return cases


def write_masks(path):
    rng = np.random.default_rng(11)
    with open(path, 'w') as file:
        json.dump(dict(masks=mask_cases(rng), polygons=polygon_cases(rng)), file)


# ---- average precision --------------------------------------------------------------------------

def outline(rng, cx, cy, r, width, height, points=12):
    angle = np.linspace(0, 2 * np.pi, points, endpoint=False)
    radius = r * rng.uniform(0.8, 1.2, points)
    x = np.clip(cx + radius * np.cos(angle), 0, width)
    y = np.clip(cy + radius * np.sin(angle), 0, height)
    return [round(float(v), 2) for pair in zip(x, y) for v in pair]


def segmentation_of(rng, polygons, rle, crowd):
    kind = rng.integers(3) if crowd else rng.choice([0, 0, 0, 1, 2])
    if kind == 0:
        return polygons
    if kind == 1:
        return dict(size=rle['size'], counts=runs_of(rle))
    return dict(size=rle['size'], counts=rle['counts'].decode())


def random_object(rng, width, height, classes):
    r = float(np.exp(rng.uniform(np.log(4), np.log(min(width, height) / 2))))
    return dict(c=int(rng.choice(classes)), cx=float(rng.uniform(0, width)),
                cy=float(rng.uniform(0, height)), r=r)


def annotate(rng, thing, image, annotation_id, crowd_share):
    width, height = image['width'], image['height']
    polygons = [outline(rng, thing['cx'], thing['cy'], thing['r'], width, height)]
    while rng.random() < 0.2:
        polygons.append(outline(rng, thing['cx'] + thing['r'], thing['cy'], thing['r'] / 2,
                                width, height))
    rle = rle_of(polygons, height, width)
    crowd = bool(rng.random() < crowd_share)
    area = float(mask_api.area(rle)) * float(rng.uniform(0.8, 1.2))  # COCO's areas are of polygons, not of RLE
    return dict(id=annotation_id, image_id=image['id'], category_id=thing['c'], area=area,
                bbox=[float(v) for v in mask_api.toBbox(rle)], iscrowd=int(crowd),
                segmentation=segmentation_of(rng, polygons, rle, crowd))


def detect(rng, things, image, classes, digits):
    width, height = image['width'], image['height']
    if things and rng.random() < 0.6:
        thing = dict(things[rng.integers(len(things))])
        thing['cx'] += rng.normal() * thing['r'] * 0.15
        thing['cy'] += rng.normal() * thing['r'] * 0.15
        thing['r'] *= float(np.exp(rng.normal() * 0.1))
        if rng.random() < 0.1:
            thing['c'] = int(rng.choice(classes))
    else:
        thing = random_object(rng, width, height, classes)
    rle = rle_of([outline(rng, thing['cx'], thing['cy'], thing['r'], width, height)], height, width)
    x, y, w, h = (float(v) for v in mask_api.toBbox(rle))
    jitter = rng.normal(0, 0.3, 2)
    return dict(image_id=image['id'], category_id=thing['c'],
                bbox=[x + jitter[0], y + jitter[1], w, h],
                score=round(float(rng.uniform()), digits),
                segmentation=dict(size=rle['size'], counts=rle['counts'].decode()))


def random_set(rng, images, classes, per_image, crowd_share, digits, first_id):
    used = classes[:-1] if len(classes) > 1 else classes  # the last class has no ground truth
    image_rows, annotations, results = [], [], []
    for image_id in rng.permutation(np.arange(images) * 3 + 2):
        image = dict(id=int(image_id), file_name=f'{image_id}.png', width=int(rng.integers(60, 260)),
                     height=int(rng.integers(60, 200)))
        image_rows.append(image)
        things = [random_object(rng, image['width'], image['height'], used)
                  for _ in range(int(rng.integers(0, 9)))]
        for thing in things:
            annotations.append(annotate(rng, thing, image, first_id + len(annotations), crowd_share))
        if rng.random() < 0.15:
            continue  # no results at all
        for _ in range(int(rng.integers(0, per_image + 1))):
            results.append(detect(rng, things, image, classes, digits))
    order = rng.permutation(len(results))
    gt = dict(images=image_rows, annotations=[annotations[i] for i in rng.permutation(len(annotations))],
              categories=[dict(id=int(c), name=f'class {c}') for c in rng.permutation(classes)])
    return gt, [results[i] for i in order]


def without(results, key):
    return [{k: v for k, v in result.items() if k != key} for result in results]


def digest(array):
    """Of all bits, row by row."""
    return hashlib.md5(np.ascontiguousarray(array, np.float64).tobytes()).hexdigest()


def evaluated(name, gt_path, dt_path, kind, image_ids=None, plain_gt_path=None):
    """pycocotools' results; for plain_gt_path where it does not support gt_path."""
    case = dict(name=name, gt=gt_path, dt=dt_path, type=kind, image_ids=image_ids or [])
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO(plain_gt_path or gt_path)
        try:
            found = gt.loadRes(dt_path)
        except AssertionError as error:
            return dict(case, refused=str(error))
        evaluation = COCOeval(gt, found, kind)
        if image_ids:
            evaluation.params.imgIds = image_ids
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    case['stats'] = [float(v) for v in evaluation.stats]
    case['classes'] = []
    for k, category in enumerate(evaluation.params.catIds):
        of_class = evaluation.eval['precision'][:, :, k, 0, 2]
        at_50 = of_class[0]
        case['classes'].append(dict(id=int(category),
                                    ap=float(np.mean(of_class[of_class > -1])) if (of_class > -1).any() else -1.0,
                                    ap50=float(np.mean(at_50[at_50 > -1])) if (at_50 > -1).any() else -1.0))
    for array in 'precision', 'recall', 'scores':
        case[array] = digest(evaluation.eval[array])
    return case


def mean_of(values):
    values = values[values > -1]
    return float(np.mean(values)) if len(values) else -1.0


def summary(evaluation):
    """The metrics from pycocotools' arrays, by the rule of its summarize(), which reads other values of maxDets wrongly."""
    params, precision, recall = evaluation.params, evaluation.eval['precision'], evaluation.eval['recall']
    areas, thresholds = range(1, len(params.areaRng)), np.asarray(params.iouThrs)
    of_size = [mean_of(precision[:, :, :, a, -1]) for a in areas]
    of_count = [mean_of(recall[:, :, 0, m]) for m in range(len(params.maxDets))]
    of_recall = [mean_of(recall[:, :, a, -1]) for a in areas]
    at = [mean_of(precision[np.where(thresholds == iou)[0], :, :, 0, -1]) for iou in (.5, .75)]
    return [mean_of(precision[:, :, :, 0, -1]), *at, *of_size, *of_count, *of_recall]


def evaluated_with(name, gt_path, dt_path, kind, settings):
    """With other parameters than COCO's: max_dets, areas [[name, low, high]], iou_thresholds, categories, class_agnostic."""
    case = dict(name=name, gt=gt_path, dt=dt_path, type=kind, settings=settings)
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO(gt_path)
        evaluation = COCOeval(gt, gt.loadRes(dt_path), kind)
        params = evaluation.params
        params.maxDets = settings.get('max_dets', params.maxDets)
        params.iouThrs = np.array(settings['iou_thresholds']) if 'iou_thresholds' in settings else params.iouThrs
        if 'areas' in settings:
            params.areaRng = [[0, 1e10], *([low, high] for _, low, high in settings['areas'])]
            params.areaRngLbl = ['all', *(label for label, _, _ in settings['areas'])]
        params.catIds = settings.get('categories', params.catIds)
        params.useCats = 0 if settings.get('class_agnostic') else 1
        evaluation.evaluate()
        evaluation.accumulate()
    case['stats'] = summary(evaluation)
    for array in 'precision', 'recall', 'scores':
        case[array] = digest(evaluation.eval[array])
    return case


def dump(value, path):
    with open(path, 'w') as file:
        json.dump(value, file)
    return path


def random_calls(out):
    settings = dict(  # images, classes, results per image, share of crowds, digits of scores, first id
        plain=(24, [1, 2, 3], 12, 0.0, 6, 1),
        crowds=(30, [3, 5, 9, 12], 20, 0.3, 3, 1),
        ties=(40, [7, 1], 15, 0.1, 1, 100),
        many_results=(6, [1, 2], 500, 0.1, 2, 1),
        one_class=(10, [4], 6, 0.05, 4, 1),
        id_zero=(12, [1, 2], 10, 0.1, 2, 0),
        many_classes=(40, list(range(1, 60)), 25, 0.05, 4, 1),
    )
    calls = []
    for seed, (name, setting) in enumerate(settings.items()):
        rng = np.random.default_rng(seed)
        gt, results = random_set(rng, *setting)
        gt_path = dump(gt, f'{out}/{name}_gt.json')
        both = dump(results, f'{out}/{name}_both.json')
        boxes = dump(without(results, 'segmentation'), f'{out}/{name}_boxes.json')
        masks = dump(without(results, 'bbox'), f'{out}/{name}_masks.json')
        ids = sorted(image['id'] for image in gt['images'])
        for dt, kind in [(both, 'bbox'), (both, 'segm'), (boxes, 'bbox'), (boxes, 'segm'),
                         (masks, 'bbox'), (masks, 'segm')]:
            label = os.path.basename(dt).removesuffix('.json')
            calls.append((f'{label} {kind}', gt_path, dt, kind))
        calls.append((f'{name} subset', gt_path, both, 'segm', ids[::2]))
    return calls


def perturbed(rng, gt_path):
    """Results made from the ground truth: dropped, duplicated, shifted, of another class."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(gt_path)
    classes = coco.getCatIds()
    results = []
    for annotation in coco.dataset['annotations']:
        mask = coco.annToMask(annotation)
        for _ in range(int(rng.integers(0, 3))):
            moved = np.roll(mask, tuple(int(v) for v in rng.integers(-4, 5, 2)), axis=(0, 1))
            rle = mask_api.encode(np.asfortranarray(moved))
            category = int(rng.choice(classes)) if rng.random() < 0.1 else annotation['category_id']
            results.append(dict(image_id=annotation['image_id'], category_id=category,
                                score=round(float(rng.uniform()), 2),
                                bbox=[float(v) for v in mask_api.toBbox(rle)],
                                segmentation=dict(size=rle['size'], counts=rle['counts'].decode())))
    return results


def real_calls(out, data):
    calls = []
    gt = f'{data}/coco-eval/instances_val2014_100.json'
    if os.path.exists(gt):
        boxes = f'{data}/coco-eval/instances_val2014_fakebbox100_results.json'
        masks = f'{data}/coco-eval/instances_val2014_fakesegm100_results.json'
        for dt, kind in [(boxes, 'bbox'), (masks, 'segm'), (masks, 'bbox'), (boxes, 'segm')]:
            calls.append((f'real {os.path.basename(dt)} {kind}', gt, dt, kind))
    for name, gt in [('droplets', f'{data}/droplets/annotations/instances_val.json'),
                     ('coco-tiny', f'{data}/coco-tiny/annotations/instances_val2017.json')]:
        if not os.path.exists(gt):
            continue
        results = perturbed(np.random.default_rng(5), gt)
        dt = dump(results, f'{out}/{name}.json')
        masks = dump(without(results, 'bbox'), f'{out}/{name}_masks.json')
        calls += [(f'{name} bbox', gt, dt, 'bbox'), (f'{name} segm', gt, masks, 'segm')]
    return calls


def timed_calls(out):
    """Datasets like those of the benchmark, of several sizes."""
    calls = []
    for images, detections, classes in (30, 100, 80), (6, 450, 2), (80, 8, 12), (1, 1000, 1):
        folder = pathlib.Path(out) / f'timed_{images}x{detections}x{classes}'
        make_set(folder, images, detections, classes)
        calls += [(f'{folder.name} {kind}', str(folder / 'gt.json'), str(folder / f'{kind}.json'), kind) for kind in ('bbox', 'segm')]
    return calls


def small_calls(out, count=200):
    calls = []
    for seed in range(count):
        made, name = SmallSet(seed), f'{out}/small_{seed}'
        gt, plain = dump(made.gt(), f'{name}_gt.json'), dump(made.plain_gt(), f'{name}_plain_gt.json')
        results = [made.results, without(made.results, 'segmentation'), without(made.results, 'bbox')][seed % 3]
        dt = dump(results, f'{name}_dt.json')
        calls += [(f'small {seed} {kind}', gt, dt, kind, None, plain) for kind in ('bbox', 'segm')]
        if seed % 40 == 7:
            unknown = dump(made.with_an_unknown_image(), f'{name}_unknown.json')
            calls.append((f'small {seed} unknown', gt, unknown, 'bbox', None, plain))
    return calls


def dense_set(rng, objects, detections, classes):
    """One image full of small objects, some of them crowds, and detections with many equal scores."""
    side = int(np.ceil(np.sqrt(objects)))
    size = 14 * side
    categories = rng.integers(1, classes + 1, objects)

    def square(place, shift):
        x, y = 14 * (place % side) + 2 + shift[0], 14 * (place // side) + 2 + shift[1]
        return [float(v) for v in (x, y, x + 10, y, x + 10, y + 10, x, y + 10)]

    annotations, results = [], []
    for i in range(objects):
        polygon = square(i, (0, 0))
        annotations.append(dict(id=i + 1, image_id=1, category_id=int(categories[i]), area=100.0, bbox=[polygon[0], polygon[1], 10.0, 10.0],
                                iscrowd=int(rng.random() < 0.03), segmentation=[polygon]))
    for _ in range(detections):
        place = int(rng.integers(objects))
        polygon = square(place, np.round(rng.normal(0, 1.5, 2), 1))
        category = int(categories[place]) if rng.random() < 0.9 else int(rng.integers(1, classes + 1))
        rle = rle_of([polygon], size, size)
        results.append(dict(image_id=1, category_id=category, score=round(float(rng.uniform()), 2), bbox=[polygon[0], polygon[1], 10.0, 10.0],
                            segmentation=dict(size=rle['size'], counts=rle['counts'].decode())))
    gt = dict(images=[dict(id=1, file_name='1.png', width=size, height=size)], annotations=annotations,
              categories=[dict(id=c, name=f'class {c}') for c in range(1, classes + 1)])
    return gt, results


def settings_calls(out):
    """Other parameters than COCO's."""
    few = dict(iou_thresholds=[0.5, 0.75], areas=[['small', 0, 1024]])  # pycocotools takes a minute for all
    calls = []
    for objects, detections, classes in (1500, 300, 3), (1500, 3000, 2):
        gt, results = dense_set(np.random.default_rng(detections), objects, detections, classes)
        name = f'{out}/dense_{detections}'
        gt, dt = dump(gt, f'{name}_gt.json'), dump(results, f'{name}_dt.json')
        for settings in [dict(max_dets=[1, 10, 100]), dict(max_dets=[10, 250, 600]), dict(few, max_dets=[1, 100, 3000]),
                         dict(few, max_dets=[100, 1000, 1500], class_agnostic=True)]:
            calls += [(f'dense {detections} {kind} {settings}', gt, dt, kind, settings) for kind in ('bbox', 'segm')]
    gt, dt = f'{out}/many_results_gt.json', f'{out}/many_results_both.json'  # of random_calls
    classes_gt, classes_dt = f'{out}/crowds_gt.json', f'{out}/crowds_both.json'
    tiny = [['tiny', 0, 64], ['small', 64, 1024], ['medium', 1024, 9216], ['large', 9216, 1e10], ['huge', 40000, 1e10]]
    for kind in 'bbox', 'segm':
        for settings in [dict(max_dets=[1, 5, 7]), dict(max_dets=[5, 20, 400]), dict(areas=tiny), dict(areas=[['any', 0, 1e5]]), dict(class_agnostic=True),
                         dict(iou_thresholds=[0.1, 0.3, 0.5]), dict(iou_thresholds=[0.6, 0.75, 1.0]), dict(iou_thresholds=[0.55])]:
            calls.append((f'many results {kind} {settings}', gt, dt, kind, settings))
        for settings in [dict(categories=[3, 9]), dict(categories=[5]), dict(categories=[5, 12], class_agnostic=True),
                         dict(class_agnostic=True, areas=tiny, max_dets=[2, 4, 8])]:
            calls.append((f'crowds {kind} {settings}', classes_gt, classes_dt, kind, settings))
    return calls


def mean_cases():
    rng = np.random.default_rng(3)
    cases = []
    for size in [1, 2, 7, 8, 9, 15, 16, 100, 127, 128, 129, 135, 136, 137, 255, 257, 1000, 1010, 9999]:
        values = rng.uniform(0, 1, size)
        cases.append(dict(values=values.tolist(), mean=float(np.mean(values))))
    return cases


def write_ap(out, data):
    calls = random_calls(out) + timed_calls(out) + small_calls(out) + (real_calls(out, data) if data else [])
    with multiprocessing.Pool() as pool:
        cases = pool.starmap(evaluated, calls, chunksize=4)
        settings = pool.starmap(evaluated_with, settings_calls(out), chunksize=1)
    dump(dict(cases=cases, settings=settings, means=mean_cases(), iou=np.linspace(.5, .95, 10).tolist(),
              recall=np.linspace(0, 1, 101).tolist()), f'{out}/expected.json')


if __name__ == '__main__':
    if sys.argv[1] == 'masks':
        write_masks(sys.argv[2])
    else:
        write_ap(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
