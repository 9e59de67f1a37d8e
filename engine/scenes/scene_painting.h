#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/counter_hash.h"
#include "engine/data/image_file.h"

/// Drawing of synthetic scenes. Coordinates in px; the centre of the first pixel is (0.5, 0.5).
namespace lockstep::scenes {

/// A sequence of random numbers, a pure function of seed and scene number.
class SceneRandom {
 public:
  SceneRandom(std::uint64_t seed, std::uint64_t number) : key_(base::counterHash({seed, number})) {}
  std::uint64_t word() { return base::counterHash({key_, count_++}); }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(word() >> 11) * 0x1.0p-53);
  }
  int integer(int low, int high) { return low + static_cast<int>(uniform(0, high - low + 1)); }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

struct Colour {
  float red = 0, green = 0, blue = 0;  ///< 0 … 1
};
Colour mix(Colour a, Colour b, float share);
float distanceBetween(Colour a, Colour b);

/// A pattern of two colours.
struct Texture {
  enum class Pattern { Clouds, Stripes, Checks, Dots, Grain };
  Pattern pattern = Pattern::Clouds;
  Colour first, second;
  float periodPx = 20;
  float cosine = 1, sine = 0;  ///< of the pattern's direction
  std::uint64_t salt = 0;

  Colour at(float x, float y) const;
};
Texture makeTexture(SceneRandom& random, Colour base, float contrast);

enum class ShapeKind { Circle, Box, Star, Ring };
inline constexpr int kShapeKinds = 4;

struct Shape {
  ShapeKind kind = ShapeKind::Circle;
  float x = 0, y = 0;          ///< centre
  float radiusPx = 20;         ///< of the circle around it
  float cosine = 1, sine = 0;  ///< of its rotation
  float proportion =
      0.5f;  ///< box: short to long side; ring: hole to outside; star: inner to outer corners
  Texture texture;

  /// Distance of a point from the outline, negative inside.
  float signedDistance(float px, float py) const;
};
Shape makeShape(SceneRandom& random, int width, int height);

/// The canvas that a scene is drawn on: float32 colours.
class Canvas {
 public:
  Canvas(int width, int height);
  void paintGround(const Texture& texture, const Texture& veil);
  /// Draws the shape with its soft shadow; light comes from the unit vector (lightX, lightY).
  void paintShape(const Shape& shape, float lightX, float lightY);
  /// Applies uneven light, vignetting and noise of amplitude `noise` (0 … 1) and converts to 8
  /// bits.
  data::RgbImage develop(SceneRandom& random, float lightX, float lightY, float noise) const;

 private:
  Colour& at(int x, int y) { return pixels_[static_cast<std::size_t>(y) * width_ + x]; }
  int width_, height_;
  std::vector<Colour> pixels_;
};

/// Pixels whose centre is inside the shape: [height * width], 0 or 1.
std::vector<std::uint8_t> coverage(const Shape& shape, int width, int height);

}  // namespace lockstep::scenes
