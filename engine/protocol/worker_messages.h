#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/protocol/jobs.h"
#include "engine/protocol/messages.h"

/// The messages between the supervisor and one rank, JSON Lines over an inherited socket pair. Both
/// sides are of the same build.
namespace lockstep::protocol {

// ---- supervisor -> worker
struct Pause {};
struct Resume {};
/// Saves a checkpoint first.
struct Stop {};
struct SaveCheckpoint {};
struct Evaluate {
  std::string out{};  ///< file for the answer of an inspection; unused by a training run
};
struct Predict {
  PredictRequest request{};  ///< weights already resolved to a file, or empty
  std::string out{};         ///< file for the answer
};
struct Explain {
  ExplainRequest request{};  ///< likewise
  std::string out{};
};
/// Ends the control of the same id, at once.
struct Cancel {};
/// Replaces the weights of an inspection's model.
struct Load {
  std::string weights{};  ///< file
};
/// How the detections of an image are written: COCO results; those with polygons for masks; a PNG
/// of labels, whose pixels are the numbers of the detections from 1; a PNG of the image with the
/// detections drawn.
enum class AnswerForm { Results, Polygons, Labels, Overlay };
constexpr auto enumTexts(AnswerForm) {
  using enum AnswerForm;
  return std::to_array<base::EnumText<AnswerForm>>(
      {{Results, "results"}, {Polygons, "polygons"}, {Labels, "labels"}, {Overlay, "overlay"}});
}
struct DetectImage {
  std::string file{};
  std::int64_t imageId = 1;
  double scoreThreshold = 0;
  std::vector<std::int64_t> categoryIds{};  ///< empty: all
  AnswerForm form = AnswerForm::Results;
  std::string out{};  ///< file for the answer
};
/// Images of different clients, each answered on its own.
struct Detect {
  std::vector<DetectImage> images{};
};
using Action = std::variant<Pause, Resume, Stop, SaveCheckpoint, Evaluate, Predict, Explain, Cancel,
                            Load, Detect>;
/// Handled at the next step boundary, but for Cancel.
struct Control {
  std::string id{};  ///< returned in the Answer; empty: no answer expected
  Action action{};
};
using SupervisorMessage = std::variant<Job, Control>;

// ---- worker -> supervisor
struct Heartbeat {
  int rank = 0;  ///< global rank
  std::int64_t step = 0;
  base::OpenEnum<Phase> phase{};  ///< empty: unknown yet
  std::string collective{};       ///< the last one entered, empty: none
  bool waiting = false;           ///< in that collective now
  std::int64_t images = 0;        ///< images that the evaluation or prediction has finished
};
/// Rank 0's store listens on this port: the other ranks can be started.
struct Listening {
  int port = 0;
};
/// All steps since the last batch, in order. A line has at most kMaxLineBytes: split large batches
/// with splitBatch().
struct ScalarBatch {
  std::vector<Scalars> records{};
};
/// A complete checkpoint at `partial` (synced), to be renamed to its final path.
struct CheckpointReady {
  std::int64_t step = 0;
  std::string partial{};
  bool best = false;
  bool last = false;        ///< the last one of the run: failing to keep it fails the run
  std::string error{};      ///< why it could not be written; empty: it was
  std::string elsewhere{};  ///< fallback path of the last one; empty: none
};
struct EvaluationReady {
  std::int64_t step = 0;
  std::string partial{};              ///< file, to be renamed
  std::string bestMetric{};           ///< name, e.g. segm/AP
  std::optional<double> bestValue{};  ///< if this evaluation is the best so far
};
struct PredictionsReady {
  std::int64_t step = 0;
  std::string partial{};
};
/// A picture of the predictions on a held-out image.
struct PredictionPicture {
  std::int64_t imageId = 0;
  std::string file{};         ///< PNG in the folder of its message
  int width = 0, height = 0;  ///< px
};
/// For the event log, after the PredictionsReady of their step.
struct PicturesReady {
  std::int64_t step = 0;
  std::string partial{};  ///< folder, to be removed
  std::vector<PredictionPicture> pictures{};
};
/// What is needed to replay a step with non-finite values, at `partial` (synced).
struct DivergenceReady {
  std::int64_t step = 0;
  std::string partial{};  ///< folder, to be renamed
};
/// An unreadable image that is skipped.
struct BadImage {
  std::int64_t step = 0;
  base::OpenEnum<Split> split = Split::Train;
  std::int64_t imageId = 0;
  std::string file{};
  std::string reason{};
};
struct Answer {
  std::string id{};
  std::string path{};     ///< file with the answer, or
  std::string error{};    ///< why the request failed
  std::int64_t step = 0;  ///< of the weights that predicted
};
struct DetectedImage {
  std::string error{};         ///< why it has no answer; empty: it has
  bool isUndecodable = false;  ///< the fault is the image's
  int width = 0, height = 0;   ///< px, as displayed
};
/// Of a Detect, in its order.
struct Detected {
  std::string id{};
  std::vector<DetectedImage> images{};
};
struct Progress {
  std::int64_t done = 0, total = 0;
  std::string text{};
  std::string id{};  ///< of the control that it is of; empty: of the job
};
/// The last message: the job is done, or stopped on request.
struct Finished {
  std::int64_t step = 0;  ///< of a training
  bool stopped = false;
  Result result{};
};
/// The last message of a failed rank, or a rank's report of a failed rank on another machine.
struct Failed {
  int rank = -1;       ///< the failed rank; -1: the sender
  std::string host{};  ///< hostname of that rank; empty: the sender's
  std::string message{};
  int exitStatus = 1;
  std::int64_t step = 0;
  base::OpenEnum<Phase> phase{};
  std::string collective{};
  base::OpenEnum<FailureCause> cause{};
};
/// State and Log become events of the log, with the supervisor's time.
using WorkerMessage =
    std::variant<Heartbeat, Listening, ScalarBatch, State, Log, CheckpointReady, EvaluationReady,
                 PredictionsReady, PicturesReady, DivergenceReady, BadImage, Answer, Detected,
                 Progress, Finished, Failed>;

std::string encode(const SupervisorMessage& message);
std::string encode(const WorkerMessage& message);
/// Throw Error, as decodeClientMessage.
SupervisorMessage decodeSupervisorMessage(std::string_view line);
WorkerMessage decodeWorkerMessage(std::string_view line);

/// Splits the batch, in order, so that every line is shorter than kMaxLineBytes.
std::vector<ScalarBatch> splitBatch(ScalarBatch batch);

}  // namespace lockstep::protocol
