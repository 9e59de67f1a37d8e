#pragma once

#include <QString>
#include <cstdint>
#include <string>

#include "engine/coco/files/dataset.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::tests {

/// Objects of three classes, a few of them crowds, on 40 images, and two results of them that each
/// miss, move and double some: the first lacks every fifth image, the second every seventh.
struct MadePairs {
  explicit MadePairs(std::uint64_t seed);

  coco::Dataset dataset;
  widgets::PredictionStore::ByImage first, second;
};

/// Writes a COCO results file of boxes, of those images, and returns its path.
std::string writeResults(const QString& file, const widgets::PredictionStore::ByImage& predictions,
                         const coco::Dataset& images);

}  // namespace lockstep::tests
