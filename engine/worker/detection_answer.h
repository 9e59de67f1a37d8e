#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "engine/eval/evaluator.h"
#include "engine/protocol/worker_messages.h"
#include "engine/worker/overlay.h"

namespace lockstep::worker {

/// The detections of one image in the form that a client asked for. Any thread.
class DetectionAnswers {
 public:
  /// Of a model: as OverlayPainter's.
  DetectionAnswers(const std::vector<CategoryId>& categories,
                   const std::vector<std::string>& names);

  /// The content of the answer's file. Throws Error.
  std::string answer(const protocol::DetectImage& asked, const eval::DetectedFile& detected);

 private:
  std::string overlay(const protocol::DetectImage& asked,
                      const std::vector<coco::Detection>& detections);

  std::mutex painting_;
  OverlayPainter painter_;  ///< under painting_
};

}  // namespace lockstep::worker
