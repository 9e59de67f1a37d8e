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
  refuseUntilBuilt(jitter);
  refuseUntilBuilt(augment.number("crop", &AugmentConfig::crop, between(0, 1), "",
                                  "Smallest kept fraction of a side in random crops; 0: off."));
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
  refuseUntilBuilt(dataset.number(
      "repeat_threshold", &DatasetConfig::repeatThreshold, between(0, 1), "",
      "Repeat images of classes that are in fewer than this fraction of the images; 0: off."));
  dataset.integer("loader_threads", &DatasetConfig::loaderThreads, between(0, 256), "threads",
                  "Threads that read images ahead; 0: as many as help.");
  Field& cache = dataset.choice("cache", &DatasetConfig::cache, {"none", "ram"},
                                "Where decoded images are kept: nowhere or in memory.");
  refuseUntilBuilt(cache);
  refuseUntilBuilt(dataset.bytes("cache_limit", &DatasetConfig::cacheLimitBytes, atLeast(0),
                                 "Most memory that cached images take."));
  addAugmentFields(table);
}

}  // namespace lockstep::config
