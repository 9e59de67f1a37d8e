#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addSplitFields(FieldTable& table) {
  SectionRows train(
      table, "dataset.train", "Images and annotations to train on.",
      [](auto& e) -> auto& { return e.dataset.train; });
  train.path("images", &DatasetSplit::images, "Folder of the training images.");
  train.path("annotations", &DatasetSplit::annotations,
             "COCO instances file with the annotations of the training images.");

  SectionRows val(
      table, "dataset.val", "The validation set: for evaluation, never trained on.",
      [](auto& e) -> auto& { return e.dataset.val; });
  val.path("images", &DatasetSplit::images, "Folder of the validation images.");
  val.path("annotations", &DatasetSplit::annotations,
           "COCO instances file with the annotations of the validation images.");
}

void addAugmentFields(FieldTable& table) {
  SectionRows augment(
      table, "augment", "Image size and augmentation.", [](auto& e) -> auto& { return e.augment; });
  augment.integers("min_size", &AugmentConfig::minSize, between(1, 16384), "px",
                   "Shorter side after resizing, usually 800. From several values, one is drawn "
                   "for each training image (multi-scale training) and evaluation uses the last. "
                   "Raise it to find smaller objects, at the cost of time and memory.");
  augment.integer("max_size", &AugmentConfig::maxSize, between(1, 16384), "px",
                  "Upper limit of the longer side after resizing, usually 1333: a longer image is "
                  "scaled down to it. Lower it to save memory on elongated images.");
  augment.number("horizontal_flip", &AugmentConfig::horizontalFlip, between(0, 1), "",
                 "Probability that a training image is flipped left to right, usually 0.5; 0 where "
                 "left and right differ in meaning, as in text.");
  augment.number("vertical_flip", &AugmentConfig::verticalFlip, between(0, 1), "",
                 "Probability that a training image is flipped top to bottom, usually 0; 0.5 where "
                 "images have no up, as in microscopy.");
  augment.number(
      "brightness", &AugmentConfig::brightness, between(0, 1), "",
      "Brightness jitter: the factor is drawn from 1 ± this value, usually 0.1 … 0.4; 0: off.");
  augment.number("contrast", &AugmentConfig::contrast, between(0, 1), "",
                 "Contrast jitter: the factor is drawn from 1 ± this value, usually 0.1 … 0.4; 0: "
                 "off.");
  augment.number(
      "saturation", &AugmentConfig::saturation, between(0, 1), "",
      "Saturation jitter: the factor is drawn from 1 ± this value, usually 0.1 … 0.4; 0: off.");
  augment.number("blur", &AugmentConfig::blur, between(0, 16), "px",
                 "Gaussian blur: its standard deviation in px of the image file is drawn from 0 to "
                 "this value, usually 1 … 2; 0: off.");
  augment.number("noise", &AugmentConfig::noise, between(0, 1), "",
                 "Gaussian noise: its standard deviation, for pixel values in 0 … 1, is drawn from "
                 "0 to this value, usually 0.02 … 0.1; 0: off.");
  augment.number("quarter_turns", &AugmentConfig::quarterTurns, between(0, 1), "",
                 "Probability that a training image is rotated by 90, 180 or 270 degrees, usually "
                 "0; 0.75 (all four equally likely) where images have no up, as in microscopy.");
  augment
      .numbers("scale_jitter", &AugmentConfig::scaleJitter, between(0.01, 100), "",
               "Smallest and largest factor of random scaling of training images. What becomes "
               "larger than at factor 1 is cropped to that size, at a random place. [1, 1]: off; "
               "large-scale jitter: [0.1, 2].")
      .listSize = 2;
  augment.number("crop", &AugmentConfig::crop, between(0, 1), "",
                 "Random crops of training images before they are resized: smallest fraction of "
                 "each side that is kept, usually 0.3 … 0.9; 0: off.");
  augment.number("copy_paste", &AugmentConfig::copyPaste, between(0, 1), "",
                 "Copy-paste augmentation: probability that objects of another training image are "
                 "pasted into a training image by their masks, usually 0.5; 0: off.");
  augment.choice("pad_to", &AugmentConfig::padTo,
                 "Size to which the images of a training batch are zero-padded.");
}

