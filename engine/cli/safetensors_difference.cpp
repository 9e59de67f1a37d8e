#include "engine/cli/safetensors_difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/run_folder/safetensors_header.h"

namespace lockstep::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "lengths and values are little-endian");

struct TensorEntry {
  std::string name, type, shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes after the header
};

/// Bytes of an element; 0: an unknown type.
std::uint64_t elementBytes(const std::string& type) {
  if (type == "F64" || type == "I64") return 8;
  if (type == "F32" || type == "I32") return 4;
  if (type == "F16" || type == "BF16" || type == "I16") return 2;
  return type == "I8" || type == "U8" || type == "BOOL" ? 1 : 0;
}

/// Whether so many bytes can be a tensor of this type and shape.
bool isSizeOf(std::uint64_t bytes, const std::string& type,
              const std::vector<std::uint64_t>& shape) {
  std::uint64_t left = elementBytes(type) == 0 ? bytes : elementBytes(type);
  for (const std::uint64_t length : shape) {
    if (elementBytes(type) == 0) return true;
    if (length != 0 && left > bytes / length + 1) return false;
    left *= length;
  }
  return left == bytes;
}

/// `[64, 3]`
std::string shapeText(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t length : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(length);
  return "[" + text + "]";
}

/// A safetensors file whose tensors are read one after another.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& path)
      : path_(path), file_(path, std::ios::binary) {
    const nlohmann::json header = run_folder::readSafetensorsHeader(path);
    if (!header.is_object()) throw Error(path.string() + ": is not a safetensors file");
    std::uint64_t headerBytes = 0;
    file_.read(reinterpret_cast<char*>(&headerBytes), sizeof headerBytes);
    dataBegin_ = sizeof headerBytes + headerBytes;
    std::error_code unknown;
    const std::uint64_t bytes = std::filesystem::file_size(path, unknown);
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__") tensors_.push_back(entryOf(name, entry, bytes));
    }
    std::ranges::sort(tensors_, {}, &TensorEntry::begin);
  }

  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  const TensorEntry* find(const std::string& name) const {
    const auto found = std::ranges::find(tensors_, name, &TensorEntry::name);
    return found == tensors_.end() ? nullptr : &*found;
  }
  std::string read(const TensorEntry& tensor) {
    std::string bytes(tensor.end - tensor.begin, '\0');
    file_.seekg(static_cast<std::streamoff>(dataBegin_ + tensor.begin));
    if (!file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw Error(path_.string() + ": " + tensor.name + " cannot be read");
    return bytes;
  }

 private:
  TensorEntry entryOf(const std::string& name, const nlohmann::json& entry,
                      std::uint64_t fileBytes) const {
    try {
      const auto& offsets = entry.at("data_offsets");
      const auto shape = entry.at("shape").get<std::vector<std::uint64_t>>();
      TensorEntry tensor{name, entry.at("dtype").get<std::string>(), shapeText(shape),
                         offsets.at(0).get<std::uint64_t>(), offsets.at(1).get<std::uint64_t>()};
      if (tensor.begin <= tensor.end && tensor.end <= fileBytes - std::min(fileBytes, dataBegin_) &&
          isSizeOf(tensor.end - tensor.begin, tensor.type, shape))
        return tensor;
    } catch (const nlohmann::json::exception&) {
      // Said below.
    }
    throw Error(path_.string() + ": the header's entry of " + name + " is damaged");
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t dataBegin_ = 0;
  std::vector<TensorEntry> tensors_;
};

template <typename Value>
double largestDifference(const std::string& left, const std::string& right) {
  double largest = 0;
  const std::size_t bytes = std::min(left.size(), right.size());
  for (std::size_t at = 0; at + sizeof(Value) <= bytes; at += sizeof(Value)) {
    Value a, b;
    std::memcpy(&a, left.data() + at, sizeof a);
    std::memcpy(&b, right.data() + at, sizeof b);
    const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    if (!(difference <= largest)) largest = difference;  // NaN stays
    if (std::isnan(largest)) break;
  }
  return largest;
}

/// nullopt: of another type than F32 and F64.
std::optional<double> largestDifference(const std::string& type, const std::string& left,
                                        const std::string& right) {
  if (type == "F32") return largestDifference<float>(left, right);
  if (type == "F64") return largestDifference<double>(left, right);
  return std::nullopt;
}

/// Empty: the same bits.
std::string differenceOf(TensorFile& leftFile, const TensorEntry& left, TensorFile& rightFile,
                         const TensorEntry* right) {
  if (right == nullptr) return "is missing in the second";
  if (left.shape != right->shape) return "shape " + left.shape + " and " + right->shape;
  if (left.type != right->type) return "type " + left.type + " and " + right->type;
  const std::string a = leftFile.read(left), b = rightFile.read(*right);
  if (a == b) return {};
  const auto largest = largestDifference(left.type, a, b);
  // -0 and 0 differ by nothing but their bits.
  return largest && *largest != 0 ? "by up to " + base::shortNumber(*largest, 3) : "in its bits";
}

}  // namespace

TensorDifference compareSafetensors(const std::filesystem::path& left,
                                    const std::filesystem::path& right) {
  TensorFile leftFile(left), rightFile(right);
  TensorDifference result;
  result.tensors = leftFile.tensors().size();
  const auto note = [&result](const std::string& name, std::string how) {
    if (how.empty()) return;
    if (result.different++ > 0) return;
    result.first = name;
    result.how = std::move(how);
  };
  for (const TensorEntry& tensor : leftFile.tensors())
    note(tensor.name, differenceOf(leftFile, tensor, rightFile, rightFile.find(tensor.name)));
  for (const TensorEntry& tensor : rightFile.tensors()) {
    if (leftFile.find(tensor.name) != nullptr) continue;
    ++result.tensors;
    note(tensor.name, "is missing in the first");
  }
  return result;
}

}  // namespace lockstep::cli
