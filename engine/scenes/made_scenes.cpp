#include "engine/scenes/made_scenes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <system_error>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/new_folder.h"
#include "engine/coco/masks/rle.h"
#include "engine/config/shapes_experiment.h"
#include "engine/scenes/scene_painting.h"

namespace lockstep::scenes {
namespace {

namespace fs = std::filesystem;

constexpr double kLeastVisibleShare =
    0.35;  // visible share of an object's area; with less it is left out of the scene
constexpr int kLeastVisiblePx = 80;
constexpr float kLeastContrast = 0.3f;    // between an object's colour and the background's
constexpr double kAnyColourShare = 0.15;  // of the objects; the others have their class's colour
constexpr float kColourSpread = 0.14f;    // of each channel around the class's usual colour
// Circle, box, star, ring. As with real objects, colour is a hint of the class but not proof.
constexpr std::array<Colour, kShapeKinds> kUsualColours{
    {{0.82f, 0.34f, 0.22f}, {0.24f, 0.42f, 0.80f}, {0.90f, 0.78f, 0.28f}, {0.26f, 0.68f, 0.44f}}};
constexpr std::uint64_t kValScenes = std::uint64_t{1} << 32;  // first scene number of the val split

Colour randomColour(SceneRandom& random, double low, double high) {
  return {static_cast<float>(random.uniform(low, high)),
          static_cast<float>(random.uniform(low, high)),
          static_cast<float>(random.uniform(low, high))};
}

/// The background has low saturation, so that objects stand out.
Colour groundColour(SceneRandom& random) {
  const Colour colour = randomColour(random, 0.2, 0.75);
  const float grey = (colour.red + colour.green + colour.blue) / 3;
  return mix(colour, {grey, grey, grey}, 0.6f);
}

/// Mostly the class's usual colour, never that of the background.
Colour objectColour(SceneRandom& random, ShapeKind kind, Colour ground) {
  const Colour usual = kUsualColours[static_cast<std::size_t>(kind)];
  const auto around = [&](float channel) {
    return std::clamp(channel + static_cast<float>(random.uniform(-kColourSpread, kColourSpread)),
                      0.05f, 0.97f);
  };
  Colour colour;
  do {
    if (random.uniform(0, 1) < kAnyColourShare) {
      colour = randomColour(random, 0.08, 0.95);
    } else {
      colour = {around(usual.red), around(usual.green), around(usual.blue)};
    }
  } while (distanceBetween(colour, ground) < kLeastContrast);
  return colour;
}

/// An object and its visible pixels.
struct VisibleShape {
  Shape shape;
  std::vector<std::uint8_t> mask;
};

/// From the top object down, removes objects that are mostly occluded or outside, so that every
/// object in the image is annotated. `shapes` and the result: bottom first.
std::vector<VisibleShape> visibleShapes(const std::vector<Shape>& shapes, int width, int height) {
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(width) *
                                  static_cast<std::size_t>(height));
  std::vector<VisibleShape> result;
  for (auto shape = shapes.rbegin(); shape != shapes.rend(); ++shape) {
    const std::vector<std::uint8_t> own = coverage(*shape, width, height);
    std::vector<std::uint8_t> seen(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) seen[i] = own[i] && !taken[i];
    Shape centred = *shape;
    const int side = 2 * static_cast<int>(std::ceil(shape->radiusPx)) + 2;
    centred.x = centred.y = static_cast<float>(side) / 2;
    const std::vector<std::uint8_t> whole = coverage(centred, side, side);
    const auto wholePx = std::count(whole.begin(), whole.end(), 1),
               seenPx = std::count(seen.begin(), seen.end(), 1);
    if (seenPx < kLeastVisiblePx ||
        static_cast<double>(seenPx) < kLeastVisibleShare * static_cast<double>(wholePx))
      continue;
    for (std::size_t i = 0; i < own.size(); ++i) taken[i] |= own[i];
    result.push_back({*shape, std::move(seen)});
  }
  std::reverse(result.begin(), result.end());
  return result;
}

coco::Annotation annotationOf(const VisibleShape& visible, int width, int height) {
  coco::Annotation annotation;
  coco::Rle mask = coco::encodeMask(visible.mask.data(), height, width, width);
  annotation.categoryId = {static_cast<int>(visible.shape.kind) + 1};
  annotation.boxXywh = coco::boundingBoxXywh(mask);
  annotation.area = static_cast<double>(coco::areaPx(mask));
  annotation.segmentation = std::move(mask);
  return annotation;
}

/// One split: its images and its annotation file.
struct Split {
  std::string name;
  int images = 0;
  std::int64_t firstId = 1;
  std::uint64_t firstScene = 0;
};

void writeSplit(const Split& split, const fs::path& folder, std::uint64_t seed,
                const std::function<void()>& onImage) {
  fs::create_directories(folder / split.name);
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> annotations;
  for (int i = 0; i < split.images; ++i) {
    MadeScene scene = makeScene(seed, split.firstScene + static_cast<std::uint64_t>(i));
    const std::int64_t id = split.firstId + i;
    std::string number = std::to_string(id);
    number.insert(0, 6 - std::min<std::size_t>(number.size(), 6), '0');
    images.push_back({{id}, "scene_" + number + ".jpg", scene.image.width, scene.image.height});
    data::writeImage(scene.image, folder / split.name / images.back().fileName);
    for (coco::Annotation& annotation : scene.annotations) {
      annotation.id = static_cast<std::int64_t>(annotations.size()) + 1;
      annotation.imageId = {id};
      annotations.push_back(std::move(annotation));
    }
    onImage();
  }
  const fs::path file = folder / "annotations" / ("instances_" + split.name + ".json");
  fs::create_directories(file.parent_path());
  coco::saveDataset(
      coco::Dataset::fromParts(images, madeSceneCategories(), annotations, file.string()), file);
}

}  // namespace

