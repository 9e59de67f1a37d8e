#pragma once

#include <cstddef>

#include "engine/serve/http_message.h"

namespace lockstep::serve {

/// True if the body is compressed.
bool isEncoded(const HttpRequest& request);
/// Decompresses a body with `Content-Encoding: gzip` or `deflate`. Throws HttpError: 400 if it is
/// damaged, 413 if it becomes larger than `maxBytes`, 415 for another encoding.
void decodeBody(HttpRequest& request, std::size_t maxBytes);

}  // namespace lockstep::serve
