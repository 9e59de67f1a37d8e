#include "engine/protocol/worker_messages.h"

#include "engine/protocol/members.h"

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
inline constexpr const char* kTypeName<WorkerState> = "state";
template <>
inline constexpr const char* kTypeName<WorkerLog> = "log";
template <>
inline constexpr const char* kTypeName<CheckpointReady> = "checkpoint_ready";
template <>
inline constexpr const char* kTypeName<EvaluationReady> = "evaluation_ready";
template <>
inline constexpr const char* kTypeName<PredictionsReady> = "predictions_ready";
template <>
inline constexpr const char* kTypeName<DivergenceReady> = "divergence_ready";
template <>
inline constexpr const char* kTypeName<BadImage> = "bad_image";
template <>
inline constexpr const char* kTypeName<Answer> = "answer";
template <>
inline constexpr const char* kTypeName<Progress> = "progress";
template <>
inline constexpr const char* kTypeName<Finished> = "finished";
template <>
inline constexpr const char* kTypeName<Failed> = "failed";

void describe(auto& members, Is<Job> auto& job) {
  members("kind", job.kind);
  members("config_yaml", job.configYaml);
  members("run_folder", job.runFolder);
  members("resume_from", job.resumeFrom);
  members("checkpoint_patience", job.checkpointPatience);
  members("node", job.node);
  members("nodes", job.nodes);
  members("local_rank", job.localRank);
  members("local_ranks", job.localRanks);
  members("machine_ranks", job.machineRanks);
  members("gpu", job.gpu);
  members("gpu_name", job.gpuName);
  members("master_address", job.masterAddress);
  members("master_port", job.masterPort);
  members("store_is_served", job.storeIsServed);
  members("weights", job.weights);
  members("weights_name", job.weightsName);
  members("step", job.step);
  members("split", job.split);
  members("per_image", job.perImage);
  members("paths", job.paths);
  members("paths_file", job.pathsFile);
  members("score_threshold", job.scoreThreshold);
  members("out", job.out);
  members("overlays", job.overlays);
  members("overlay_score", job.overlayScore);
  members("bad_images", job.badImages);
  members("folder", job.folder);
  members("train_images", job.trainImages);
  members("val_images", job.valImages);
  members("seed", job.seed);
}

void describe(MemberWriter& members, const Control& control) {
  members("name", control.name);
  members("id", control.id);
  members("out", control.out);
  if (control.name == "predict") describeImages(members, control.predict);
}

void describe(const MemberReader& members, Control& control) {
  members("name", control.name);
  members("id", control.id);
  members("out", control.out);
  if (control.name != "predict") return;
  describeImages(members, control.predict);
  control.predict.id = control.id;
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

void describe(auto& members, Is<StepScalars> auto& scalars) {
  members("step", scalars.step);
  members("time", scalars.time);
  members("values", scalars.values);
}

void describe(auto& members, Is<ScalarBatch> auto& batch) { members("records", batch.records); }

void describe(auto& members, Is<WorkerState> auto& state) {
  members("state", state.state);
  members("step", state.step);
}

void describe(auto& members, Is<WorkerLog> auto& log) {
  members("level", log.level);
  members("text", log.text);
  members("step", log.step);
}

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

void describe(auto& members, Is<DivergenceReady> auto& divergence) {
  members("step", divergence.step);
  members("partial", divergence.partial);
}

void describe(auto& members, Is<BadImage> auto& image) {
  members("step", image.step);
  members("part", image.part);
  members("image_id", image.imageId);
  members("file", image.file);
  members("reason", image.reason);
}

void describe(auto& members, Is<Answer> auto& answer) {
  members("id", answer.id);
  members("path", answer.path);
  members("error", answer.error);
}

void describe(auto& members, Is<Progress> auto& progress) {
  members("done", progress.done);
  members("total", progress.total);
  members("text", progress.text);
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

template <typename Variant>
std::string encodeAny(const Variant& message) {
  return std::visit(
      [](const auto& held) { return encodeLine(kTypeName<std::decay_t<decltype(held)>>, held); },
      message);
}

/// At least as many bytes as the record's JSON has.
std::size_t boundOfBytes(const StepScalars& record) {
  std::size_t bytes = 120;
  for (const auto& [tag, value] : record.values) bytes += 6 * tag.size() + 30;
  return bytes;
}

}  // namespace

std::string encode(const SupervisorMessage& message) { return encodeAny(message); }
std::string encode(const WorkerMessage& message) { return encodeAny(message); }

SupervisorMessage decodeSupervisorMessage(std::string_view line) {
  return decodeAs<SupervisorMessage>(openEnvelope(line));
}

WorkerMessage decodeWorkerMessage(std::string_view line) {
  return decodeAs<WorkerMessage>(openEnvelope(line));
}

std::vector<ScalarBatch> splitBatch(ScalarBatch batch) {
  std::vector<ScalarBatch> parts;
  std::size_t bytes = 0;
  for (StepScalars& record : batch.records) {
    const std::size_t more = boundOfBytes(record);
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
