#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addParts(FieldTable& table) {
  SectionRows train(
      table, "dataset.train", "The part to learn from.",
      [](auto& e) -> auto& { return e.dataset.train; });
  train.path("images", &DatasetPart::images, "Folder of the training images.");
  train.path("annotations", &DatasetPart::annotations,
             "Annotations of the training images: a COCO instances file.");

  SectionRows val(
      table, "dataset.val", "The held-out part, never learnt from.",
      [](auto& e) -> auto& { return e.dataset.val; });
  val.path("images", &DatasetPart::images, "Folder of the held-out images.");
  val.path("annotations", &DatasetPart::annotations,
           "Annotations of the held-out images: a COCO instances file.");
}

void addAugmentFields(FieldTable& table) {
  SectionRows augment(
      table, "augment", "Size of images and random changes to training images.",
      [](auto& e) -> auto& { return e.augment; });
  augment.integers(
      "min_size", &AugmentConfig::minSize, between(1, 16384), "px",
      "Shortest side after resizing; training draws one per image, evaluation uses the last.");
  augment.integer("max_size", &AugmentConfig::maxSize, between(1, 16384), "px",
                  "Longest side after resizing; it limits min_size.");
  augment.number("horizontal_flip", &AugmentConfig::horizontalFlip, between(0, 1), "",
                 "Probability that a training image is mirrored left to right.");
  augment.number("vertical_flip", &AugmentConfig::verticalFlip, between(0, 1), "",
                 "Probability that a training image is mirrored top to bottom.");
  augment.number("brightness", &AugmentConfig::brightness, between(0, 1), "",
                 "Brightness is multiplied by 1 ± up to this; 0: off.");
  augment.number("contrast", &AugmentConfig::contrast, between(0, 1), "",
                 "Contrast is multiplied by 1 ± up to this; 0: off.");
  augment.number("saturation", &AugmentConfig::saturation, between(0, 1), "",
                 "Saturation is multiplied by 1 ± up to this; 0: off.");
  Field& jitter = augment.numbers("scale_jitter", &AugmentConfig::scaleJitter, above(0), "",
                                  "Least and most factor on the size of a training image.");
  jitter.listSize = 2;
  jitter.isBuilt = false;
  augment
      .number("crop", &AugmentConfig::crop, between(0, 1), "",
              "Smallest kept fraction of a side in random crops; 0: off.")
      .isBuilt = false;
  augment
      .number("copy_paste", &AugmentConfig::copyPaste, between(0, 1), "",
              "Probability that instances of another image are pasted in.")
      .isBuilt = false;
  augment.choice("pad_to", &AugmentConfig::padTo, {"batch", "canonical"},
                 "What training images are padded to: the largest of their batch, or the smallest "
                 "of a few sizes, one for each orientation and min_size, so that "
                 "runtime.cuda_graphs repeats what it recorded.");
}

void addTileFields(FieldTable& table) {
  SectionRows tiles(
      table, "dataset.tiles", "Large images in parts.",
      [](auto& e) -> auto& { return e.dataset.tiles; });
  tiles
      .integer("size", &TilesConfig::sizePx, between(0, 16384), "px",
               "Side of a tile; 0: whole images.")
      .isBuilt = false;
  Field& overlap = tiles.number("overlap", &TilesConfig::overlap, between(0, 1), "",
                                "Share of its side that a tile has in common with the next.");
  overlap.maximumExcluded = true;
  overlap.isBuilt = false;
}

/// How the numbers of an image file become the network's input.
template <typename Rows>
void addPixelFields(Rows& dataset) {
  dataset
      .listOrWord("channels", &DatasetConfig::channels, atLeast(0), {"auto"},
                  "Channels of 16-bit or many-channel files that the network sees; auto: RGB.")
      .isBuilt = false;
  Field& window = dataset.listOrWord(
      "window", &DatasetConfig::window, {}, {},
      "The values, or percentiles of an image's values, that become 0 and 1; null: the range of "
      "the file's type.");
  window.listSize = 2;
  window.isBuilt = false;
  dataset
      .listOrWord("mean", &DatasetConfig::mean, between(0, 1), {},
                  "Taken from each channel, of 0 … 1; null: ImageNet's for RGB, else 0.5.")
      .isBuilt = false;
  Field& deviation = dataset.listOrWord(
      "std", &DatasetConfig::std, between(0, 1), {},
      "Divides each channel after that, of 0 … 1; null: ImageNet's for RGB, else 0.5.");
  deviation.minimumExcluded = true;
  deviation.isBuilt = false;
}

}  // namespace

void addDatasetFields(FieldTable& table) {
  SectionRows dataset(
      table, "dataset", "Images and annotations, and how they are read.",
      [](auto& e) -> auto& { return e.dataset; });
  addParts(table);
  dataset.flag("skip_empty", &DatasetConfig::skipEmpty,
               "Leave out training images without a usable annotation.");
  dataset.flag("group_by_aspect", &DatasetConfig::groupByAspect,
               "Batch wide images with wide and tall with tall, so that padding wastes little.");
  dataset
      .number(
          "repeat_threshold", &DatasetConfig::repeatThreshold, between(0, 1), "",
          "Repeat images of classes that are in fewer than this fraction of the images; 0: off.")
      .isBuilt = false;
  dataset.integer("loader_threads", &DatasetConfig::loaderThreads, between(0, 256), "threads",
                  "Threads of each rank that read images ahead; 0: as many as help.");
  dataset
      .choice("cache", &DatasetConfig::cache, {"none", "ram"},
              "Where decoded images are kept: nowhere or in memory.")
      .choicesToCome = {"ram"};
  dataset
      .bytes("cache_limit", &DatasetConfig::cacheLimitBytes, atLeast(0),
             "Most memory that cached images take.")
      .isBuilt = false;
  dataset.choice("bad_images", &DatasetConfig::badImages, {"fail", "skip"},
                 "What becomes of images that cannot be read: the training ends after a "
                 "checkpoint, or goes on without them and lists them.");
  addTileFields(table);
  addPixelFields(dataset);
  addAugmentFields(table);
}

}  // namespace lockstep::config
