"""Writes images with each EXIF orientation, and their pixels as Pillow displays them: 1.png … 8.tiff, and 1.png.ppm ….

usage: exif_images.py OUT
"""
import pathlib
import sys

import numpy
from PIL import Image, ImageOps

ORIENTATION = 0x0112


def main():
    out = pathlib.Path(sys.argv[1])
    random = numpy.random.default_rng(1)
    pixels = random.integers(0, 256, (5, 7, 3), dtype=numpy.uint8)
    profile = random.bytes(6000)  # before Exif, and more than the first 4 KiB
    stored = Image.fromarray(pixels)
    large = stored.resize((70, 50), Image.Resampling.NEAREST)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        stored.save(out / f"{orientation}.png", exif=exif)
        stored.save(out / f"{orientation}.profile.png", exif=exif, icc_profile=profile)
        stored.save(out / f"{orientation}.webp", exif=exif, lossless=True)
        large.save(out / f"{orientation}.jpg", exif=exif, quality=95)
        for compression in ("raw", "tiff_lzw"):
            stored.save(out / f"{orientation}.{compression}.tiff", tiffinfo={ORIENTATION: orientation}, compression=compression)
    for file in list(out.iterdir()):
        with Image.open(file) as image:
            ImageOps.exif_transpose(image).convert("RGB").save(f"{file}.ppm")


if __name__ == "__main__":
    main()
