"""Makes scenes in which the class `star` has one in N of the training objects. In the validation set it is as frequent as others.

usage: rare_class_scenes.py --engine build/bin/lockstep-engine --out DIR [--rare 50] [--train 200] [--val 60] [--seed 5]
DIR/experiment.yaml is the one of `dataset shapes`. Training images that have stars are left out, save a few: no star is unlabelled.
"""
import argparse
import json
import pathlib
import subprocess

RARE = "star"


def choose(dataset, images, share):
    """`images` images without the rare class, and as many with it as make its share of the objects."""
    rare = next(category["id"] for category in dataset["categories"] if category["name"] == RARE)
    by_image = {}
    for annotation in dataset["annotations"]:
        by_image.setdefault(annotation["image_id"], []).append(annotation)
    count = {key: sum(a["category_id"] == rare for a in objects) for key, objects in by_image.items()}
    chosen = [key for key, stars in count.items() if stars == 0][:images]
    if len(chosen) < images:
        raise SystemExit(f"only {len(chosen)} of {images} images have no {RARE}: generate more")
    objects, stars = sum(len(by_image[key]) for key in chosen), 0
    for key in sorted(set(count) - set(chosen), key=lambda key: (count[key] != 1, key)):
        if stars >= objects / share:
            break
        chosen.append(key)
        objects, stars = objects + len(by_image[key]), stars + count[key]
    kept = set(chosen)
    dataset["images"] = [image for image in dataset["images"] if image["id"] in kept]
    dataset["annotations"] = [annotation for annotation in dataset["annotations"] if annotation["image_id"] in kept]
    return objects, stars


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rare", type=float, default=50)
    parser.add_argument("--train", type=int, default=200)
    parser.add_argument("--val", type=int, default=60)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    subprocess.run([options.engine, "dataset", "shapes", "--out", options.out, "--train", str(10 * options.train), "--val",
                    str(options.val), "--seed", str(options.seed)], check=True, stderr=subprocess.DEVNULL)
    file = options.out / "annotations/instances_train.json"
    dataset = json.loads(file.read_text())
    objects, stars = choose(dataset, options.train, options.rare)
    file.write_text(json.dumps(dataset))
    print(f"{len(dataset['images'])} training images with {objects} objects, {stars} of them of the class {RARE}")


if __name__ == "__main__":
    main()
