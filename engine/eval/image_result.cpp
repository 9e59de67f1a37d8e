#include "engine/eval/image_result.h"

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

/// Reads values one after another.
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
    if (size > rest_.size()) throw corrupt();
    return {raw(size), size};
  }

  std::vector<std::uint32_t> takeCounts() {
    const auto count = take<std::uint64_t>();
    if (count > rest_.size() / sizeof(std::uint32_t)) throw corrupt();
    std::vector<std::uint32_t> counts(count);
    if (count > 0)
      std::memcpy(counts.data(), raw(count * sizeof counts[0]), count * sizeof counts[0]);
    return counts;
  }

 private:
  static Error corrupt() { return Error("corrupt evaluation results from another rank"); }

  const char* raw(std::size_t count) {
    if (count > rest_.size()) throw corrupt();
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

void putBadImage(std::string& bytes, const std::optional<data::BadImageInfo>& image) {
  put(bytes, image.has_value());
  if (!image) return;
  put(bytes, image->id.value);
  putText(bytes, image->file);
  putText(bytes, image->reason);
}

std::optional<data::BadImageInfo> takeBadImage(Reader& reader) {
  if (!reader.take<bool>()) return std::nullopt;
  data::BadImageInfo image;
  image.id.value = reader.take<decltype(image.id.value)>();
  image.file = reader.takeText();
  image.reason = reader.takeText();
  return image;
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

void ResultPack::add(std::int64_t index, const ImageResult& result) {
  put(bytes_, index);
  putBadImage(bytes_, result.badImage);
  put(bytes_, result.losses);
  put(bytes_, static_cast<std::uint64_t>(result.lossGroups.size()));
  for (const LossGroup& group : result.lossGroups) put(bytes_, group);
  put(bytes_, static_cast<std::uint64_t>(result.detections.size()));
  for (const coco::Detection& detection : result.detections) putDetection(bytes_, detection);
}

void unpackResults(std::string_view bytes, std::vector<ImageResult>& results) {
  Reader reader(bytes);
  while (!reader.isAtEnd()) {
    const auto index = reader.take<std::int64_t>();
    if (index < 0 || index >= static_cast<std::int64_t>(results.size()))
      throw Error("evaluation results from another rank are of other images");
    ImageResult& image = results[static_cast<std::size_t>(index)];
    image.badImage = takeBadImage(reader);
    image.losses = reader.take<LossValues>();
    image.lossGroups.clear();
    for (auto left = reader.take<std::uint64_t>(); left > 0; --left)
      image.lossGroups.push_back(reader.take<LossGroup>());
    image.detections.clear();
    for (auto left = reader.take<std::uint64_t>(); left > 0; --left)
      image.detections.push_back(takeDetection(reader));
  }
}

}  // namespace lockstep::eval
