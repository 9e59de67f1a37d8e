#include "engine/eval/image_figures.h"

#include <cstring>
#include <type_traits>

#include "engine/base/error.h"

namespace lockstep::eval {
namespace {

template <typename Value>
void put(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Takes values from the front of what is left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool isAtEnd() const { return rest_.empty(); }

  template <typename Value>
  Value take() {
    Value value;
    std::memcpy(&value, raw(sizeof value), sizeof value);
    return value;
  }

  std::string takeText() {
    const auto size = take<std::uint64_t>();
    if (size > rest_.size()) throw damaged();
    return {raw(size), size};
  }

  std::vector<std::uint32_t> takeCounts() {
    const auto count = take<std::uint64_t>();
    if (count > rest_.size() / sizeof(std::uint32_t)) throw damaged();
    std::vector<std::uint32_t> counts(count);
    if (count > 0)
      std::memcpy(counts.data(), raw(count * sizeof counts[0]), count * sizeof counts[0]);
    return counts;
  }

 private:
  static Error damaged() { return Error("another rank's evaluation cannot be read"); }

  const char* raw(std::size_t count) {
    if (count > rest_.size()) throw damaged();
    const char* begin = rest_.data();
    rest_.remove_prefix(count);
    return begin;
  }

  std::string_view rest_;
};

void putText(std::string& bytes, const std::string& text) {
  put(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
}

void putFault(std::string& bytes, const std::optional<data::ImageFault>& fault) {
  put(bytes, fault.has_value());
  if (!fault) return;
  put(bytes, fault->id.value);
  putText(bytes, fault->file);
  putText(bytes, fault->reason);
}

std::optional<data::ImageFault> takeFault(Reader& reader) {
  if (!reader.take<bool>()) return std::nullopt;
  data::ImageFault fault;
  fault.id.value = reader.take<decltype(fault.id.value)>();
  fault.file = reader.takeText();
  fault.reason = reader.takeText();
  return fault;
}

void putDetection(std::string& bytes, const coco::Detection& detection) {
  put(bytes, detection.imageId.value);
  put(bytes, detection.categoryId.value);
  put(bytes, detection.score);
  put(bytes, detection.boxXywh);
  put(bytes, detection.areaPx);
  put(bytes, detection.mask.height);
  put(bytes, detection.mask.width);
  put(bytes, static_cast<std::uint64_t>(detection.mask.counts.size()));
  bytes.append(reinterpret_cast<const char*>(detection.mask.counts.data()),
               detection.mask.counts.size() * sizeof(std::uint32_t));
}

coco::Detection takeDetection(Reader& reader) {
  coco::Detection detection;
  detection.imageId.value = reader.take<decltype(detection.imageId.value)>();
  detection.categoryId.value = reader.take<decltype(detection.categoryId.value)>();
  detection.score = reader.take<double>();
  detection.boxXywh = reader.take<std::array<double, 4>>();
  detection.areaPx = reader.take<double>();
  detection.mask.height = reader.take<int>();
  detection.mask.width = reader.take<int>();
  detection.mask.counts = reader.takeCounts();
  return detection;
}

}  // namespace

void FigurePack::add(std::int64_t index, const ImageFigures& figures) {
  put(bytes_, index);
  putFault(bytes_, figures.fault);
  put(bytes_, figures.losses);
  put(bytes_, static_cast<std::uint64_t>(figures.detections.size()));
  for (const coco::Detection& detection : figures.detections) putDetection(bytes_, detection);
}

void unpackFigures(std::string_view bytes, std::vector<ImageFigures>& figures) {
  Reader reader(bytes);
  while (!reader.isAtEnd()) {
    const auto index = reader.take<std::int64_t>();
    if (index < 0 || index >= static_cast<std::int64_t>(figures.size()))
      throw Error("another rank evaluated other images");
    ImageFigures& image = figures[static_cast<std::size_t>(index)];
    image.fault = takeFault(reader);
    image.losses = reader.take<LossValues>();
    image.detections.clear();
    for (auto left = reader.take<std::uint64_t>(); left > 0; --left)
      image.detections.push_back(takeDetection(reader));
  }
}

}  // namespace lockstep::eval
