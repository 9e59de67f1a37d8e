#include "engine/serve/serve_session.h"

#include <algorithm>

#include "engine/base/json_writer.h"
#include "engine/base/shortened_text.h"
#include "engine/serve/content_encoding.h"
#include "engine/serve/invocations.h"
#include "engine/serve/label_studio.h"
#include "engine/serve/open_inference.h"
#include "engine/serve/page.h"
#include "engine/serve/routes.h"

namespace lockstep::serve {
namespace {

using Clock = supervisor::PollLoop::Clock;

constexpr std::chrono::milliseconds kFollowInterval{200};
constexpr auto kLooksBeforeWarning = std::chrono::seconds{3} / kFollowInterval;
constexpr std::chrono::milliseconds kSessionTurnInterval{100};
constexpr std::size_t kLargeDocument = 128 << 10;
constexpr const char* kTooManyImages = "too many images are waiting";
constexpr const char* kIsBeingLoaded = "the model is being loaded";

}  // namespace

/// A request that waits for its images and answers.
struct ServeSession::Pending {
  RequestId id = 0;
  MatchedRoute route{};
  DetectionRequest asked;
  std::vector<DetectionAnswer> answers;
  std::vector<ModelWorkers::TaskId> tasks;
  std::vector<UrlFetcher::FetchId> fetches;
  std::shared_ptr<const ServedWeights> weights;  ///< of all its answers
  std::size_t toAnswer = 0;
  std::size_t bytes = 0, submittedBytes = 0;  ///< of the images that are there
  Clock::time_point since = Clock::now();
};

ServeSession::ServeSession(ServeSetup setup)
    : setup_(std::move(setup)),
      followed_({setup_.workers.weights->step(), setup_.workers.weights->version()}),
      signals_(
          loop_,
          [this](const supervisor::StopSignal& signal) {
            if (!signal.isRepeated) return stop();
            failure_.emplace("stopped by a second signal before all requests were answered",
                             ExitStatus::Killed);
            loop_.stop();
          },
          [this] {
            if (workers_) workers_->reap();
          }),
      reader_(loop_),
      writer_(loop_) {
  if (!setup_.files.empty()) files_.emplace(setup_.files);
  if (!setup_.urlPrefixes.empty())
    fetcher_ = std::make_unique<UrlFetcher>(loop_, setup_.urlPrefixes, setup_.limits.bodyBytes,
                                            setup_.requestPatience);
  server_ = std::make_unique<HttpServer>(loop_, setup_.address, setup_.port, setup_.limits,
                                         static_cast<HttpService&>(*this));
}

ServeSession::~ServeSession() = default;

void ServeSession::run() {
  workers_ = std::make_unique<ModelWorkers>(
      loop_, log_, setup_.workers,
      [this] { log_.write("serve", "ready on port " + std::to_string(port())); },
      [this](const Error& error) {
        failure_ = error;
        loop_.stop();
      });
  loop_.every(kSessionTurnInterval, [this] {
    endLate();
    if (isStopping_) stopIfDrained();
  });
  if (setup_.followed) loop_.every(kFollowInterval, [this] { follow(); });
  loop_.run();
  if (failure_) throw *failure_;
}

std::optional<HttpResponse> ServeSession::refusal(const HttpRequest& head) {
  const Route* route = routeOf(head.path, setup_.model.name).route;
  if (route == nullptr) {
    std::string why = "there is no " + base::shortened(head.path);
    if (hasToken(head, setup_.token)) why += "; the model's name is " + setup_.model.name;
    return errorResponse(404, why);
  }
  const bool isPost = route->method == Route::Method::Post;
  if (head.method != route->methodName() && (isPost || head.method != "HEAD")) {
    HttpResponse response =
        errorResponse(405, std::string(route->path) + " is asked with " + route->methodName());
    response.headers.emplace_back("Allow", route->methodName());
    return response;
  }
  if (setup_.isForThisMachineAlone && !isForThisMachine(head))
    return errorResponse(403,
                         "Host: this server answers as localhost or 127.0.0.1; start it with "
                         "--token-file or --no-token for other names");
  if (setup_.isForThisMachineAlone && isPost && isFromAnotherSite(head))
    return errorResponse(403, "Origin: requests from pages of other sites are refused");
  if (route->needsToken && !hasToken(head, setup_.token)) {
    HttpResponse response = errorResponse(401, "Authorization: Bearer TOKEN is needed");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (!route->detects) return std::nullopt;
  if (isStopping_) return busyResponse("the server is stopping");
  if (!workers_ || !workers_->wasReady()) return busyResponse(kIsBeingLoaded);
  if (!workers_->hasRoom(1, 0)) return busyResponse(kTooManyImages);
  return std::nullopt;
}

void ServeSession::refused(const HttpRequest& head, int status) {
  const Route* route = routeOf(head.path, setup_.model.name).route;
  metrics_.count(route != nullptr ? route->path : "other", status);
}

/// What SageMaker's batch transform asks before it begins. It takes at most 100 MB in all requests
/// at once, and at most 100 of these.
HttpResponse ServeSession::executionParameters() const {
  constexpr std::size_t kMegabytesAtOnce = 100;
  constexpr std::size_t kMegabytesOfImage = 10;
  const std::size_t megabytes =
      std::clamp<std::size_t>(setup_.limits.bodyBytes / 1'000'000, 1, kMegabytesOfImage);
  const std::size_t atOnce =
      std::min(setup_.workers.maxBatch * static_cast<std::size_t>(setup_.workers.ranks.count),
               kMegabytesAtOnce / megabytes);
  std::string body;
  base::JsonWriter writer(body);
  writer.beginObject();
  writer.member("MaxConcurrentTransforms", atOnce);
  writer.member("BatchStrategy", "SINGLE_RECORD");
  writer.member("MaxPayloadInMB", megabytes);
  writer.endObject();
  return {.body = body + "\n"};
}

RequestRules ServeSession::rules() const {
  return {.model = setup_.model,
          .allowsFiles = files_.has_value(),
          .allowsUrls = fetcher_ != nullptr,
          .mostImages = setup_.mostImages};
}

/// What needs no worker. Throws HttpError.
HttpResponse ServeSession::answerAtOnce(const MatchedRoute& asked) const {
  const std::string notReady = isStopping_ ? "the server is stopping"
                               : workers_  ? workers_->whyNotReady()
                                           : kIsBeingLoaded;
  const std::int64_t step = workers_ ? workers_->weights()->step() : 0;
  switch (asked.route->endpoint) {
    case Endpoint::Page:
      return {.type = "text/html; charset=utf-8", .body = pageHtml()};
    case Endpoint::Metrics:
      return {.type = "text/plain; version=0.0.4", .body = metrics_.text(workers_.get())};
    case Endpoint::ExecutionParameters:
      return executionParameters();
    case Endpoint::Classes:
      return {.body = setup_.model.classesJson()};
    case Endpoint::Ping:
      return notReady.empty() ? HttpResponse{.body = "{}\n"} : busyResponse(notReady);
    case Endpoint::Health:
    case Endpoint::Setup:
      return labelStudioAnswer(asked.route->endpoint, step);
    default:
      return openInferenceAnswer(asked, setup_.model, notReady.empty(), step);
  }
}

DetectionRequest ServeSession::detectionOf(const MatchedRoute& route, HttpRequest& request) const {
  decodeBody(request, setup_.limits.bodyBytes);
  const Endpoint endpoint = route.route->endpoint;
  if (endpoint != Endpoint::Invocations && !request.query.empty())
    throw HttpError{400, "'" + base::shortened(request.query.front().first) +
                             "': " + route.route->path + " takes no parameters in its URL"};
  switch (endpoint) {
    case Endpoint::Invocations:
      return invocation(request, rules());
    case Endpoint::Predict:
      return labelStudioPrediction(request, rules());
    default: {
      DetectionRequest asked = openInference(request, rules());
      asked.version = route.version;
      return asked;
    }
  }
}

void ServeSession::handle(RequestId id, HttpRequest request) {
  auto pending = std::make_unique<Pending>();
  pending->id = id;
  pending->route = routeOf(request.path, setup_.model.name);
  const Pending& kept = *(pending_[id] = std::move(pending));
  if (!kept.route.route->detects) return attempt(id, [&] { finish(id, answerAtOnce(kept.route)); });
  const bool isImage = request.mediaType().starts_with("image/");
  if (isEncoded(request) || (!isImage && request.body.size() > kLargeDocument))
    return readInBackground(id, std::move(request));
  attempt(id, [&] { begin(*pending_.at(id), detectionOf(kept.route, request)); });
}

/// A large document takes longer than others should wait for `/ping`.
void ServeSession::readInBackground(RequestId id, HttpRequest request) {
  const std::size_t bytes = request.body.size();
  if (readingBytes_ + bytes > setup_.limits.bodiesBytes)
    return finish(id, busyResponse("too many requests are being read"));
  readingBytes_ += bytes;
  const std::shared_ptr<HttpRequest> whole(new HttpRequest(std::move(request)),
                                           [this, bytes](const HttpRequest* own) {
                                             delete own;
                                             readingBytes_ -= bytes;
                                           });
  inBackground(reader_, id, [this, id, whole, route = pending_.at(id)->route] {
    const auto asked = std::make_shared<DetectionRequest>(detectionOf(route, *whole));
    return [this, id, asked] { begin(*pending_.at(id), std::move(*asked)); };
  });
}

/// Both `work` and what it returns may throw; the latter is done if the request still waits.
void ServeSession::inBackground(BackgroundThread& thread, RequestId id,
                                BackgroundThread::Work work) {
  thread.post([this, id, work = std::move(work)]() -> std::function<void()> {
    std::function<void()> then;
    try {
      then = work();
    } catch (...) {
      then = [failure = std::current_exception()] { std::rethrow_exception(failure); };
    }
    return [this, id, then] {
      if (pending_.contains(id)) attempt(id, then);
    };
  });
}

/// What goes wrong is the answer.
void ServeSession::attempt(RequestId id, const std::function<void()>& work) {
  try {
    work();
  } catch (const HttpError& error) {
    fail(id, error.status, error.message);
  } catch (const std::exception& error) {
    fail(id, 500, error.what());
  }
}

void ServeSession::begin(Pending& pending, DetectionRequest asked) {
  for (const ImageInput& image : asked.images) {
    pending.bytes += image.content.size();
    if (image.url.empty()) continue;
    if (std::string why = fetcher_->refusal(image.url); !why.empty())
      throw HttpError{403, std::move(why)};
  }
  requireRoom(pending, asked.images.size() + coming());
  pending.asked = std::move(asked);
  pending.weights = pending.asked.version.empty() ? workers_->newest() : workers_->weights();
  requireVersion(pending.asked.version, pending.weights->step());
  pending.toAnswer = pending.asked.images.size();
  pending.answers.resize(pending.toAnswer);
  for (std::size_t i = 0; i < pending.answers.size(); ++i) {
    ImageInput& image = pending.asked.images[i];
    if (!image.url.empty()) fetch(pending, i);
    if (image.isThere()) submit(pending, i, std::move(image.content));
  }
  readFiles(pending, 0);
}

/// Throws HttpError: 413 for what never has room, 503 for what has none now.
void ServeSession::requireRoom(const Pending& pending, std::size_t images) const {
  if (pending.bytes > workers_->mostBytes())
    throw HttpError{413, "the images of a request may have " +
                             std::to_string(workers_->mostBytes()) + " bytes together"};
  if (!workers_->hasRoom(images, pending.bytes - pending.submittedBytes))
    throw HttpError{503, kTooManyImages};
}

/// Images that are being read or fetched.
std::size_t ServeSession::coming() const {
  std::size_t images = 0;
  for (const auto& [id, pending] : pending_)
    images += pending->answers.size() - pending->tasks.size();
  return images;
}

/// Those from this image on, one after the other.
void ServeSession::readFiles(Pending& pending, std::size_t from) {
  const auto& images = pending.asked.images;
  const auto next = std::find_if(images.begin() + static_cast<std::ptrdiff_t>(from), images.end(),
                                 [](const ImageInput& image) { return !image.file.empty(); });
  if (next == images.end()) return;
  const auto image = static_cast<std::size_t>(next - images.begin());
  inBackground(reader_, pending.id, [this, id = pending.id, image, input = *next] {
    const auto content = std::make_shared<std::string>(contentOf(input));
    return [this, id, image, name = input.file, content] {
      if (content->empty()) throw HttpError{400, "the file " + base::shortened(name) + " is empty"};
      Pending& own = *pending_.at(id);
      takeContent(own, image, std::move(*content));
      readFiles(own, image + 1);
    };
  });
}

std::string ServeSession::contentOf(const ImageInput& image) const {
  try {
    return files_->read(image.file, setup_.limits.bodyBytes);
  } catch (const HttpError& error) {
    if (error.status != 404 || image.otherFile.empty()) throw;
    try {
      return files_->read(image.otherFile, setup_.limits.bodyBytes);
    } catch (const HttpError&) {
      throw error;  // with the name that was given
    }
  }
}

void ServeSession::fetch(Pending& pending, std::size_t image) {
  const std::string& url = pending.asked.images[image].url;
  const auto fetched = [this, id = pending.id, image, url](UrlFetcher::Result result) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return;
    attempt(id, [&] {
      if (!result.error.empty())
        throw HttpError{400, "the address " + base::shortened(url) + " " + result.error};
      if (result.content.empty())
        throw HttpError{400, "the address " + base::shortened(url) + " returns an empty body"};
      takeContent(*found->second, image, std::move(result.content));
    });
  };
  pending.fetches.push_back(fetcher_->fetch(url, fetched));
}

/// Of an image that was read or fetched.
void ServeSession::takeContent(Pending& pending, std::size_t image, std::string content) {
  pending.bytes += content.size();
  requireRoom(pending, 1);
  submit(pending, image, std::move(content));
}

void ServeSession::submit(Pending& pending, std::size_t image, std::string content) {
  DetectionTask task{.image = std::move(content),
                     .form = pending.asked.form,
                     .imageId = static_cast<std::int64_t>(image) + 1,
                     .scoreThreshold = pending.asked.scoreThreshold,
                     .categoryIds = pending.asked.categoryIds,
                     .weights = pending.weights};
  pending.submittedBytes += task.image.size();
  pending.tasks.push_back(
      workers_->submit(std::move(task), [this, id = pending.id, image](DetectionAnswer answer) {
        take(id, image, std::move(answer));
      }));
}

void ServeSession::take(RequestId id, std::size_t image, DetectionAnswer answer) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  Pending& pending = *found->second;
  if (answer.status != 200) {
    const bool isOne = pending.answers.size() == 1;
    return fail(id, answer.status,
                (isOne ? "" : "image " + std::to_string(image + 1) + ": ") + answer.error);
  }
  pending.answers[image] = std::move(answer);
  if (--pending.toAnswer == 0) attempt(id, [&] { respond(pending); });
}

