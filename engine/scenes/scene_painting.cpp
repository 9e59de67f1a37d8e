#include "engine/scenes/scene_painting.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep::scenes {
namespace {

constexpr float kShadowPx = 5;          // how far a shadow falls
constexpr float kShadowSoftnessPx = 6;  // over how many px it fades
constexpr float kRimPx = 3;             // darker rim of a shape

struct Point {
  float x = 0, y = 0;
};

/// A hash of a grid point in [0, 1).
float latticeValue(int x, int y, std::uint64_t salt) {
  const std::uint64_t word =
      base::mixBits(salt ^ (static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32 |
                            static_cast<std::uint32_t>(y)));
  return static_cast<float>(word >> 40) * 0x1.0p-24f;
}

float smooth(float t) { return t * t * (3 - 2 * t); }

/// Value noise with one grid point per px of x and y.
float valueNoise(float x, float y, std::uint64_t salt) {
  const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
  const float tx = smooth(x - static_cast<float>(column)), ty = smooth(y - static_cast<float>(row));
  const float top =
      std::lerp(latticeValue(column, row, salt), latticeValue(column + 1, row, salt), tx);
  const float bottom =
      std::lerp(latticeValue(column, row + 1, salt), latticeValue(column + 1, row + 1, salt), tx);
  return std::lerp(top, bottom, ty);
}

/// Octaves of value noise, about 0 … 1.
float clouds(float x, float y, std::uint64_t salt) {
  float sum = 0, weight = 0.5f;
  for (int octave = 0; octave < 4; ++octave) {
    sum += weight * valueNoise(x, y, salt + static_cast<std::uint64_t>(octave));
    x *= 2;
    y *= 2;
    weight *= 0.5f;
  }
  return sum / 0.9375f;
}

/// 0 … 1 … 0 over a period of 1, with soft edges.
float wave(float t) {
  const float inPeriod = t - std::floor(t);
  return std::clamp(0.5f + 4 * (std::abs(inPeriod - 0.5f) - 0.25f), 0.0f, 1.0f);
}

float boxDistance(float x, float y, float halfWidth, float halfHeight) {
  const float dx = std::abs(x) - halfWidth, dy = std::abs(y) - halfHeight;
  const float outsideX = std::max(dx, 0.0f), outsideY = std::max(dy, 0.0f);
  return std::sqrt(outsideX * outsideX + outsideY * outsideY) + std::min(std::max(dx, dy), 0.0f);
}

constexpr int kStarCorners = 10;

/// Corners of a five-pointed star of radius 1, outer ones first.
std::array<Point, kStarCorners> starCorners(float innerRadius) {
  std::array<Point, kStarCorners> corners;
  for (int i = 0; i < kStarCorners; ++i) {
    const double angle = i * std::numbers::pi / 5;
    const double radius = i % 2 == 0 ? 1.0 : innerRadius;
    corners[i] = {static_cast<float>(radius * std::cos(angle)),
                  static_cast<float>(radius * std::sin(angle))};
  }
  return corners;
}

float polygonDistance(Point p, const std::array<Point, kStarCorners>& corners) {
  float nearest = 1e30f;
  bool inside = false;
  for (std::size_t i = 0, j = kStarCorners - 1; i < kStarCorners; j = i++) {
    const Point a = corners[i], b = corners[j];
    const float ex = b.x - a.x, ey = b.y - a.y, wx = p.x - a.x, wy = p.y - a.y;
    const float along = std::clamp((wx * ex + wy * ey) / (ex * ex + ey * ey), 0.0f, 1.0f);
    const float dx = wx - ex * along, dy = wy - ey * along;
    nearest = std::min(nearest, dx * dx + dy * dy);
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) * ex / ey) inside = !inside;
  }
  return (inside ? -1.0f : 1.0f) * std::sqrt(nearest);
}

