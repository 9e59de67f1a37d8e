#include "engine/protocol/worker_messages.h"

#include "engine/protocol/event_members.h"
#include "engine/protocol/job_members.h"

namespace lockstep::protocol {

template <>
inline constexpr const char* kTypeName<Job> = "job";
template <>
inline constexpr const char* kTypeName<Control> = "control";
template <>
inline constexpr const char* kTypeName<Heartbeat> = "heartbeat";
template <>
inline constexpr const char* kTypeName<Listening> = "listening";
template <>
inline constexpr const char* kTypeName<ScalarBatch> = "scalar_batch";
template <>
inline constexpr const char* kTypeName<CheckpointReady> = "checkpoint_ready";
template <>
inline constexpr const char* kTypeName<EvaluationReady> = "evaluation_ready";
template <>
inline constexpr const char* kTypeName<PredictionsReady> = "predictions_ready";
template <>
inline constexpr const char* kTypeName<PicturesReady> = "pictures_ready";
template <>
inline constexpr const char* kTypeName<DivergenceReady> = "divergence_ready";
template <>
inline constexpr const char* kTypeName<BadImage> = "bad_image";
template <>
inline constexpr const char* kTypeName<Answer> = "answer";
template <>
inline constexpr const char* kTypeName<Detected> = "detected";
template <>
inline constexpr const char* kTypeName<Progress> = "progress";
template <>
inline constexpr const char* kTypeName<Finished> = "finished";
template <>
inline constexpr const char* kTypeName<Failed> = "failed";

template <>
inline constexpr const char* kTypeName<Pause> = "pause";
template <>
inline constexpr const char* kTypeName<Resume> = "resume";
template <>
inline constexpr const char* kTypeName<Stop> = "stop";
template <>
inline constexpr const char* kTypeName<SaveCheckpoint> = "checkpoint";
template <>
inline constexpr const char* kTypeName<Evaluate> = "evaluate";
template <>
inline constexpr const char* kTypeName<Predict> = "predict";
template <>
inline constexpr const char* kTypeName<Explain> = "explain";
template <>
inline constexpr const char* kTypeName<Cancel> = "cancel";
template <>
inline constexpr const char* kTypeName<Load> = "load";
template <>
inline constexpr const char* kTypeName<Detect> = "detect";

void describe(auto&, Is<Pause> auto&) {}
void describe(auto&, Is<Resume> auto&) {}
void describe(auto&, Is<Stop> auto&) {}
void describe(auto&, Is<SaveCheckpoint> auto&) {}
void describe(auto&, Is<Cancel> auto&) {}

void describe(auto& members, Is<Evaluate> auto& evaluate) { members("out", evaluate.out); }

void describe(auto& members, Is<Predict> auto& predict) {
  describeImages(members, predict.request);
  members("out", predict.out);
}

void describe(auto& members, Is<Explain> auto& explain) {
  describeImage(members, explain.request);
  members("out", explain.out);
}

void describe(auto& members, Is<Load> auto& load) { members("weights", load.weights); }

void describe(auto& members, Is<DetectImage> auto& image) {
  members("file", image.file);
  members("image_id", image.imageId);
  members("score_threshold", image.scoreThreshold);
  members("category_ids", image.categoryIds);
  members("form", image.form);
  members("out", image.out);
}

void describe(auto& members, Is<Detect> auto& detect) { members("images", detect.images); }

void describe(auto& members, Is<Control> auto& control) {
  members("id", control.id);
  members("action", control.action);
}

void describe(auto& members, Is<Heartbeat> auto& heartbeat) {
  members("rank", heartbeat.rank);
  members("step", heartbeat.step);
  members("phase", heartbeat.phase);
  members("collective", heartbeat.collective);
  members("waiting", heartbeat.waiting);
  members("images", heartbeat.images);
}

void describe(auto& members, Is<Listening> auto& listening) { members("port", listening.port); }

void describe(auto& members, Is<ScalarBatch> auto& batch) { members("records", batch.records); }

void describe(auto& members, Is<CheckpointReady> auto& checkpoint) {
  members("step", checkpoint.step);
  members("partial", checkpoint.partial);
  members("best", checkpoint.best);
  members("last", checkpoint.last);
  members("error", checkpoint.error);
  members("elsewhere", checkpoint.elsewhere);
}

void describe(auto& members, Is<EvaluationReady> auto& evaluation) {
  members("step", evaluation.step);
  members("partial", evaluation.partial);
  members("best_metric", evaluation.bestMetric);
  members("best_value", evaluation.bestValue);
}

void describe(auto& members, Is<PredictionsReady> auto& predictions) {
  members("step", predictions.step);
  members("partial", predictions.partial);
}

void describe(auto& members, Is<PredictionPicture> auto& picture) {
  members("image_id", picture.imageId);
  members("file", picture.file);
  members("width", picture.width);
  members("height", picture.height);
}

void describe(auto& members, Is<PicturesReady> auto& ready) {
  members("step", ready.step);
  members("partial", ready.partial);
  members("pictures", ready.pictures);
}

void describe(auto& members, Is<DivergenceReady> auto& divergence) {
  members("step", divergence.step);
  members("partial", divergence.partial);
}

void describe(auto& members, Is<BadImage> auto& image) {
  members("step", image.step);
  members("part", image.split);
  members("image_id", image.imageId);
  members("file", image.file);
  members("reason", image.reason);
}

void describe(auto& members, Is<Answer> auto& answer) {
  members("id", answer.id);
  members("path", answer.path);
  members("error", answer.error);
  members("step", answer.step);
}

void describe(auto& members, Is<DetectedImage> auto& image) {
  members("error", image.error);
  members("is_undecodable", image.isUndecodable);
  members("width", image.width);
  members("height", image.height);
}

void describe(auto& members, Is<Detected> auto& detected) {
  members("id", detected.id);
  members("images", detected.images);
}

void describe(auto& members, Is<Progress> auto& progress) {
  members("done", progress.done);
  members("total", progress.total);
  members("text", progress.text);
  members("id", progress.id);
}

void describe(auto& members, Is<Finished> auto& finished) {
  members("step", finished.step);
  members("stopped", finished.stopped);
  members("result", finished.result);
}

void describe(auto& members, Is<Failed> auto& failed) {
  members("rank", failed.rank);
  members("host", failed.host);
  members("message", failed.message);
  members("exit_status", failed.exitStatus);
  members("step", failed.step);
  members("phase", failed.phase);
  members("collective", failed.collective);
  members("cause", failed.cause);
}

namespace {

/// An upper bound of the size of the record's JSON.
std::size_t maxJsonBytes(const Scalars& record) {
  std::size_t bytes = 120;
  for (const auto& [tag, value] : record.values) bytes += 6 * tag.size() + 30;
  return bytes;
}

}  // namespace

std::string encode(const SupervisorMessage& message) { return encodeHeld(message); }
std::string encode(const WorkerMessage& message) { return encodeHeld(message); }

const char* nameOf(const Work& work) {
  return std::visit([]<typename Held>(const Held&) { return kTypeName<Held>; }, work);
}

SupervisorMessage decodeSupervisorMessage(std::string_view line) {
  return decodeAs<SupervisorMessage>(openEnvelope(line));
}

WorkerMessage decodeWorkerMessage(std::string_view line) {
  return decodeAs<WorkerMessage>(openEnvelope(line));
}

std::vector<ScalarBatch> splitBatch(ScalarBatch batch) {
  std::vector<ScalarBatch> parts;
  std::size_t bytes = 0;
  for (Scalars& record : batch.records) {
    const std::size_t more = maxJsonBytes(record);
    if (parts.empty() || bytes + more > kMaxLineBytes - 200) {
      parts.emplace_back();
      bytes = 0;
    }
    bytes += more;
    parts.back().records.push_back(std::move(record));
  }
  return parts;
}

}  // namespace lockstep::protocol
