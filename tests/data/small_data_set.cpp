#include "tests/data/small_data_set.h"

#include "engine/base/counter_hash.h"

namespace lockstep::tests {
namespace {

coco::Annotation annotation(std::int64_t id, std::int64_t image, std::int64_t category,
                            std::array<double, 4> box, coco::Segmentation segmentation) {
  coco::Annotation made;
  made.id = id;
  made.imageId = {image};
  made.categoryId = {category};
  made.boxXywh = box;
  made.area = box[2] * box[3];
  made.segmentation = std::move(segmentation);
  return made;
}

/// An ellipse of runs.
coco::Rle ellipse(int width, int height, double x, double y, double rx, double ry) {
  std::vector<std::uint8_t> mask;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const double dx = (column + 0.5 - x) / rx, dy = (row + 0.5 - y) / ry;
      mask.push_back(dx * dx + dy * dy < 1);
    }
  }
  return coco::encodeMask(mask.data(), height, width, width);
}

using Polygons = std::vector<std::vector<double>>;

}  // namespace

data::RgbImage noisePicture(int width, int height, std::uint64_t number) {
  data::RgbImage image(width, height);
  for (int i = 0; i < width * height * 3; ++i) {
    const std::uint64_t noise = base::counterHash({number, static_cast<std::uint64_t>(i)}) % 128;
    image.pixels[i] =
        static_cast<std::uint8_t>(noise + static_cast<std::uint64_t>(i / 3 % width * 127 / width));
  }
  return image;
}

coco::Dataset smallDataset() {
  std::vector<coco::Image> images{{{7}, "a.png", 97, 61},   {{2}, "b.png", 60, 100},
                                  {{11}, "c.png", 128, 64}, {{4}, "d.png", 80, 80},
                                  {{40}, "e.png", 30, 90},  {{41}, "f.png", 64, 48}};
  std::vector<coco::Category> categories{{{3}, "cat"}, {{18}, "dog"}};
  coco::Annotation crowd = annotation(4, 7, 3, {0, 0, 50, 50}, ellipse(97, 61, 25, 25, 25, 25));
  crowd.isCrowd = true;
  std::vector<coco::Annotation> annotations{
      annotation(1, 7, 18, {10.25, 5.5, 40.5, 30.25},
                 Polygons{{10.25, 5.5, 50.75, 9, 44, 35.75, 12, 30}}),
      annotation(2, 7, 3, {60, 20, 30, 40}, ellipse(97, 61, 75, 40, 15, 20)),
      annotation(3, 7, 3, {5, 5, 1, 30}, Polygons{{5, 5, 6, 5, 6, 35, 5, 35}}),
      crowd,
      annotation(5, 2, 18, {-4, 70, 30, 40},
                 Polygons{{-4, 70, 26, 72, 20, 110, 0, 99}, {2, 2, 20, 2, 11, 30}}),
      annotation(6, 11, 3, {0, 0, 128, 64}, ellipse(128, 64, 64, 32, 64, 32)),
      annotation(7, 4, 18, {30, 30, 20, 20}, Polygons{{30, 30, 50, 30, 50, 50, 30, 50}}),
      annotation(8, 40, 3, {3, 4, 20.5, 70}, Polygons{{3, 4, 23.5, 40, 10, 74}})};
  return coco::Dataset::fromParts(images, categories, annotations, "small.json");
}

void writePictures(const coco::Dataset& dataset, const std::filesystem::path& folder) {
  for (const coco::Image& image : dataset.images()) {
    data::writeImage(
        noisePicture(image.width, image.height, static_cast<std::uint64_t>(image.id.value)),
        folder / image.fileName);
  }
}

}  // namespace lockstep::tests
