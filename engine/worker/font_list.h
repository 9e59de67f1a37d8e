#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::worker {

struct FontFile {
  std::string path;
  int index = 0;  ///< of the face in the file
};

/// The outline fonts of this machine in fontconfig's fallback order for sans-serif text. The
/// constructor scans all installed fonts.
class FontList {
 public:
  FontList();
  ~FontList();
  FontList(const FontList&) = delete;
  FontList& operator=(const FontList&) = delete;

  std::size_t size() const;
  FontFile file(std::size_t font) const;
  bool has(std::size_t font, char32_t character) const;

 private:
  struct Font;
  std::vector<Font> fonts_;
};

}  // namespace lockstep::worker
