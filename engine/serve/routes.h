#pragma once

#include <string>
#include <string_view>

#include "engine/serve/http_message.h"

namespace lockstep::serve {

/// A path that is served.
struct Route {
  const char* path;  ///< `{}` stands for the name of the model
  const char* method;
  bool needsToken;
  bool detects;
};

/// Null: there is none. `model`: its name.
const Route* routeOf(const std::string& path, const std::string& model);

/// Whether a request names this machine as its host, so that a site whose name was made to lead
/// here is told apart.
bool isForThisMachine(const HttpRequest& head);
/// Whether a browser sent it for a page of another site.
bool isFromAnotherSite(const HttpRequest& head);

/// Whether a request has `Authorization: Bearer TOKEN`, or none is needed. Takes as long for any
/// token of the same length.
bool hasToken(const HttpRequest& head, std::string_view token);

}  // namespace lockstep::serve
