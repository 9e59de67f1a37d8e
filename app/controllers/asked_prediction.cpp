#include "app/controllers/asked_prediction.h"

namespace lockstep::app {
namespace {

constexpr double kScoreThreshold = 0.05;

}  // namespace

protocol::PredictRequest requestFor(const AskedPrediction& asked) {
  protocol::PredictRequest request;
  request.weights = std::to_string(asked.step);
  request.scoreThreshold = kScoreThreshold;
  if (!asked.files.isEmpty()) {
    for (const QString& file : asked.files) request.paths.push_back(file.toStdString());
  } else if (asked.image) {
    request.imageIds = {*asked.image};
  } else {
    request.split = splitOf(asked.part);
  }
  return request;
}

}  // namespace lockstep::app