/// All its images are answered.
void ServeSession::respond(Pending& pending) {
  const auto isOfOthers = [&](const DetectionAnswer& each) {
    return each.weights != pending.answers.front().weights;
  };
  if (std::ranges::any_of(pending.answers, isOfOthers))
    throw HttpError{503, "these weights are no longer served"};
  requireVersion(pending.asked.version, pending.answers.front().weights->step());
  const auto answers =
      std::make_shared<const std::vector<DetectionAnswer>>(std::exchange(pending.answers, {}));
  pending.tasks.clear();
  const auto work = [this, id = pending.id, answers, respond = pending.asked.respond] {
    const auto response = std::make_shared<HttpResponse>(respond(*answers));
    response->headers.emplace_back("X-Lockstep-Step",
                                   std::to_string(answers->front().weights->step()));
    return [this, id, response] { finish(id, std::move(*response)); };
  };
  if (pending.asked.isSlowToRespond)
    inBackground(writer_, pending.id, work);
  else
    work()();
}

void ServeSession::fail(RequestId id, int status, const std::string& why) {
  finish(id, status == 503 ? busyResponse(why) : errorResponse(status, why));
}

void ServeSession::finish(RequestId id, HttpResponse response) {
  const auto pending = std::move(pending_.extract(id).mapped());
  const std::chrono::duration<double> took = Clock::now() - pending->since;
  for (const UrlFetcher::FetchId fetch : pending->fetches) fetcher_->cancel(fetch);
  for (const ModelWorkers::TaskId task : pending->tasks) workers_->cancel(task);
  const int status = server_->respond(id, std::move(response));
  metrics_.add(pending->route.route->path, status, took.count());
}