/// The pixel range that a shape, enlarged by `margin`, can cover.
struct PixelRange {
  int x1, y1, x2, y2;
  PixelRange(const Shape& shape, float margin, int width, int height) {
    const float reach = shape.radiusPx + margin;
    x1 = std::clamp(static_cast<int>(std::floor(shape.x - reach)), 0, width);
    x2 = std::clamp(static_cast<int>(std::ceil(shape.x + reach)) + 1, 0, width);
    y1 = std::clamp(static_cast<int>(std::floor(shape.y - reach)), 0, height);
    y2 = std::clamp(static_cast<int>(std::ceil(shape.y + reach)) + 1, 0, height);
  }
};

Colour scaled(Colour colour, float factor) {
  return {colour.red * factor, colour.green * factor, colour.blue * factor};
}

std::uint8_t toByte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value * 255.0f + 0.5f, 0.0f, 255.0f));
}

}  // namespace

Colour mix(Colour a, Colour b, float share) {
  return {std::lerp(a.red, b.red, share), std::lerp(a.green, b.green, share),
          std::lerp(a.blue, b.blue, share)};
}

float distanceBetween(Colour a, Colour b) {
  const float red = a.red - b.red, green = a.green - b.green, blue = a.blue - b.blue;
  return std::sqrt(red * red + green * green + blue * blue);
}

Colour Texture::at(float x, float y) const {
  const float u = (x * cosine + y * sine) / periodPx, v = (y * cosine - x * sine) / periodPx;
  switch (pattern) {
    case Pattern::Clouds:
      return mix(first, second, smooth(clouds(u, v, salt)));
    case Pattern::Stripes:
      return mix(first, second, wave(u + 0.6f * valueNoise(u * 0.4f, v * 0.4f, salt)));
    case Pattern::Checks: {
      const float a = wave(u), b = wave(v);
      return mix(first, second, a + b - 2 * a * b);
    }
    case Pattern::Dots: {
      const float du = u - std::floor(u) - 0.5f, dv = v - std::floor(v) - 0.5f;
      return mix(first, second,
                 std::clamp((0.32f - std::sqrt(du * du + dv * dv)) * 6 + 0.5f, 0.0f, 1.0f));
    }
    case Pattern::Grain:
      return mix(first, second, clouds(u * 4, v, salt));
  }
  return first;
}

Texture makeTexture(SceneRandom& random, Colour base, float contrast) {
  const auto part = [&](float channel) {
    return std::clamp(channel + static_cast<float>(random.uniform(-contrast, contrast)), 0.02f,
                      0.98f);
  };
  Texture texture;
  texture.pattern = static_cast<Texture::Pattern>(random.integer(0, 4));
  texture.first = base;
  texture.second = {part(base.red), part(base.green), part(base.blue)};
  texture.periodPx = static_cast<float>(random.uniform(7, 22));
  const double angle = random.uniform(0, std::numbers::pi);
  texture.cosine = static_cast<float>(std::cos(angle));
  texture.sine = static_cast<float>(std::sin(angle));
  texture.salt = random.word();
  return texture;
}

float Shape::signedDistance(float px, float py) const {
  const float dx = px - x, dy = py - y;
  const float u = dx * cosine + dy * sine, v = dy * cosine - dx * sine;
  switch (kind) {
    case ShapeKind::Circle:
      return std::sqrt(u * u + v * v) - radiusPx;
    case ShapeKind::Box: {
      const float halfWidth = radiusPx / std::sqrt(1 + proportion * proportion);
      return boxDistance(u, v, halfWidth, halfWidth * proportion);
    }
    case ShapeKind::Star:
      return radiusPx * polygonDistance({u / radiusPx, v / radiusPx}, starCorners(proportion));
    case ShapeKind::Ring: {
      const float half = radiusPx * (1 - proportion) / 2;
      return std::abs(std::sqrt(u * u + v * v) - (radiusPx - half)) - half;
    }
  }
  return 1;
}

