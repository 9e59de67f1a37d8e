#include "app/controllers/asked_prediction.h"

#include "app/controllers/engine_link.h"

namespace lockstep::app {
namespace {

constexpr double kScoreThreshold = 0.05;

protocol::PredictRequest predictRequest(const AskedPrediction& asked) {
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

protocol::ExplainRequest explainRequest(const AskedPrediction& asked) {
  protocol::ExplainRequest request{.split = splitOf(asked.part),
                                   .weights = std::to_string(asked.step)};
  if (asked.file.isEmpty()) {
    request.imageId = *asked.image;
  } else {
    request.path = asked.file.toStdString();
  }
  return request;
}

}  // namespace

QString sendTo(EngineLink& link, const AskedPrediction& asked) {
  return asked.isExplanation ? link.sendExplain(explainRequest(asked))
                             : link.sendPredict(predictRequest(asked));
}

}  // namespace lockstep::app
