#include "engine/checkpoint/safetensors.h"

#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/input_file.h"
#include "engine/base/shortened_text.h"

// Layout: 8 bytes little-endian length of the header, the header (JSON: name -> {dtype, shape,
// data_offsets}, and
// __metadata__: text -> text), then the bytes of all tensors without a gap.
// https://huggingface.co/docs/safetensors
namespace lockstep::checkpoint {
namespace {

using Json = nlohmann::json;
using base::shortened;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::uint64_t kAlignment = 8;
constexpr int kMaxHeaderDepth = 3;  // {name: {shape: [ … ]}}
constexpr int kMaxDimensions = 16;
constexpr std::size_t kMaxListed = 1000;
constexpr std::size_t kMaxTensors = 10'000;  // the parser takes their square of time

struct ElementType {
  const char* name;
  at::ScalarType type;
};
constexpr std::array<ElementType, 10> kElementTypes{{{"F64", at::kDouble},
                                                     {"F32", at::kFloat},
                                                     {"F16", at::kHalf},
                                                     {"BF16", at::kBFloat16},
                                                     {"I64", at::kLong},
                                                     {"I32", at::kInt},
                                                     {"I16", at::kShort},
                                                     {"I8", at::kChar},
                                                     {"U8", at::kByte},
                                                     {"BOOL", at::kBool}}};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& text) {
  throw Error(file.string() + ": " + text);
}

[[noreturn]] void failWithReason(const std::filesystem::path& file, const char* what) {
  fail(file, std::string(what) + ": " + std::strerror(errno));
}

/// An open file, its name, and what has been written.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, int flags)
      : file_(file), fd_(base::openRegularFile(file, flags, 0666)) {}

  std::uint64_t size() const {
    struct stat facts {};
    if (::fstat(fd_.get(), &facts) != 0) failWithReason(file_, "cannot be read");
    return static_cast<std::uint64_t>(facts.st_size);
  }

  void read(void* into, std::uint64_t count, std::uint64_t offset) const {
    auto* bytes = static_cast<char*>(into);
    while (count > 0) {
      const ssize_t got = ::pread(fd_.get(), bytes, std::min<std::uint64_t>(count, 1U << 30),
                                  static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) failWithReason(file_, "cannot be read");
      if (got == 0) fail(file_, "was truncated while it was read");
      bytes += got;
      offset += static_cast<std::uint64_t>(got);
      count -= static_cast<std::uint64_t>(got);
    }
  }

  void write(const void* from, std::uint64_t count) {
    const auto* bytes = static_cast<const char*>(from);
    written_.bytes += count;
    written_.crc32c = base::crc32c({bytes, count}, written_.crc32c);
    while (count > 0) {
      const ssize_t written = ::write(fd_.get(), bytes, std::min<std::uint64_t>(count, 1U << 30));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) failWithReason(file_, "cannot be written");
      bytes += written;
      count -= static_cast<std::uint64_t>(written);
    }
  }

  /// Written so far.
  const WrittenFile& written() const { return written_; }

  /// Closes now: network file systems report some write errors only here.
  void close() {
    if (::close(fd_.release()) != 0) failWithReason(file_, "cannot be written");
  }

 private:
  std::filesystem::path file_;
  base::FileDescriptor fd_;
  WrittenFile written_;
};

/// One tensor in the header.
struct Entry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes after the header
};

/// Parses the header; rejects duplicate names, deep nesting, long lists and many tensors.
Json parseHeader(const std::string& text, const std::filesystem::path& file) {
  using Event = Json::parse_event_t;
  std::set<std::string> names;
  std::size_t values = 0;  // since a list or an object began
  const auto check = [&](int depth, Event event, Json& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= kMaxHeaderDepth) fail(file, "the header is nested too deeply");
    if (opens) values = 0;
    if (event == Event::value && depth == kMaxHeaderDepth && ++values > kMaxListed)
      fail(file, "the header has a list that is too long");
    if (event == Event::key && depth == 1 && !names.insert(parsed.get<std::string>()).second)
      fail(file, "tensor '" + shortened(parsed.get<std::string>()) + "' is duplicated");
    if (names.size() > kMaxTensors)
      fail(file, "the header has over " + std::to_string(kMaxTensors) + " tensors");
    return true;
  };
  try {
    Json header = Json::parse(text, check);
    if (!header.is_object())
      fail(file, "is not a safetensors file: the header is not a JSON object");
    return header;
  } catch (const Json::exception&) {
    fail(file, "is not a safetensors file: the header is invalid JSON");
  }
}

