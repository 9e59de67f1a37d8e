#include <cmath>
#include <memory>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/image_files.h"
#include "engine/cli/input_path.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/model_source.h"
#include "engine/cli/output_path.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// In JSON a byte of a path may become six.
constexpr std::size_t kMostBytesInMessage = protocol::kMaxLineBytes / 8;

struct PredictOptions {
  ModelOptions model;
  std::optional<protocol::Split> split;
  std::string out, overlays;
  std::vector<std::string> images;
  double score = 0.05, overlayScore = 0.5;
  RankRequest ranks;
};

/// Absolute paths of the images; of a folder, those in it and below, whose faults are told.
class ImageList {
 public:
  ImageList(const std::vector<std::string>& paths, const std::string& overlays) {
    for (const std::string& path : paths) {
      if (!isThere(path)) throw base::mendable("--images " + path + ": is not there");
      if (isFolder(path)) {
        addFolder(path, overlays);
      } else {
        files.push_back(fs::absolute(path).string());
      }
    }
  }

  std::vector<std::string> files;
  bool hasFaults = false;  ///< some could not be looked for

 private:
  /// Pictures drawn before are no images to predict on.
  void addFolder(const std::string& path, const std::string& overlays) {
    const ImageFiles inside = imagesBelow(path, base::FileIdentity::of(overlays));
    for (const std::string& fault : inside.faults) base::logWarning("engine", fault);
    hasFaults = hasFaults || !inside.faults.empty();
    tellPassedOver(path, inside);
    if (inside.files.empty())
      throw base::mendable("--images " + path + ": holds no image (jpg, png, bmp, tif, webp)");
    for (const fs::path& file : inside.files) files.push_back(fs::absolute(file).string());
  }

  static void tellPassedOver(const std::string& path, const ImageFiles& inside) {
    if (inside.passedOver.empty()) return;
    base::logInfo("engine", "--images " + path + ": " +
                                base::counted(inside.passedOver.size(), "file") +
                                " passed over, for the ending is none of jpg, png, bmp, tif, webp,"
                                " such as " +
                                inside.passedOver.front().filename().string());
  }
};

/// Names the images in the job. A message holds some thousands of them: more go into a file that
/// lies in `folder`, which is made then.
void namePaths(protocol::PredictJob& job, std::vector<std::string> files,
               std::optional<TemporaryFolder>& folder) {
  std::string list;
  for (const std::string& file : files) (list += file) += '\0';
  if (list.size() <= kMostBytesInMessage) {
    job.paths = std::move(files);
    return;
  }
  folder.emplace();
  const fs::path file = folder->path() / "images";
  base::writeFileAtomically(file, list);
  job.pathsFile = file.string();
}

/// Tells what the worker counted. Returns whether every image was read.
bool tellSummary(const protocol::PredictResult& result, const std::string& out) {
  std::string text = out + ": " + std::to_string(result.detections) + " detections on " +
                     std::to_string(result.images) + " images";
  if (result.unread > 0) text += "; " + std::to_string(result.unread) + " could not be read";
  base::logInfo("engine", text);
  return result.unread == 0;
}

Inputs inputsOf(const ModelSource& source, const PredictOptions& options,
                const std::vector<std::string>& images) {
  Inputs inputs = source.inputs();
  for (const std::string& file : images) inputs.add(file, "an image of --images");
  for (const std::string& path : options.images) {
    if (isFolder(path)) inputs.addImages(path, "--images");
  }
  return inputs;
}

/// Comparisons with a NaN are false: a range lets it pass.
void checkScore(double score, const char* option) {
  if (std::isnan(score)) throw base::mendable(std::string(option) + ": must be a number");
}

int predict(const PredictOptions& options) {
  if (options.split.has_value() != options.images.empty()) {
    throw base::mendable(
        "lockstep-engine predict: say what to predict on: either --split val|train or --images "
        "PATH…");
  }
  checkScore(options.score, "--score");
  checkScore(options.overlayScore, "--overlay-score");
  checkWorkers(options.ranks);
  const auto workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.model, workerProgram, options.ranks);
  if (options.split) requirePart(source, *options.split);
  protocol::PredictJob job{.model = source.model(),
                           .scoreThreshold = options.score,
                           .overlayScore = options.overlayScore};
  if (options.split) job.split = *options.split;
  ImageList images(options.images, options.overlays);
  const Inputs inputs = inputsOf(source, options, images.files);
  OutputFile out(options.out, "--out", inputs);
  if (!options.overlays.empty() && out.isAt(options.overlays))
    throw base::mendable("--overlays " + options.overlays +
                         ": is the file of --out; name a folder");
  job.out = out.workerFile().string();
  if (!options.overlays.empty())
    job.overlays = makeOutputFolder(options.overlays, "--overlays", inputs).string();
  std::optional<TemporaryFolder> listFolder;
  namePaths(job, std::move(images.files), listFolder);
  const protocol::PredictResult result =
      supervisor::runOneShotJob(workerProgram, job, source.ranks);
  out.handOn();
  const bool isWhole = tellSummary(result, out.name()) && !images.hasFaults;
  return static_cast<int>(isWhole ? ExitStatus::Done : ExitStatus::Failed);
}

}  // namespace

void addPredictCommand(Command& program) {
  Command command = program.command("predict", "Detections with masks as COCO results");
  auto options = std::make_shared<PredictOptions>();
  addModelOptions(command, options->model);
  addOverrideOption(command, options->model);
  addSplitOption(command, options->split);
  command
      .option(
          "--images", options->images,
          "Image files, or folders of them with all below, save what is hidden; turned as their "
          "EXIF orientation says")
      .text("PATH...");
  command.option("--score", options->score, "Lowest score kept")
      .text("S")
      .from(0.0, 1.0)
      .showDefault();
  addWorkersOption(command, options->ranks);
  command.option("--out", options->out, "Where the results go (-: standard output)")
      .required()
      .text("F.json");
  Option overlays = command
                        .option("--overlays", options->overlays,
                                "Folder for pictures with the detections drawn in; those drawn "
                                "before are replaced, no others")
                        .text("DIR");
  command
      .option("--overlay-score", options->overlayScore,
              "Lowest score drawn in the pictures, of those that --score keeps")
      .text("S")
      .from(0.0, 1.0)
      .showDefault()
      .needs(overlays);
  command.run([options] { return predict(*options); });
}

}  // namespace lockstep::cli
