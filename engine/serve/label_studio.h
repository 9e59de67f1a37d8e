#pragma once

#include "engine/serve/detection_request.h"
#include "engine/serve/routes.h"

/// Label Studio's ML backend: a model that labels tasks in advance.
namespace lockstep::serve {

/// Of `/health` and `/setup`.
HttpResponse labelStudioAnswer(Endpoint endpoint, std::int64_t step);

/// `POST /predict`: the tasks' images are files of --files or addresses of --allow-urls. Detections
/// are brushes, polygons or rectangles, whichever the labelling configuration has. Throws
/// HttpError.
DetectionRequest labelStudioPrediction(const HttpRequest& request, const RequestRules& rules);

}  // namespace lockstep::serve
