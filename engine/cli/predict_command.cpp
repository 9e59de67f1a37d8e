#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/base/error.h"
#include "engine/cli/commands.h"
#include "engine/cli/model_source.h"
#include "engine/cli/output_path.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct PredictOptions {
  std::string target, weights, split, out, overlays;
  std::vector<std::string> images;
  double score = 0.05;
};

bool isImageName(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  constexpr std::array kExtensions = {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

/// Absolute paths of the images; of a folder, those right inside it by name.
std::vector<std::string> imageFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!fs::exists(path)) throw base::mendable("--images " + path + ": is not there");
    if (!fs::is_directory(path)) {
      files.push_back(fs::absolute(path).string());
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (isImageName(entry.path())) inside.push_back(fs::absolute(entry.path()).string());
    }
    if (inside.empty())
      throw base::mendable("--images " + path + ": holds no image (jpg, png, bmp, tif, webp)");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

int predict(const PredictOptions& options) {
  if (options.split.empty() == options.images.empty()) {
    throw base::mendable(
        "lockstep-engine predict: say what to predict on: either --split val or --images PATH…");
  }
  const auto workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.target, options.weights, workerProgram);
  if (options.images.empty()) requireHeldOut(source);
  protocol::Job job = source.job("predict");
  job.split = options.split;
  job.paths = imageFiles(options.images);
  job.scoreThreshold = options.score;
  job.out = checkOutputFile(options.out, "--out").string();
  if (!options.overlays.empty())
    job.overlays = makeOutputFolder(options.overlays, "--overlays").string();
  supervisor::runOneShotJob(workerProgram, job);
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addPredictCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("predict", "Detections with masks as COCO results");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("target", options->target, "Run folder or experiment file")
      ->required()
      ->option_text("RUN|CONFIG");
  command
      ->add_option("--weights", options->weights,
                   "Default: the newest checkpoint, or model.weights")
      ->option_text("best|last|STEP|FILE");
  command->add_option("--split", options->split, "Images of the data set")
      ->option_text("val")
      ->check(CLI::IsMember({"val"}));
  command->add_option("--images", options->images, "Image files, or folders of them")
      ->option_text("PATH...");
  command->add_option("--score", options->score, "Lowest score kept")
      ->option_text("S")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--out", options->out, "Where the results go")
      ->required()
      ->option_text("F.json");
  command
      ->add_option("--overlays", options->overlays,
                   "Folder for pictures with the detections drawn in")
      ->option_text("DIR");
  command->callback([options, &action] { action = [options] { return predict(*options); }; });
}

}  // namespace lockstep::cli