void addTileFields(FieldTable& table) {
  SectionRows tiles(
      table, "dataset.tiles", "Tiling of large images.",
      [](auto& e) -> auto& { return e.dataset.tiles; });
  tiles
      .integer("size", &TilesConfig::sizePx, between(0, 16384), "px",
               "Side of the tiles that images are cut into, for images that do not fit into memory "
               "or have tiny objects; 0: whole images.")
      .isImplemented = false;
  Field& overlap = tiles.number("overlap", &TilesConfig::overlap, between(0, 1), "",
                                "Overlap of neighbouring tiles as a fraction of their side; choose "
                                "it so that the overlap holds a whole object.");
  overlap.maximumExcluded = true;
  overlap.isImplemented = false;
}

/// How the numbers of an image file become the network's input.
template <typename Rows>
void addPixelFields(Rows& dataset) {
  dataset
      .listOrWord("channels", &DatasetConfig::channels, atLeast(0), {"auto"},
                  "Indices of the channels of 16-bit or multi-channel files that are the network's "
                  "input; auto: RGB.")
      .isImplemented = false;
  Field& window =
      dataset.listOrWord("window", &DatasetConfig::window, {}, {},
                         "Intensity window [low, high], mapped to 0 and 1: pixel values such as "
                         "4095, or percentiles of each image such as 1 %; null: the range of the "
                         "file's data type.");
  window.listSize = 2;
  window.isImplemented = false;
  dataset
      .listOrWord("mean", &DatasetConfig::mean, between(0, 1), {},
                  "Mean subtracted from each channel, for pixel values in 0 … 1; null: ImageNet's "
                  "for RGB, else 0.5.")
      .isImplemented = false;
  Field& deviation =
      dataset.listOrWord("std", &DatasetConfig::std, between(0, 1), {},
                         "Standard deviation by which each channel is divided, for pixel values in "
                         "0 … 1; null: ImageNet's for RGB, else 0.5.");
  deviation.minimumExcluded = true;
  deviation.isImplemented = false;
}

}  // namespace

void addDatasetFields(FieldTable& table) {
  SectionRows dataset(
      table, "dataset", "Images and annotations, and how they are loaded.",
      [](auto& e) -> auto& { return e.dataset; });
  addSplitFields(table);
  dataset.flag("skip_empty", &DatasetConfig::skipEmpty,
               "Leave out training images without a usable annotation. false: train on them as "
               "pure background, which can lower the number of false positives.");
  dataset.flag("group_by_aspect", &DatasetConfig::groupByAspect,
               "Batch landscape images with landscape images and portrait with portrait, so that "
               "less of a batch is padding. false: batches mix both.");
  dataset.number(
      "repeat_threshold", &DatasetConfig::repeatThreshold, between(0, 1), "",
      "Repeat-factor sampling for rare classes, as in LVIS: images of a class that occurs "
      "in fewer than this fraction of the images are repeated, usually 0.001; 0: off.");
  dataset.integer("loader_threads", &DatasetConfig::loaderThreads, between(0, 256), "threads",
                  "Data-loading threads per rank; 0: chosen automatically. Raise it if ranks wait "
                  "for images (time/rankN/data_seconds).");
  dataset.choice("cache", &DatasetConfig::cache, "Cache of decoded images.");
  dataset.bytes("cache_limit", &DatasetConfig::cacheLimitBytes, atLeast(0),
                "Memory of each rank for cached images, with dataset.cache: ram. Images that it "
                "does not hold are read again each time.");
  dataset.choice("bad_images", &DatasetConfig::badImages,
                 "What to do about an image that cannot be read.");
  addTileFields(table);
  addPixelFields(dataset);
  addAugmentFields(table);
}

}  // namespace lockstep::config
