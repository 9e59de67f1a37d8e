#pragma once

#include <cstdint>

/// Field numbers and values of TensorBoard's Summary protobuf message: summary.proto, tensor.proto
/// and types.proto.
namespace lockstep::events::summary_fields {

namespace summary {
enum : std::uint32_t { Value = 1 };
}
namespace value {
enum : std::uint32_t {
  Tag = 1,
  SimpleValue = 2,
  OldHistogram = 3,
  Image = 4,
  Histogram = 5,
  Audio = 6,
  Tensor = 8,
  Metadata = 9
};
}
namespace image {
enum : std::uint32_t { Height = 1, Width = 2, Colorspace = 3, Encoded = 4 };
}
namespace tensor {
enum : std::uint32_t {
  Type = 1,
  Shape = 2,
  Content = 4,
  FloatVal = 5,
  DoubleVal = 6,
  IntVal = 7,
  StringVal = 8,
  Int64Val = 10,
  BoolVal = 11,
  HalfVal = 13,
  Uint32Val = 16,
  Uint64Val = 17
};
}
namespace shape {
enum : std::uint32_t { Dimension = 2, UnknownRank = 3 };
}
namespace dimension {
enum : std::uint32_t { Size = 1 };
}
namespace metadata {
enum : std::uint32_t { PluginData = 1, DataClass = 4 };
}
namespace plugin {
enum : std::uint32_t { Name = 1, Content = 2 };
}

inline constexpr int kFloatType = 1, kStringType = 7;
inline constexpr int kTensorClass = 2;
inline constexpr int kRgb = 3;

}  // namespace lockstep::events::summary_fields
