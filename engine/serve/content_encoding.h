#pragma once

#include <cstddef>

#include "engine/serve/http_message.h"

namespace lockstep::serve {

/// True if the body is compressed.
bool isEncoded(const HttpRequest& request);
/// Decompresses a body with `Content-Encoding: gzip` or `deflate`. Throws HttpError: 400 for a
/// damaged one, 413 for one that has more than `maxBytes` then, 415 for another encoding.
void decodeBody(HttpRequest& request, std::size_t maxBytes);

}  // namespace lockstep::serve
