#include "app/experiments/image_counter.h"

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/training_images.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

struct Counts {
  qint64 drawsPerEpoch = 0, val = 0;
};

Counts countIn(const config::DatasetConfig& dataset) {
  Counts counts;
  // The check of the experiment reports files that cannot be read; here the count is just unknown.
  try {
    if (!dataset.train.annotations.empty()) {
      counts.drawsPerEpoch = static_cast<qint64>(
          coco::drawsPerEpoch(coco::Dataset::loadBoxes(dataset.train.annotations),
                              dataset.skipEmpty, dataset.repeatThreshold));
    }
  } catch (const std::exception&) {
    counts.drawsPerEpoch = 0;
  }
  try {
    if (dataset.hasHeldOut())
      counts.val =
          static_cast<qint64>(coco::Dataset::loadBoxes(dataset.val.annotations).images().size());
  } catch (const std::exception&) {
    counts.val = 0;
  }
  return counts;
}

}  // namespace

ImageCounter::ImageCounter(QObject* parent) : QObject(parent) {}

void ImageCounter::count(const config::DatasetConfig& dataset) {
  Key key{dataset.train.annotations, dataset.val.annotations, dataset.skipEmpty,
          dataset.repeatThreshold};
  const bool isSame = key == key_;
  if (!isSame) drawsPerEpoch_ = valImages_ = 0;
  Q_EMIT counted(drawsPerEpoch_, valImages_);
  if (isSame) return;
  key_ = std::move(key);
  const int number = ++counting_;
  jobs::start(
      this, jobs::Kind::Disk, [dataset] { return countIn(dataset); },
      [this, number](const Counts& counts) {
        if (number != counting_) return;
        counted_ = number;
        drawsPerEpoch_ = counts.drawsPerEpoch;
        valImages_ = counts.val;
        Q_EMIT counted(counts.drawsPerEpoch, counts.val);
      });
}

}  // namespace lockstep::app
