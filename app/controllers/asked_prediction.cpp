#include "app/controllers/asked_prediction.h"

namespace lockstep::app {
namespace {

constexpr double kScoreThreshold = 0.05;

}  // namespace

protocol::PredictRequest requestFor(const AskedPrediction& asked) {
  protocol::PredictRequest request;
  request.weights = std::to_string(asked.step);
  request.scoreThreshold = kScoreThreshold;
  if (!asked.image) {
    request.split = splitOf(asked.part);
  } else if (asked.file.isEmpty()) {
    request.imageIds = {*asked.image};
  } else {
    request.paths = {asked.file.toStdString()};
  }
  return request;
}

}  // namespace lockstep::app