/// Zip archives and pickles, as torch.save writes them; a safetensors header begins with a brace.
bool isPyTorchFile(const std::array<unsigned char, kLengthBytes + 1>& start) {
  const bool isZip = start[0] == 'P' && start[1] == 'K' && start[2] == 3 && start[3] == 4;
  const bool isPickle = start[0] == 0x80 && start[1] >= 2 && start[1] <= 5;
  return (isZip || isPickle) && start[kLengthBytes] != '{';
}

Json readHeader(const OpenFile& open, const std::filesystem::path& file, std::uint64_t fileSize,
                std::uint64_t& dataStart) {
  if (fileSize < kLengthBytes) fail(file, "is not a safetensors file: it is too short");
  std::array<unsigned char, kLengthBytes + 1> lengthBytes{};
  open.read(lengthBytes.data(), std::min<std::uint64_t>(lengthBytes.size(), fileSize), 0);
  if (isPyTorchFile(lengthBytes)) {
    throw UserError(file.string() +
                    ": is a PyTorch file, not a safetensors file; convert "
                    "it with packaging/convert_weights.py IN.pth OUT.safetensors");
  }
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | lengthBytes[static_cast<std::size_t>(i)];
  if (length > kMaxHeaderBytes)
    fail(file, "is not a safetensors file: the header is longer than 100 MB");
  if (length > fileSize - kLengthBytes)
    fail(file, "is truncated: the header extends past the end of the file");
  std::string text(length, '\0');
  open.read(text.data(), length, kLengthBytes);
  dataStart = kLengthBytes + length;
  return parseHeader(text, file);
}

std::vector<std::uint64_t> unsignedList(const Json& object, const char* key,
                                        const std::string& where,
                                        const std::filesystem::path& file) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) fail(file, where + "has no list '" + key + "'");
  std::vector<std::uint64_t> values;
  for (const Json& value : *found) {
    if (!value.is_number_unsigned())
      fail(file, where + "'" + key + "' contains values other than non-negative integers");
    values.push_back(value.get<std::uint64_t>());
  }
  return values;
}

at::ScalarType elementType(const Json& object, const std::string& where,
                           const std::filesystem::path& file) {
  const auto found = object.find("dtype");
  if (found == object.end() || !found->is_string()) fail(file, where + "has no 'dtype'");
  const std::string name = found->get<std::string>();
  for (const ElementType& type : kElementTypes) {
    if (name == type.name) return type.type;
  }
  fail(file, where + "has unsupported dtype " + shortened(name));
}

/// Byte count of a shape; fails when it overflows, even if another dimension is 0.
std::uint64_t byteCount(const std::vector<std::uint64_t>& shape, at::ScalarType type,
                        const std::string& where, const std::filesystem::path& file) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
  std::uint64_t bytes = c10::elementSize(type);
  bool isEmpty = false;
  for (std::uint64_t side : shape) {
    isEmpty = isEmpty || side == 0;
    if (side == 0) continue;
    if (bytes > kMaxBytes / side) fail(file, where + "has a shape that is too large");
    bytes *= side;
  }
  return isEmpty ? 0 : bytes;
}

Entry readEntry(const std::string& name, const Json& object, std::uint64_t dataBytes,
                const std::filesystem::path& file) {
  const std::string where = "tensor '" + shortened(name) + "' ";
  if (!object.is_object()) fail(file, where + "is not described by an object");
  Entry entry{name, elementType(object, where, file), {}, 0, 0};
  const std::vector<std::uint64_t> shape = unsignedList(object, "shape", where, file);
  if (shape.size() > kMaxDimensions) fail(file, where + "has too many dimensions");
  const std::uint64_t bytes = byteCount(shape, entry.type, where, file);
  entry.shape.assign(shape.begin(), shape.end());
  const std::vector<std::uint64_t> offsets = unsignedList(object, "data_offsets", where, file);
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fail(file, where + "has no valid 'data_offsets'");
  if (offsets[1] > dataBytes)
    fail(file, where + "extends past the end of the file: the file is truncated");
  if (offsets[1] - offsets[0] != bytes)
    fail(file, where + "has a shape that does not match its byte count");
  entry.begin = offsets[0];
  entry.end = offsets[1];
  return entry;
}

