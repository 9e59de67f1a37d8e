#pragma once

#include "engine/serve/detection_request.h"
#include "engine/serve/routes.h"

/// The Open Inference Protocol (V2, REST) with its extension for binary tensors: one input of
/// encoded images, BYTES [n]; tensors of all their detections as outputs.
namespace lockstep::serve {

/// Of health, server and model. Throws HttpError for a version that is not `step`.
HttpResponse openInferenceAnswer(const MatchedRoute& asked, const ServedModel& model, bool isReady,
                                 std::int64_t step);

/// `POST /v2/models/NAME/infer`. Throws HttpError.
DetectionRequest openInference(const HttpRequest& request, const RequestRules& rules);

}  // namespace lockstep::serve
