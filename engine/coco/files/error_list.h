#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::coco {

/// What is wrong with an entry of an annotation file.
enum class EntryFault : std::uint8_t {
  Invalid,  ///< a field is missing, of the wrong type or out of range
  DuplicateId,
  MissingId,
  UnknownImage,
  UnknownClass,
  InvalidArea,
  EmptyBox,      ///< not [x, y, width, height], or negative width or height
  EmptyPolygon,  ///< fewer than three points, or not a list of coordinates
  InvalidMask    ///< RLE
};

/// True if the rest of the annotation can be used.
constexpr bool isMendable(EntryFault fault) {
  return fault == EntryFault::InvalidArea || fault == EntryFault::EmptyBox ||
         fault == EntryFault::EmptyPolygon;
}

/// The table of an annotation file that an entry is in.
enum class EntryTable : std::uint8_t { Images, Categories, Annotations };

struct EntryError {
  std::string where;     ///< the entry: `annotation 7 (image 3)`
  std::string what;      ///< the error and how to fix it
  std::size_t byte = 0;  ///< position of the entry in the file, from 1; 0: unknown
  EntryFault fault = EntryFault::Invalid;
  EntryTable table = EntryTable::Annotations;
  /// As in the file.
  std::optional<std::int64_t> imageId{}, categoryId{}, annotationId{};
  bool isTolerated = false;    ///< other readers than a lenient one accept it
  bool isConsequence = false;  ///< follows from another error; set by loadLeniently()
};

/// The errors of one file: the texts of the first few, and the count of all.
class ErrorList {
 public:
  /// `name`: the file name for messages. `isLenient`: the file's reader leaves invalid entries out
  /// and goes on, so all errors are kept.
  explicit ErrorList(std::string name, bool isLenient = false)
      : name_(std::move(name)), isLenient_(isLenient) {}

  void add(EntryError error);
  void add(const std::string& where, const std::string& what, std::size_t byte = 0) {
    add(EntryError{where, what, byte});
  }
  void addTolerated(EntryError error);
  bool isLenient() const { return isLenient_; }
  /// Of a lenient reader.
  std::vector<EntryError> takeAll() { return std::move(all_); }
  /// One line: the error, or the count and the first few; "" if there are none.
  std::string text() const;
  /// Throws Error with text() if there are errors.
  void throwIfAny() const;

 private:
  std::string name_;
  bool isLenient_;
  std::vector<std::string> first_;
  std::vector<EntryError> all_;
  std::size_t count_ = 0;
};

}  // namespace lockstep::coco
