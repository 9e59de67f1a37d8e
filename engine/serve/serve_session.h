#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_version.h"
#include "engine/run_folder/run_folder.h"
#include "engine/serve/background_thread.h"
#include "engine/serve/detection_request.h"
#include "engine/serve/http_server.h"
#include "engine/serve/image_files.h"
#include "engine/serve/model_workers.h"
#include "engine/serve/request_metrics.h"
#include "engine/serve/routes.h"
#include "engine/serve/served_model.h"
#include "engine/serve/url_fetcher.h"
#include "engine/supervisor/stop_signals.h"

namespace lockstep::serve {

struct ServeSetup {
  std::string address = "127.0.0.1";
  int port = 8080;
  HttpLimits limits{};
  std::size_t mostImages = 64;               ///< of a request
  std::chrono::seconds requestPatience{60};  ///< then 504
  std::chrono::seconds drainPatience{60};    ///< after a stop signal
  std::string token;                         ///< empty: none is needed
  bool isForThisMachineAlone = false;        ///< not for sites that a browser here visits
  std::filesystem::path files;               ///< empty: requests name none
  std::vector<std::string> urlPrefixes{};
  ServedModel model;
  ModelWorkers::Setup workers;
  /// Where a better checkpoint appears, which is then served.
  std::optional<run_folder::Layout> followed{};
};

/// `lockstep-engine serve`: a model behind HTTP, in one thread, with its workers behind it.
class ServeSession : private HttpService {
 public:
  /// Listens at once, so that a port that is taken is told before a model is loaded. Throws
  /// UserError.
  explicit ServeSession(ServeSetup setup);
  ~ServeSession() override;
  int port() const { return server_->port(); }

  /// Blocks until a signal stops it; what was asked before is answered first. Throws Error when the
  /// model cannot be loaded, and after a second signal.
  void run();

 private:
  struct Pending;
  /// The best that was taken over last, or could not be.
  struct Followed {
    std::int64_t step = 0;
    base::FileVersion file;
    bool operator==(const Followed&) const = default;
  };

  // HttpService
  std::optional<HttpResponse> refusal(const HttpRequest& head) override;
  void refused(const HttpRequest& head, int status) override;
  void handle(RequestId id, HttpRequest request) override;

  HttpResponse answerAtOnce(const MatchedRoute& asked) const;
  HttpResponse executionParameters() const;
  DetectionRequest detectionOf(const MatchedRoute& route, HttpRequest& request) const;
  RequestRules rules() const;
  void readInBackground(RequestId id, HttpRequest request);
  void inBackground(BackgroundThread& thread, RequestId id, BackgroundThread::Work work);
  void attempt(RequestId id, const std::function<void()>& work);
  void begin(Pending& pending, DetectionRequest asked);
  void requireRoom(const Pending& pending, std::size_t images) const;
  std::size_t coming() const;
  void readFiles(Pending& pending, std::size_t from);
  std::string contentOf(const ImageInput& image) const;
  void fetch(Pending& pending, std::size_t image);
  void takeContent(Pending& pending, std::size_t image, std::string content);
  void submit(Pending& pending, std::size_t image, std::string content);
  void take(RequestId id, std::size_t image, DetectionAnswer answer);
  void respond(Pending& pending);
  void fail(RequestId id, int status, const std::string& why);
  void finish(RequestId id, HttpResponse response);
  void endLate();
  void follow();
  void takeBest();
  void cannotFollow(const std::string& why);
  void stop();
  void stopIfDrained();

  ServeSetup setup_;
  Followed followed_;
  std::string unfollowed_;   ///< why the best could not be read
  int unfollowedLooks_ = 0;  ///< for how many looks at it
  supervisor::PollLoop loop_;
  supervisor::RunLog log_;
  supervisor::StopSignals signals_;
  std::optional<ImageFiles> files_;
  std::unique_ptr<UrlFetcher> fetcher_;
  RequestMetrics metrics_;
  std::map<RequestId, std::unique_ptr<Pending>> pending_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<ModelWorkers> workers_;
  std::atomic<std::size_t> readingBytes_ = 0;  ///< of requests in the background
  std::optional<Error> failure_;
  bool isStopping_ = false;
  BackgroundThread reader_, writer_;  ///< last, as they read the others
};

}  // namespace lockstep::serve