Metadata readMetadata(const Json& object, const std::filesystem::path& file) {
  if (!object.is_object()) fail(file, "__metadata__ is not an object");
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) fail(file, "__metadata__ '" + shortened(key) + "' is not a string");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// Sorts by offset and rejects bytes that belong to two tensors or to none.
void checkOffsets(std::vector<Entry>& entries, std::uint64_t dataBytes,
                  const std::filesystem::path& file) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin < position)
      fail(file, "tensor '" + shortened(entry.name) + "' overlaps another");
    if (entry.begin > position)
      fail(file, "bytes before '" + shortened(entry.name) + "' belong to no tensor");
    position = entry.end;
  }
  if (position != dataBytes) fail(file, "trailing bytes belong to no tensor");
}

at::ScalarType supportedType(const at::Tensor& tensor, const std::string& name,
                             const std::filesystem::path& file, std::string& typeName) {
  for (const ElementType& type : kElementTypes) {
    if (type.type != tensor.scalar_type()) continue;
    typeName = type.name;
    return type.type;
  }
  fail(file, "tensor '" + name + "' has a dtype that safetensors does not support");
}

/// Header text, padded so that the data begin at a multiple of kAlignment.
std::string makeHeader(const NamedTensors& tensors, const Metadata& metadata,
                       const std::filesystem::path& file) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t position = 0;
  for (const auto& [name, tensor] : tensors) {
    std::string typeName;
    supportedType(tensor, name, file, typeName);
    if (name == "__metadata__" || header.contains(name))
      fail(file, "tensor '" + name + "' is duplicated");
    const std::uint64_t end = position + tensor.nbytes();
    header[name] = {
        {"dtype", typeName}, {"shape", tensor.sizes().vec()}, {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

}  // namespace

const at::Tensor* SafetensorsFile::find(const std::string& wanted) const {
  for (const auto& [known, tensor] : tensors) {
    if (known == wanted) return &tensor;
  }
  return nullptr;
}

SafetensorsFile readSafetensors(const std::filesystem::path& file) {
  const OpenFile open(file, O_RDONLY | O_CLOEXEC);
  const std::uint64_t fileSize = open.size();
  std::uint64_t dataStart = 0;
  const Json header = readHeader(open, file, fileSize, dataStart);
  SafetensorsFile result{.tensors = {}, .metadata = {}, .name = file.string()};
  std::vector<Entry> entries;
  for (const auto& [name, object] : header.items()) {
    if (name == "__metadata__") {
      result.metadata = readMetadata(object, file);
    } else {
      entries.push_back(readEntry(name, object, fileSize - dataStart, file));
    }
  }
  checkOffsets(entries, fileSize - dataStart, file);
  for (const Entry& entry : entries) {
    at::Tensor tensor = at::empty(entry.shape, at::TensorOptions(entry.type));
    open.read(tensor.data_ptr(), entry.end - entry.begin, dataStart + entry.begin);
    result.tensors.emplace_back(entry.name, std::move(tensor));
  }
  return result;
}

WrittenFile writeSafetensors(const std::filesystem::path& file, const NamedTensors& tensors,
                             const Metadata& metadata) {
  // Larger elements first, so that every tensor is aligned to its elements.
  NamedTensors ordered = tensors;
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.second.element_size() > b.second.element_size();
  });
  const std::string header = makeHeader(ordered, metadata, file);
  std::array<unsigned char, kLengthBytes> length{};
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length[i] = static_cast<unsigned char>(header.size() >> (8 * i));
  OpenFile open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  open.write(length.data(), length.size());
  open.write(header.data(), header.size());
  for (const auto& [name, tensor] : ordered) {
    const at::Tensor onCpu = tensor.detach().cpu().contiguous();
    open.write(onCpu.const_data_ptr(), onCpu.nbytes());
  }
  open.close();
  base::syncToDisk(file);
  return open.written();
}

}  // namespace lockstep::checkpoint
