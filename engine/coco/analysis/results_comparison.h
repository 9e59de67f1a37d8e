#pragma once

#include <string>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::coco {

/// Compares results B with results A; both have the same ground truth and IoU type.
struct ResultsComparison {
  std::string nameA, nameB;  ///< file names as the user gave them
  std::size_t imageCount = 0;
  AveragePrecision figuresOfB;
  ApComparison ap;
};

/// One line: which is better, with the confidence interval and the p-value.
std::string verdictSentence(const ResultsComparison& comparison);

}  // namespace lockstep::coco
