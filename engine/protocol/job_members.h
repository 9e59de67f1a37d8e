#pragma once

#include "engine/protocol/jobs.h"
#include "engine/protocol/members.h"

/// Type name and members of every job and result. Internal to engine/protocol.
namespace lockstep::protocol {

template <>
inline constexpr const char* kTypeName<TrainJob> = "train";
template <>
inline constexpr const char* kTypeName<EvaluateJob> = "evaluate";
template <>
inline constexpr const char* kTypeName<PredictJob> = "predict";
template <>
inline constexpr const char* kTypeName<InspectJob> = "inspect";
template <>
inline constexpr const char* kTypeName<ReplayJob> = "replay";
template <>
inline constexpr const char* kTypeName<CheckJob> = "check";
template <>
inline constexpr const char* kTypeName<ShapesJob> = "shapes";
template <>
inline constexpr const char* kTypeName<ImportJob> = "import";
template <>
inline constexpr const char* kTypeName<ExportJob> = "export";
template <>
inline constexpr const char* kTypeName<CheckDatasetJob> = "check_dataset";
template <>
inline constexpr const char* kTypeName<PreviewJob> = "preview";
template <>
inline constexpr const char* kTypeName<DatasetReport> = "dataset";
template <>
inline constexpr const char* kTypeName<InfoJob> = "info";
template <>
inline constexpr const char* kTypeName<EvaluateResult> = "evaluation";
template <>
inline constexpr const char* kTypeName<PredictResult> = "prediction";
template <>
inline constexpr const char* kTypeName<ReplayResult> = "replay";
template <>
inline constexpr const char* kTypeName<CheckResult> = "check";
template <>
inline constexpr const char* kTypeName<InfoResult> = "info";

void describe(auto& members, Is<RankPlacement> auto& placement) {
  members("node", placement.node);
  members("nodes", placement.nodes);
  members("local_rank", placement.localRank);
  members("local_ranks", placement.localRanks);
  members("machine_ranks", placement.machineRanks);
  members("gpu", placement.gpu);
  members("gpu_name", placement.gpuName);
  members("master_address", placement.masterAddress);
  members("master_port", placement.masterPort);
  members("store_is_served", placement.storeIsServed);
}

void describe(auto& members, Is<Figure> auto& figure) {
  members("name", figure.name);
  members("value", figure.value);
}

void describe(auto& members, Is<TrainJob> auto& job) {
  members("config_yaml", job.configYaml);
  members("run_folder", job.runFolder);
  members("resume_from", job.resumeFrom);
  members("checkpoint_patience", job.checkpointPatience);
  members("find_lr", job.isRangeTest);
}

void describe(auto& members, Is<TrainedModel> auto& model) {
  members("config_yaml", model.configYaml);
  members("weights", model.weights);
  members("step", model.step);
}

void describe(auto& members, Is<EvaluateJob> auto& job) {
  members("model", job.model);
  members("split", job.split);
  members("per_image", job.perImage);
  members("pycocotools_exact", job.pycocotoolsExact);
  members("out", job.out);
  members("detections", job.detections);
}

void describe(auto& members, Is<EvaluateResult> auto& result) {
  members("step", result.step);
  members("images", result.images);
  members("bad_images", result.badImages);
  members("bad_image_ids", result.badImageIds);
  members("losses", result.losses);
  members("bbox", result.bbox);
  members("segm", result.segm);
  members("past_limit", result.pastLimit);
}

void describe(auto& members, Is<PredictJob> auto& job) {
  members("model", job.model);
  members("split", job.split);
  members("paths", job.paths);
  members("paths_file", job.pathsFile);
  members("score_threshold", job.scoreThreshold);
  members("out", job.out);
  members("overlays", job.overlays);
  members("overlay_score", job.overlayScore);
}

void describe(auto& members, Is<PredictResult> auto& result) {
  members("images", result.images);
  members("detections", result.detections);
  members("unread", result.unreadable);
}

void describe(auto& members, Is<InspectJob> auto& job) { members("model", job.model); }

void describe(auto& members, Is<ReplayJob> auto& job) {
  members("model", job.model);
  members("bad_images", job.badImages);
}

void describe(auto& members, Is<ReplayResult::Image> auto& image) {
  members("image_id", image.imageId);
  members("file_name", image.fileName);
  members("losses", image.losses);
}

void describe(auto& members, Is<ReplayResult> auto& result) {
  members("losses", result.losses);
  members("gradient_norm", result.gradientNorm);
  members("first_not_finite", result.firstNotFinite);
  members("per_image", result.perImage);
}

void describe(auto& members, Is<CheckJob> auto& job) {
  members("config_yaml", job.configYaml);
  members("resume_from", job.resumeFrom);
  members("images_per_part", job.imagesPerSplit);
}

void describe(auto& members, Is<ImageIssues> auto& images) {
  members("count", images.count);
  members("ids", images.firstIds);
  members("first", images.first);
}

void describe(auto& members, Is<ImagesCheck> auto& images) {
  members("looked_at", images.checked);
  members("all", images.all);
  members("faults", images.unusable);
  members("dark", images.dark);
}

void describe(auto& members, Is<WeightsError> auto& error) {
  members("fault", error.text);
  members("status", error.exitStatus);
}

void describe(auto& members, Is<CheckResult> auto& result) {
  members("weights", result.weights);
  members("train", result.train);
  members("val", result.val);
}

void describe(auto& members, Is<ShapesJob> auto& job) {
  members("folder", job.folder);
  members("train_images", job.trainImages);
  members("val_images", job.valImages);
  members("seed", job.seed);
}

void describe(auto& members, Is<ImportJob> auto& job) {
  members("source", job.source);
  members("out", job.out);
  members("format", job.format);
  members("val", job.valShare);
  members("seed", job.seed);
  members("group", job.groupPattern);
  members("classes", job.classes);
  members("copy", job.copiesImages);
  members("exif", job.exif);
  members("keep_empty", job.keepsEmpty);
}

void describe(auto& members, Is<ExportJob> auto& job) {
  members("source", job.source);
  members("out", job.out);
  members("format", job.format);
}

void describe(auto& members, Is<CheckDatasetJob> auto& job) {
  members("config_yaml", job.configYaml);
  members("experiment", job.experiment);
  members("out", job.out);
  members("fix", job.fixFolder);
}

void describe(auto& members, Is<PreviewJob> auto& job) {
  members("config_yaml", job.configYaml);
  members("out", job.out);
  members("batches", job.batches);
}

void describe(auto& members, Is<DatasetReport> auto& report) {
  members("text", report.text);
  members("warnings", report.warnings);
  members("failure", report.failure);
}

void describe(auto&, Is<InfoJob> auto&) {}

void describe(auto& members, Is<InfoResult> auto& result) {
  members("libtorch", result.libtorch);
  members("cpu_capability", result.cpuCapability);
  members("cuda_kernels", result.cudaKernels);
  members("cuda_architectures", result.cudaArchitectures);
  members("usable_gpus", result.usableGpus);
}

void describe(auto& members, Is<Job> auto& job) {
  members("place", job.placement);
  members("work", job.work);
}

}  // namespace lockstep::protocol
