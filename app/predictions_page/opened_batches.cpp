#include "app/predictions_page/opened_batches.h"

#include <algorithm>

namespace lockstep::app {
namespace {

/// Enough for a machine's processors; each has one image at a time.
constexpr qsizetype kBatch = 16;

}  // namespace

void OpenedBatches::start(qint64 step, const QStringList& files) {
  files_ = files;
  step_ = step;
  done_ = 0;
}

AskedPrediction OpenedBatches::current() const {
  return {std::nullopt, step_, ImagePart::Opened, files_.first(std::min(kBatch, files_.size()))};
}

void OpenedBatches::advance() {
  const qsizetype finished = std::min(kBatch, files_.size());
  files_.remove(0, finished);
  done_ += finished;
}

}  // namespace lockstep::app
