#include <memory>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/image_files.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/base/temporary_folder.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/model_source.h"
#include "engine/cli/output_path.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// JSON escapes may expand a byte of a path to six.
constexpr std::size_t kMostBytesInMessage = protocol::kMaxLineBytes / 8;

struct PredictOptions {
  ModelOptions model;
  std::optional<protocol::Split> split;
  std::string out, overlays;
  std::vector<std::string> images;
  double score = 0.05, overlayScore = 0.5;
  RankRequest ranks;
};

/// Absolute paths of the images, those of folders included. Logs what is unreadable or skipped.
class ImageList {
 public:
  ImageList(const std::vector<std::string>& paths, const std::string& overlays) {
    for (const std::string& path : paths) {
      if (!pathExists(path)) throw UserError("--images " + path + ": no such file or folder");
      if (isFolder(path)) {
        addFolder(path, overlays);
      } else {
        files.push_back(fs::absolute(path).string());
      }
    }
  }

  std::vector<std::string> files;
  bool hasErrors = false;  ///< some folder or file was unreadable

 private:
  /// The folder of earlier overlays is excluded.
  void addFolder(const std::string& path, const std::string& overlays) {
    const base::ImageFiles inside = base::imagesBelow(path, base::FileIdentity::of(overlays));
    for (const std::string& error : inside.errors) base::logWarning("engine", error);
    hasErrors = hasErrors || !inside.errors.empty();
    logSkipped(path, inside);
    if (inside.files.empty())
      throw UserError("--images " + path + ": contains no images (jpg, png, bmp, tif, webp)");
    for (const fs::path& file : inside.files) files.push_back(fs::absolute(file).string());
  }

  static void logSkipped(const std::string& path, const base::ImageFiles& inside) {
    if (inside.skipped.empty()) return;
    base::logInfo("engine", "--images " + path + ": " +
                                base::counted(inside.skipped.size(), "file") +
                                " skipped, with an extension other than jpg, png, bmp, tif, webp,"
                                " such as " +
                                inside.skipped.front().filename().string());
  }
};

/// Passes the image paths to the job. A message holds some thousands of them: more are written to a
/// file in `folder`, which is then created.
void setPaths(protocol::PredictJob& job, std::vector<std::string> files,
              std::optional<base::TemporaryFolder>& folder) {
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

/// Logs the worker's counts. Returns whether every image was read.
bool logSummary(const protocol::PredictResult& result, const std::string& out) {
  const auto counted = [](std::int64_t count, const char* noun) {
    return base::counted(static_cast<std::uint64_t>(count), noun);
  };
  std::string text = out + ": " + counted(result.detections, "detection") + " in " +
                     counted(result.images, "image");
  if (result.unreadable > 0)
    text += "; " + counted(result.unreadable, "image") + " could not be read";
  base::logInfo("engine", text);
  return result.unreadable == 0;
}

Inputs predictInputs(const ModelSource& source, const PredictOptions& options,
                     const std::vector<std::string>& images) {
  Inputs inputs = source.inputs();
  for (const std::string& file : images) inputs.add(file, "an image of --images");
  for (const std::string& path : options.images) {
    if (isFolder(path)) inputs.addImages(path, "--images");
  }
  return inputs;
}

int predict(const PredictOptions& options) {
  if (options.split.has_value() != options.images.empty()) {
    throw UserError("lockstep-engine predict: give either --split val|train or --images PATH…");
  }
  checkWorkers(options.ranks);
  const auto workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.model, workerProgram, options.ranks);
  if (options.split) requireSplit(source, *options.split);
  protocol::PredictJob job{.model = source.model(),
                           .scoreThreshold = options.score,
                           .overlayScore = options.overlayScore};
  if (options.split) job.split = *options.split;
  ImageList images(options.images, options.overlays);
  const Inputs inputs = predictInputs(source, options, images.files);
  OutputFile out(options.out, "--out", inputs);
  if (!options.overlays.empty() && out.isAt(options.overlays))
    throw UserError("--overlays " + options.overlays + ": is the file of --out; choose a folder");
  job.out = out.workerFile().string();
  if (!options.overlays.empty())
    job.overlays = makeOutputFolder(options.overlays, "--overlays", inputs).string();
  std::optional<base::TemporaryFolder> listFolder;
  setPaths(job, std::move(images.files), listFolder);
  const protocol::PredictResult result =
      supervisor::runOneShotJob(workerProgram, job, source.ranks);
  out.writeWorkerResult();
  const bool isComplete = logSummary(result, out.name()) && !images.hasErrors;
  return static_cast<int>(isComplete ? ExitStatus::Done : ExitStatus::Failed);
}

}  // namespace

void addPredictCommand(Command& program) {
  Command command = program.command("predict", "Run inference and write COCO results");
  command.usage("RUN|CONFIG (--split val|train | --images PATH...) --out F.json [OPTIONS]");
  auto options = std::make_shared<PredictOptions>();
  addModelOptions(command, options->model);
  command.overrides(options->model.overrides, "evaluation.max_images=100");
  addSplitOption(command, options->split);
  command
      .option("--images", options->images,
              "Image files, or folders to search recursively (without hidden files); EXIF "
              "orientation is applied")
      .metavar("PATH...");
  command.option("--score", options->score, "Drop detections with a lower score")
      .metavar("S")
      .range(0.0, 1.0)
      .showDefault();
  addWorkersOption(command, options->ranks);
  command.option("--out", options->out, "Results file (-: standard output)")
      .required()
      .metavar("F.json");
  Option overlays = command
                        .option("--overlays", options->overlays,
                                "Folder for images with the detections drawn; only images drawn by "
                                "an earlier call are replaced")
                        .metavar("DIR");
  command.option("--overlay-score", options->overlayScore, "Draw no detections with a lower score")
      .metavar("S")
      .range(0.0, 1.0)
      .showDefault()
      .needs(overlays);
  command.run([options] { return predict(*options); });
}

}  // namespace lockstep::cli
