#pragma once

#include <string>
#include <string_view>

#include "engine/serve/http_message.h"

namespace lockstep::serve {

enum class Endpoint {
  Page,
  Ping,
  Classes,
  ExecutionParameters,  ///< SageMaker's
  Metrics,
  Invocations,
  ServerMetadata,  ///< from here, the Open Inference Protocol's
  ServerLive,
  ServerReady,
  ModelMetadata,
  ModelReady,
  ModelInfer,
  Health,  ///< from here, Label Studio's
  Setup,
  Predict,
};

/// A path that is served.
struct Route {
  enum class Method { Get, Post };
  Endpoint endpoint;
  const char* path;  ///< `{name}` stands for the name of the model, `{version}` for its step
  Method method;
  bool needsToken;
  bool detects;

  const char* methodName() const { return method == Method::Get ? "GET" : "POST"; }
};

struct MatchedRoute {
  const Route* route = nullptr;  ///< null: there is none
  std::string version{};         ///< that the path names; empty: none
};

/// `model`: its name.
MatchedRoute routeOf(const std::string& path, const std::string& model);

/// Whether a request names this machine as its host, so that a site whose name was made to lead
/// here is told apart.
bool isForThisMachine(const HttpRequest& head);
/// Whether a browser sent it for a page of another site.
bool isFromAnotherSite(const HttpRequest& head);

/// Whether a request has `Authorization: Bearer TOKEN`, or `Basic` with the token as the password
/// of any user, or none is needed. Takes as long for any token of the same length.
bool hasToken(const HttpRequest& head, std::string_view token);

}  // namespace lockstep::serve
