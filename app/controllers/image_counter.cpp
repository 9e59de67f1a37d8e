#include "app/controllers/image_counter.h"

#include "app/models/background.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::app {
namespace {

struct Counts {
  qint64 train = 0, val = 0;
};

Counts countIn(const std::string& train, const std::string& val) {
  Counts counts;
  // The check of the experiment reports files that cannot be read; here the count is just unknown.
  try {
    if (!train.empty())
      counts.train = static_cast<qint64>(coco::Dataset::load(train).usableImageCount());
  } catch (const std::exception&) {
    counts.train = 0;
  }
  try {
    if (!val.empty()) counts.val = static_cast<qint64>(coco::Dataset::load(val).images().size());
  } catch (const std::exception&) {
    counts.val = 0;
  }
  return counts;
}

}  // namespace

ImageCounter::ImageCounter(QObject* parent) : QObject(parent) {}

void ImageCounter::count(const QString& trainAnnotations, const QString& valAnnotations) {
  const bool isSame = trainAnnotations == train_ && valAnnotations == val_;
  if (!isSame) trainImages_ = valImages_ = 0;
  Q_EMIT counted(trainImages_, valImages_);
  if (isSame) return;
  train_ = trainAnnotations;
  val_ = valAnnotations;
  const int number = ++counting_;
  runInBackground(
      this,
      [train = trainAnnotations.toStdString(), val = valAnnotations.toStdString()] {
        return countIn(train, val);
      },
      [this, number](const Counts& counts) {
        if (number != counting_) return;
        counted_ = number;
        trainImages_ = counts.train;
        valImages_ = counts.val;
        Q_EMIT counted(counts.train, counts.val);
      });
}

}  // namespace lockstep::app