Shape makeShape(SceneRandom& random, int width, int height) {
  constexpr double kSmallestPx = 13, kLargestPx = 74;
  Shape shape;
  shape.kind = static_cast<ShapeKind>(random.integer(0, kShapeKinds - 1));
  shape.radiusPx =
      static_cast<float>(kSmallestPx * std::pow(kLargestPx / kSmallestPx, random.uniform(0, 1)));
  if (shape.kind == ShapeKind::Star) shape.radiusPx *= 1.15f;  // for about the area of the others
  shape.x = static_cast<float>(random.uniform(0.03 * width, 0.97 * width));
  shape.y = static_cast<float>(random.uniform(0.03 * height, 0.97 * height));
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  shape.cosine = static_cast<float>(std::cos(angle));
  shape.sine = static_cast<float>(std::sin(angle));
  const bool isBox = shape.kind == ShapeKind::Box;
  shape.proportion =
      static_cast<float>(isBox ? random.uniform(0.4, 1.0) : random.uniform(0.42, 0.6));
  return shape;
}

Canvas::Canvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

void Canvas::paintGround(const Texture& texture, const Texture& veil) {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
      at(x, y) = mix(texture.at(px, py), veil.at(px, py), 0.35f);
    }
  }
}

void Canvas::paintShape(const Shape& shape, float lightX, float lightY) {
  const PixelRange range(shape, kShadowPx + kShadowSoftnessPx, width_, height_);
  for (int y = range.y1; y < range.y2; ++y) {
    for (int x = range.x1; x < range.x2; ++x) {
      const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
      const float shadowDistance =
          shape.signedDistance(px + lightX * kShadowPx, py + lightY * kShadowPx);
      const float shadow = std::clamp(0.5f - shadowDistance / kShadowSoftnessPx, 0.0f, 1.0f);
      Colour& pixel = at(x, y);
      pixel = scaled(pixel, 1 - 0.4f * smooth(shadow));
      const float distance = shape.signedDistance(px, py);
      const float inside = std::clamp(0.5f - distance, 0.0f, 1.0f);
      if (inside <= 0) continue;
      const float facing = ((px - shape.x) * lightX + (py - shape.y) * lightY) / shape.radiusPx;
      const float rim = std::clamp(1 + distance / kRimPx, 0.0f, 1.0f);
      const Colour surface = shape.texture.at(px - shape.x, py - shape.y);
      pixel = mix(pixel, scaled(surface, (1 + 0.22f * facing) * (1 - 0.25f * rim)), inside);
    }
  }
}

data::RgbImage Canvas::develop(SceneRandom& random, float lightX, float lightY, float noise) const {
  const auto slope = static_cast<float>(random.uniform(0.1, 0.45));
  const auto vignette = static_cast<float>(random.uniform(0.05, 0.3));
  const std::uint64_t salt = random.word();
  data::RgbImage image(width_, height_);
  std::uint8_t* out = image.pixels.get();
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x, out += 3) {
      const float u = 2 * (static_cast<float>(x) + 0.5f) / static_cast<float>(width_) - 1;
      const float v = 2 * (static_cast<float>(y) + 0.5f) / static_cast<float>(height_) - 1;
      const float light =
          (1 + slope * (u * lightX + v * lightY)) * (1 - vignette * (u * u + v * v) / 2);
      const Colour& colour = pixels_[static_cast<std::size_t>(y) * width_ + x];
      const std::array<float, 3> channels{colour.red, colour.green, colour.blue};
      for (int channel = 0; channel < 3; ++channel) {
        // The sum of two uniform numbers has a triangular distribution, close enough to sensor
        // noise.
        const std::uint64_t word =
            base::mixBits(salt ^ static_cast<std::uint64_t>((y * width_ + x) * 3 + channel));
        const float grain = static_cast<float>(word >> 40) * 0x1.0p-24f +
                            static_cast<float>(word & 0xffffff) * 0x1.0p-24f - 1;
        out[channel] = toByte(channels[channel] * light + noise * grain);
      }
    }
  }
  return image;
}

std::vector<std::uint8_t> coverage(const Shape& shape, int width, int height) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(width) *
                                 static_cast<std::size_t>(height));
  const PixelRange range(shape, 1, width, height);
  for (int y = range.y1; y < range.y2; ++y) {
    for (int x = range.x1; x < range.x2; ++x) {
      mask[static_cast<std::size_t>(y) * width + x] =
          shape.signedDistance(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f) < 0;
    }
  }
  return mask;
}

}  // namespace lockstep::scenes
