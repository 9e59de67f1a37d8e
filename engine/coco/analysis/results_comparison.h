#pragma once

#include <string>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::coco {

/// Results B beside results A, both of the same ground truth and type.
struct ResultsComparison {
  std::string nameA, nameB;  ///< as people know the files
  std::size_t imageCount = 0;
  AveragePrecision figuresOfB;
  ApComparison ap;
};

/// Which is better and how sure that is, in one line.
std::string verdictSentence(const ResultsComparison& comparison);

}  // namespace lockstep::coco
