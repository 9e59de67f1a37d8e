"""The loader with dataset.cache: ram, from the second epoch on, beside the loader without, in turn: images/s and their ratio.

usage: data_cache.py PROGRAM ANNOTATIONS IMAGES [--threads 2] [--rounds 5]
PROGRAM is build/bin/data_loading. Sizes are those of configs/cpu_small.yaml and of Mask R-CNN, 800 x 1333.
"""
import argparse
import statistics
import subprocess

SIZES = {"CPU preset": (256, 512, 2, 300), "800 x 1333": (800, 1333, 2, 100)}


def rate(options, sizes, mode):
    min_size, max_size, batch, steps = sizes
    command = [options.program, options.annotations, options.images, min_size, max_size, batch, steps, options.threads, *mode]
    return float(subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("annotations")
    parser.add_argument("images")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for name, sizes in SIZES.items():
        plain, cached = [], []
        for _ in range(options.rounds):
            plain.append(rate(options, sizes, []))
            cached.append(rate(options, sizes, ["cached"]))
        ratios = [c / p for c, p in zip(cached, plain)]
        print(f"{name}: {statistics.median(plain):.0f} images/s, cached {statistics.median(cached):.0f}: "
              f"{statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


if __name__ == "__main__":
    main()
