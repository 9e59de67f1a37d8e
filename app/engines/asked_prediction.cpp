#include "app/engines/asked_prediction.h"

#include "app/engines/engine_link.h"

namespace lockstep::app {
namespace {

constexpr double kScoreThreshold = 0.05;

protocol::PredictRequest predictRequest(const AskedPrediction& asked) {
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

protocol::ExplainRequest explainRequest(const AskedPrediction& asked) {
  protocol::ExplainRequest request{.split = splitOf(asked.part),
                                   .weights = std::to_string(asked.step)};
  if (asked.files.isEmpty()) {
    request.imageId = *asked.image;
  } else {
    request.path = asked.files.first().toStdString();
  }
  return request;
}

}  // namespace

QString sendTo(EngineLink& link, const AskedPrediction& asked) {
  return asked.isExplanation ? link.sendExplain(explainRequest(asked))
                             : link.sendPredict(predictRequest(asked));
}

}  // namespace lockstep::app