std::vector<coco::Category> madeSceneCategories() {
  return {{{1}, "circle"}, {{2}, "box"}, {{3}, "star"}, {{4}, "ring"}};
}

MadeScene makeScene(std::uint64_t seed, std::uint64_t number) {
  SceneRandom random(
      base::counterHash({seed, static_cast<std::uint64_t>(base::RandomPurpose::MadeScene)}),
      number);
  int width = random.integer(320, 480), height = random.integer(240, 360);
  if (random.uniform(0, 1) < 0.3) std::swap(width, height);
  const Colour ground = groundColour(random);
  const Texture groundTexture = makeTexture(random, ground, 0.16f),
                veil = makeTexture(random, ground, 0.25f);
  std::vector<Shape> shapes;
  for (int count = random.integer(4, 11); count > 0; --count) {
    shapes.push_back(makeShape(random, width, height));
    const Colour colour = objectColour(random, shapes.back().kind, ground);
    shapes.back().texture = makeTexture(random, colour, 0.2f);
  }
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const auto lightX = static_cast<float>(std::cos(angle)),
             lightY = static_cast<float>(std::sin(angle));
  Canvas canvas(width, height);
  canvas.paintGround(groundTexture, veil);
  MadeScene scene;
  for (const VisibleShape& visible : visibleShapes(shapes, width, height)) {
    canvas.paintShape(visible.shape, lightX, lightY);
    scene.annotations.push_back(annotationOf(visible, width, height));
  }
  scene.image =
      canvas.develop(random, lightX, lightY, static_cast<float>(random.uniform(0.01, 0.07)));
  return scene;
}

void writeMadeScenes(const MadeScenesOptions& options,
                     const std::function<void(int done, int all)>& onProgress) {
  if (options.trainImages < 1 || options.valImages < 1) {
    throw UserError("dataset shapes: --train and --val must be at least 1");
  }
  const base::NewFolder folder(options.folder);
  int done = 0;
  const auto onImage = [&] {
    ++done;
    if (onProgress) onProgress(done, options.trainImages + options.valImages);
  };
  const Split train{"train", options.trainImages, 1, 0};
  const Split val{"val", options.valImages, options.trainImages + 1, kValScenes};
  for (const Split& split : {train, val}) writeSplit(split, folder.path(), options.seed, onImage);
  base::writeFileAtomically(folder.path() / "experiment.yaml", config::kShapesExperiment);
  folder.finish();
}

}  // namespace lockstep::scenes