void ServeSession::endLate() {
  std::vector<RequestId> late;
  for (const auto& [id, pending] : pending_)
    if (Clock::now() - pending->since > setup_.requestPatience) late.push_back(id);
  for (const RequestId id : late)
    fail(id, 504, "no answer within " + std::to_string(setup_.requestPatience.count()) + " s");
}

void ServeSession::follow() {
  try {
    takeBest();
    unfollowedLooks_ = 0;
  } catch (const Error& error) {
    cannotFollow(error.what());
  }
}

/// The run's best, once it is another one, or its file is.
void ServeSession::takeBest() {
  const auto best = run_folder::readRunInfo(*setup_.followed).best;
  if (!best) return;
  const std::filesystem::path file = setup_.followed->checkpoint(best->step) / "model.safetensors";
  if (followed_ == Followed{best->step, base::FileVersion::of(file)}) return;
  const auto weights = std::make_shared<const ServedWeights>(file, best->step);
  followed_ = {best->step, weights->version()};
  workers_->use(weights);
}

/// Warns only if the error stays: the checkpoint may still be being written.
void ServeSession::cannotFollow(const std::string& why) {
  if (why != std::exchange(unfollowed_, why)) unfollowedLooks_ = 0;
  if (++unfollowedLooks_ == kLooksBeforeWarning)
    log_.warn("serve", "the run's best checkpoint cannot be loaded, step " +
                           std::to_string(workers_->weights()->step()) +
                           " is still served: " + why);
}

void ServeSession::stop() {
  if (std::exchange(isStopping_, true)) return;  // SIGHUP comes as often as it likes
  server_->stopListening();
  log_.write("serve", "stopping: answering pending requests");
  loop_.after(setup_.drainPatience, [this] { loop_.stop(); });
  stopIfDrained();
}

void ServeSession::stopIfDrained() {
  if (server_->isIdle()) loop_.stop();
}

}  // namespace lockstep::serve
