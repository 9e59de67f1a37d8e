#pragma once

#include "engine/serve/detection_request.h"

namespace lockstep::serve {

/// `POST /invocations`, as SageMaker calls it: one image as the body, a NumPy array of pixels,
/// several images as multipart, or JSON
/// {"images": [{"b64"|"file"|"url": …}, …], "score": …, "classes": […]}. The answer is the array
/// that `predict` writes; by `form` or Accept also polygons, a PNG of labels or of the image with
/// its detections. Throws HttpError.
DetectionRequest invocation(const HttpRequest& request, const RequestRules& rules);

}  // namespace lockstep::serve
