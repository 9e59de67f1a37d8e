#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

void addParts(FieldTable& table) {
  SectionRows train(
      table, "dataset.train", "The training set.",
      [](auto& e) -> auto& { return e.dataset.train; });
  train.path("images", &DatasetPart::images, "Folder of the training images.");
  train.path("annotations", &DatasetPart::annotations,
             "Annotations of the training images: a COCO instances file.");

  SectionRows val(
      table, "dataset.val", "The held-out (validation) set: evaluated, never trained on.",
      [](auto& e) -> auto& { return e.dataset.val; });
  val.path("images", &DatasetPart::images, "Folder of the held-out (validation) images.");
  val.path("annotations", &DatasetPart::annotations,
           "Annotations of the held-out (validation) images: a COCO instances file.");
}

void addAugmentFields(FieldTable& table) {
  SectionRows augment(
      table, "augment", "Image size and augmentation.", [](auto& e) -> auto& { return e.augment; });
  augment.integers("min_size", &AugmentConfig::minSize, between(1, 16384), "px",
                   "Shorter side after resizing. Of several one is drawn for each training image "
                   "(multi-scale training); evaluation uses the last. Larger finds smaller "
                   "objects, for more time and memory.");
  augment.integer("max_size", &AugmentConfig::maxSize, between(1, 16384), "px",
                  "Limit of the longer side after resizing: an image that would be longer is "
                  "scaled down to it.");
  augment.number("horizontal_flip", &AugmentConfig::horizontalFlip, between(0, 1), "",
                 "Probability that a training image is flipped left to right; 0 where left and "
                 "right mean something, as in text.");
  augment.number("vertical_flip", &AugmentConfig::verticalFlip, between(0, 1), "",
                 "Probability that a training image is flipped top to bottom; usually 0.5 where "
                 "images have no up, as in microscopy.");
  augment.number(
      "brightness", &AugmentConfig::brightness, between(0, 1), "",
      "Brightness jitter: the factor is drawn from 1 ± this, usually 0.1 … 0.4; 0: off.");
  augment.number("contrast", &AugmentConfig::contrast, between(0, 1), "",
                 "Contrast jitter: the factor is drawn from 1 ± this, usually 0.1 … 0.4; 0: off.");
  augment.number(
      "saturation", &AugmentConfig::saturation, between(0, 1), "",
      "Saturation jitter: the factor is drawn from 1 ± this, usually 0.1 … 0.4; 0: off.");
  Field& jitter = augment.numbers("scale_jitter", &AugmentConfig::scaleJitter, above(0), "",
                                  "Least and greatest factor of random scaling of training images; "
                                  "large-scale jitter is [0.1, 2].");
  jitter.listSize = 2;
  jitter.isBuilt = false;
  augment
      .number("crop", &AugmentConfig::crop, between(0, 1), "",
              "Random crops: the smallest fraction of a side that is kept; 0: off.")
      .isBuilt = false;
  augment
      .number("copy_paste", &AugmentConfig::copyPaste, between(0, 1), "",
              "Copy-paste augmentation: probability that instances of another image are pasted in; "
              "0: off.")
      .isBuilt = false;
  augment.choice("pad_to", &AugmentConfig::padTo, "What training images are zero-padded to.");
}

void addTileFields(FieldTable& table) {
  SectionRows tiles(
      table, "dataset.tiles", "Tiling of large images.",
      [](auto& e) -> auto& { return e.dataset.tiles; });
  tiles
      .integer("size", &TilesConfig::sizePx, between(0, 16384), "px",
               "Side of a tile, for images that are too large for memory or have tiny objects; 0: "
               "whole images.")
      .isBuilt = false;
  Field& overlap = tiles.number("overlap", &TilesConfig::overlap, between(0, 1), "",
                                "Fraction of its side that a tile shares with the next.");
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
  Field& window =
      dataset.listOrWord("window", &DatasetConfig::window, {}, {},
                         "Intensity window: the values, or percentiles of an image's values, that "
                         "become 0 and 1; null: the range of the file's type.");
  window.listSize = 2;
  window.isBuilt = false;
  dataset
      .listOrWord("mean", &DatasetConfig::mean, between(0, 1), {},
                  "Mean that is subtracted from each channel, of pixel values in 0 … 1; null: "
                  "ImageNet's for RGB, else 0.5.")
      .isBuilt = false;
  Field& deviation =
      dataset.listOrWord("std", &DatasetConfig::std, between(0, 1), {},
                         "Standard deviation that each channel is divided by, of pixel values in 0 "
                         "… 1; null: ImageNet's for RGB, else 0.5.");
  deviation.minimumExcluded = true;
  deviation.isBuilt = false;
}

}  // namespace

void addDatasetFields(FieldTable& table) {
  SectionRows dataset(
      table, "dataset", "Images and annotations, and how they are loaded.",
      [](auto& e) -> auto& { return e.dataset; });
  addParts(table);
  dataset.flag("skip_empty", &DatasetConfig::skipEmpty,
               "Leave out training images without a usable annotation; false: they are trained on "
               "as background.");
  dataset.flag("group_by_aspect", &DatasetConfig::groupByAspect,
               "Batch landscape images with landscape and portrait with portrait ones, so that "
               "padding wastes little.");
  dataset
      .number("repeat_threshold", &DatasetConfig::repeatThreshold, between(0, 1), "",
              "Repeat-factor sampling of rare classes, as in LVIS: images of a class that is in "
              "fewer than this fraction of the images are repeated, usually 0.001; 0: off.")
      .isBuilt = false;
  dataset.integer("loader_threads", &DatasetConfig::loaderThreads, between(0, 256), "threads",
                  "Data-loading threads of each rank; 0: as many as help. Raise it while ranks "
                  "wait for images.");
  dataset.choice("cache", &DatasetConfig::cache, "Where decoded images are cached.")
      .choicesToCome = {"ram"};
  dataset
      .bytes("cache_limit", &DatasetConfig::cacheLimitBytes, atLeast(0),
             "Most memory that cached images take.")
      .isBuilt = false;
  dataset.choice("bad_images", &DatasetConfig::badImages,
                 "What happens at an image that cannot be read.");
  addTileFields(table);
  addPixelFields(dataset);
  addAugmentFields(table);
}

}  // namespace lockstep::config
