// usage: dataset_check_beside_decoding FOLDER [ROUNDS]: `dataset check` beside decoding the same
// images with OpenCV on all cores, one thread each, in alternation. FOLDER gets 5,000 JPEGs of 480
// px with 36,000 objects, unless it has them. Prints seconds and processor seconds, their ratios,
// and the largest memory of a process of the check beside that of one that only starts.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/parallel_for.h"
#include "engine/coco/files/dataset.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

constexpr int kSidePx = 480;
constexpr std::size_t kImages = 5000, kObjects = 36'000;
constexpr int kPoints = 40;

std::string nameOf(std::size_t image) { return std::to_string(image + 1) + ".jpg"; }

/// Noise of several scales, so that the file is as large as a photograph's.
cv::Mat background(cv::RNG& random) {
  cv::Mat sum = cv::Mat::zeros(kSidePx, kSidePx, CV_32FC3);
  for (const int cells : {4, 15, 60, 480}) {
    cv::Mat noise(cells, cells, CV_32FC3), scaled;
    random.fill(noise, cv::RNG::UNIFORM, -120. / std::sqrt(cells), 120. / std::sqrt(cells));
    cv::resize(noise, scaled, sum.size(), 0, 0, cv::INTER_CUBIC);
    sum += scaled;
  }
  cv::Mat picture;
  sum.convertTo(picture, CV_8UC3, 1, 128);
  return picture;
}

/// An outline that bulges.
std::vector<double> outline(cv::RNG& random) {
  const double radius = random.uniform(6., 60.), lobes = random.uniform(2, 5);
  const double x = random.uniform(radius, kSidePx - radius),
               y = random.uniform(radius, kSidePx - radius);
  std::vector<double> xy;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = 2 * CV_PI * i / kPoints;
    const double r = radius * (0.85 + 0.15 * std::cos(lobes * angle));
    xy.push_back(std::round((x + r * std::cos(angle)) * 100) / 100);
    xy.push_back(std::round((y + r * std::sin(angle)) * 100) / 100);
  }
  return xy;
}

std::vector<coco::Annotation> makeImage(std::size_t image, const fs::path& folder) {
  cv::RNG random(image + 1);
  cv::Mat picture = background(random);
  std::vector<coco::Annotation> annotations;
  for (std::size_t id = image + 1; id <= kObjects; id += kImages) {
    coco::Annotation annotation;
    annotation.id = static_cast<std::int64_t>(id);
    annotation.imageId = {static_cast<std::int64_t>(image + 1)};
    annotation.categoryId = {random.uniform(1, 6)};
    const std::vector<double> xy = outline(random);
    std::vector<cv::Point> points;
    for (std::size_t i = 0; i < xy.size(); i += 2)
      points.emplace_back(static_cast<int>(xy[i]), static_cast<int>(xy[i + 1]));
    cv::fillPoly(picture, std::vector{points},
                 cv::Scalar(random.uniform(0, 256), random.uniform(0, 256), 60));
    annotation.segmentation = std::vector<std::vector<double>>{xy};
    annotations.push_back(std::move(annotation));
  }
  cv::imwrite((folder / nameOf(image)).string(), picture, {cv::IMWRITE_JPEG_QUALITY, 90});
  return annotations;
}

void makeDataset(const fs::path& folder) {
  fs::create_directories(folder / "images");
  std::vector<std::vector<coco::Annotation>> made(kImages);
  base::parallelFor(kImages, 0, [&](std::size_t i) { made[i] = makeImage(i, folder / "images"); });
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> annotations;
  for (std::size_t i = 0; i < kImages; ++i) {
    images.push_back({{static_cast<std::int64_t>(i + 1)}, nameOf(i), kSidePx, kSidePx});
    std::ranges::move(made[i], std::back_inserter(annotations));
  }
  std::vector<coco::Category> classes;
  for (int id = 1; id <= 5; ++id) classes.push_back({{id}, "class " + std::to_string(id)});
  coco::saveDataset(coco::Dataset::fromParts(images, classes, annotations, "made"),
                    folder / "instances.json");
  base::writeFileAtomically(
      folder / "experiment.yaml",
      "dataset: {train: {images: images, annotations: instances.json}}\nmodel: {norm: group}\n");
}

struct Cost {
  double seconds = 0, processorSeconds = 0;
};

double processorSeconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

template <typename Work>
Cost costOf(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const double before = processorSeconds();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          processorSeconds() - before};
}

void decodeAll(const fs::path& folder) {
  base::parallelFor(kImages, 0, [&](std::size_t i) {
    if (cv::imread((folder / "images" / nameOf(i)).string()).empty())
      throw Error(nameOf(i) + " cannot be decoded");
  });
}

void run(const fs::path& program, std::vector<std::string> arguments) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    if (std::freopen("/dev/null", "w", stdout) && std::freopen("/dev/null", "w", stderr))
      ::execv(program.c_str(), words.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw Error(program.string() + " " + arguments[0] + " failed");
}

/// The largest of the processes so far.
double mostMebibytes() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const fs::path& program, const fs::path& folder, int rounds) {
  run(program, {"info"});
  const double startMebibytes = mostMebibytes();
  decodeAll(folder);  // into the kernel's cache
  std::vector<double> ratios, processorRatios;
  for (int round = 0; round < rounds; ++round) {
    const Cost decoding = costOf([&] { decodeAll(folder); });
    const Cost checking = costOf([&] {
      run(program, {"dataset", "check", (folder / "experiment.yaml").string(), "--out",
                    (folder / "check.json").string()});
    });
    ratios.push_back(checking.seconds / decoding.seconds);
    processorRatios.push_back(checking.processorSeconds / decoding.processorSeconds);
    std::printf("decoding %.2f s (processors %.2f s), dataset check %.2f s (%.2f s): %.3f (%.3f)\n",
                decoding.seconds, decoding.processorSeconds, checking.seconds,
                checking.processorSeconds, ratios.back(), processorRatios.back());
  }
  std::printf("median ratio %.3f (of processor time %.3f); %.0f MiB, at its start %.0f MiB\n",
              median(ratios), median(processorRatios), mostMebibytes(), startMebibytes);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: dataset_check_beside_decoding FOLDER [ROUNDS]\n");
    return 2;
  }
  try {
    cv::setNumThreads(1);
    const fs::path folder = arguments[1];
    if (!fs::exists(folder / "experiment.yaml")) makeDataset(folder);
    const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
    compare(programs / "lockstep-engine", folder,
            count > 2 ? std::max(1, std::atoi(arguments[2])) : 5);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dataset_check_beside_decoding: %s\n", error.what());
    return 1;
  }
}
