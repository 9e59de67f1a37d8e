"""Our loader beside torchvision's: a COCO dataset, decoded, flipped, normalised, resized and batched with boxes and masks.
usage: data_loading.py PROGRAM ANNOTATIONS IMAGES [MIN_SIZE MAX_SIZE BATCH STEPS ROUNDS]
PROGRAM is build/bin/data_loading. Both use two threads or workers; rounds alternate. Prints images/s and the ratio."""
import contextlib
import io
import random
import statistics
import subprocess
import sys
import time

import numpy as np
import torch
from PIL import Image
from pycocotools.coco import COCO
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.transforms.functional import to_tensor

WORKERS = 2


class Images(torch.utils.data.Dataset):
    """torchvision's references: PIL, masks from pycocotools, flip, then the model's transform of one image."""

    def __init__(self, annotations, folder, min_size, max_size):
        with contextlib.redirect_stdout(io.StringIO()):
            self.coco = COCO(annotations)
        usable = {a["image_id"] for a in self.coco.anns.values() if self.usable(a)}
        self.ids, self.folder = sorted(usable), folder
        self.labels = {c: i + 1 for i, c in enumerate(sorted(self.coco.getCatIds()))}
        self.transform = GeneralizedRCNNTransform(min_size, max_size, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])

    @staticmethod
    def usable(annotation):
        return not annotation.get("iscrowd") and annotation["bbox"][2] > 1 and annotation["bbox"][3] > 1

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        info = self.coco.imgs[self.ids[index]]
        pixels = to_tensor(Image.open(f"{self.folder}/{info['file_name']}").convert("RGB"))
        annotations = [a for a in self.coco.loadAnns(self.coco.getAnnIds(info["id"])) if self.usable(a)]
        boxes = torch.tensor([a["bbox"] for a in annotations], dtype=torch.float32).reshape(-1, 4)
        boxes[:, 2:] += boxes[:, :2]
        masks = torch.from_numpy(np.stack([self.coco.annToMask(a) for a in annotations]))
        if random.random() < 0.5:
            width = pixels.shape[-1]
            pixels, masks = pixels.flip(-1), masks.flip(-1)
            boxes = torch.stack([width - boxes[:, 2], boxes[:, 1], width - boxes[:, 0], boxes[:, 3]], 1)
        labels = torch.tensor([self.labels[a["category_id"]] for a in annotations])
        return self.transform.resize(self.transform.normalize(pixels), {"boxes": boxes, "masks": masks, "labels": labels})


def torchvision_rate(images, batch, steps):
    def collate(samples):
        return images.transform.batch_images([pixels for pixels, _ in samples]), [target for _, target in samples]

    order = [i for _ in range(batch * steps // len(images) + 1) for i in random.sample(range(len(images)), len(images))]
    loader = torch.utils.data.DataLoader(images, batch_size=batch, sampler=order[:batch * steps], num_workers=WORKERS,
                                         collate_fn=collate)
    start = time.time()
    count = sum(batched.shape[0] for batched, _ in loader)
    return count / (time.time() - start)


def main():
    program, annotations, folder = sys.argv[1:4]
    numbers = [int(value) for value in sys.argv[4:]]
    min_size, max_size, batch, steps, rounds = numbers + [800, 1333, 2, 100, 3][len(numbers):]
    torch.set_num_threads(1)
    images = Images(annotations, folder, min_size, max_size)
    ours, theirs = [], []
    for _ in range(rounds):
        answer = subprocess.run([program, annotations, folder, *map(str, (min_size, max_size, batch, steps, WORKERS))],
                                check=True, capture_output=True, text=True)
        ours.append(float(answer.stdout))
        theirs.append(torchvision_rate(images, batch, steps))
        print(f"lockstep {ours[-1]:.1f} images/s   torchvision {theirs[-1]:.1f} images/s   {ours[-1] / theirs[-1]:.2f} times")
    print(f"median {statistics.median(a / b for a, b in zip(ours, theirs)):.2f} times")


main()
