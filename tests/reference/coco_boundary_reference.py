"""AP by boundary IoU of datasets, for tests/coco: pycocotools' with boundaries made of pixels, and faster-coco-eval's.

usage: coco_boundary_reference.py OUT_DIR [DATA_DIR]    DATA_DIR: as coco_reference.py has it
Writes the datasets and results beside OUT_DIR/expected.json; all numbers read back to the same double. `faster` is null where
there is no faster-coco-eval. It adds up in another order, so its last digits differ. Images are higher than twice a boundary's
depth: in lower ones faster-coco-eval 1.8 finds an inside that is not there.
"""
import contextlib
import io
import multiprocessing
import os
import sys

import numpy as np
from pycocotools import mask as mask_api
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import coco_reference as made

try:
    import faster_coco_eval
except ImportError:
    faster_coco_eval = None


def boundary_of(rle):
    """The pixels whose square of 2 d + 1 px around them is not all inside; outside the image is outside the mask."""
    pixels = mask_api.decode(rle)
    depth = max(1, round(0.02 * float(np.sqrt(pixels.shape[0] ** 2 + pixels.shape[1] ** 2))))
    x, y, width, height = (int(v) for v in mask_api.toBbox(rle))
    mask = pixels[y:y + height, x:x + width]
    sums = np.zeros((height + 2 * depth + 1, width + 2 * depth + 1), np.int32)  # over all above and left
    sums[1:, 1:] = np.pad(mask.astype(np.int32), depth).cumsum(0).cumsum(1)
    side = 2 * depth + 1
    inside = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side] == side * side
    mask[inside] = 0
    return mask_api.encode(np.asfortranarray(pixels))


class BoundaryEval(COCOeval):
    """Its annotations' masks are runs by the time that IoUs are asked for."""

    def computeIoU(self, image_id, category_id):
        ious = super().computeIoU(image_id, category_id)
        gt, found = self._gts[image_id, category_id], self._dts[image_id, category_id]
        if not gt or not found:
            return ious
        order = np.argsort([-d['score'] for d in found], kind='mergesort')[:self.params.maxDets[-1]]
        crowd = [int(g['iscrowd']) for g in gt]
        of_boundaries = mask_api.iou([boundary_of(found[i]['segmentation']) for i in order],
                                     [boundary_of(g['segmentation']) for g in gt], crowd)
        return np.where(np.array(crowd, bool), ious, np.minimum(ious, of_boundaries))


def figures(gt, results, image_ids, make):
    evaluation = make(gt, gt.loadRes(results))
    if image_ids:
        evaluation.params.imgIds = image_ids
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    return [float(v) for v in evaluation.stats[:12]]


def evaluated(name, gt_path, dt_path, image_ids=None):
    with contextlib.redirect_stdout(io.StringIO()):
        stats = figures(COCO(gt_path), dt_path, image_ids, lambda gt, dt: BoundaryEval(gt, dt, 'segm'))
        faster = faster_coco_eval and figures(faster_coco_eval.COCO(gt_path), dt_path, image_ids,
                                              lambda gt, dt: faster_coco_eval.COCOeval_faster(gt, dt, 'boundary'))
    return dict(name=name, gt=gt_path, dt=dt_path, image_ids=image_ids or [], stats=stats, faster=faster)


def made_calls(out):
    settings = dict(  # images, classes, results per image, share of crowds, digits of scores, first id
        plain=(24, [1, 2, 3], 12, 0.0, 6, 1),
        crowds=(30, [3, 5, 9, 12], 20, 0.3, 3, 1),
        ties=(40, [7, 1], 15, 0.1, 1, 100),
    )
    calls = []
    for seed, (name, setting) in enumerate(settings.items()):
        gt, results = made.random_set(np.random.default_rng(100 + seed), *setting)
        gt_path = made.dump(gt, f'{out}/{name}_gt.json')
        both = made.dump(results, f'{out}/{name}_both.json')
        boxes = made.dump(made.without(results, 'segmentation'), f'{out}/{name}_boxes.json')
        masks = made.dump(made.without(results, 'bbox'), f'{out}/{name}_masks.json')
        ids = sorted(image['id'] for image in gt['images'])
        calls += [(f'{name} both', gt_path, both), (f'{name} boxes', gt_path, boxes), (f'{name} masks', gt_path, masks),
                  (f'{name} subset', gt_path, both, ids[::2])]
    return calls


def real_calls(out, data):
    calls = []
    gt = f'{data}/coco-eval/instances_val2014_100.json'
    if os.path.exists(gt):
        calls.append(('coco-eval', gt, f'{data}/coco-eval/instances_val2014_fakesegm100_results.json'))
    gt = f'{data}/droplets/annotations/instances_val.json'
    if os.path.exists(gt):
        results = made.dump(made.perturbed(np.random.default_rng(6), gt), f'{out}/droplets.json')
        calls.append(('droplets', gt, results))
    return calls


if __name__ == '__main__':
    folder = sys.argv[1]
    calls = made_calls(folder) + (real_calls(folder, sys.argv[2]) if len(sys.argv) > 2 else [])
    with multiprocessing.Pool() as pool:
        made.dump(pool.starmap(evaluated, reversed(calls), chunksize=1), f'{folder}/expected.json')  # the long ones first
