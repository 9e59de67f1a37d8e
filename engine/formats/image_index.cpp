#include "engine/formats/image_index.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <set>

#include "engine/base/error.h"
#include "engine/base/pattern.h"
#include "engine/base/shortened_text.h"
#include "engine/base/text_encoding.h"
#include "engine/base/utf8.h"

namespace lockstep::formats {
namespace {

const std::vector<std::string> kImageExtensions{".jpg", ".jpeg", ".png", ".bmp",
                                                ".tif", ".tiff", ".webp"};

bool isHidden(const fs::path& path) { return path.filename().string().starts_with("."); }

std::string extensionOf(const fs::path& file) { return base::lowerCase(file.extension().string()); }

/// How many of the first components two paths have in common.
std::size_t commonStart(const fs::path& one, const fs::path& other) {
  const auto ends = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return static_cast<std::size_t>(std::distance(one.begin(), ends.first));
}

/// How many of the last components two paths have in common.
std::size_t commonEnd(const fs::path& one, const fs::path& other) {
  const std::vector<fs::path> a(one.begin(), one.end()), b(other.begin(), other.end());
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[a.size() - 1 - count] == b[b.size() - 1 - count])
    ++count;
  return count;
}

/// Lines end with \n, \r\n or \r.
std::vector<std::string> linesIn(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(text.size(), 1));
  }
  return lines;
}

/// Leaves those of the largest score.
void keepBest(std::vector<fs::path>& files,
              const std::function<std::size_t(const fs::path&)>& scoreOf) {
  std::size_t best = 0;
  for (const fs::path& file : files) best = std::max(best, scoreOf(file));
  std::erase_if(files, [&](const fs::path& file) { return scoreOf(file) < best; });
}

fs::path oneOf(const std::vector<fs::path>& found, const std::string& name) {
  if (found.size() != 1) throw Error(imageProblem(name, found));
  return found[0];
}

}  // namespace

std::string withSlashes(std::string path) {
  std::ranges::replace(path, '\\', '/');
  return path;
}

bool isImageName(const fs::path& file) {
  return std::ranges::count(kImageExtensions, extensionOf(file)) > 0;
}

bool isFile(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

namespace {

/// Lists a tree whose links may lead back into it.
class TreeWalk {
 public:
  TreeWalk(const std::vector<std::string>& extensions, std::vector<fs::path>& files)
      : extensions_(extensions), files_(files) {}

  void visit(const fs::path& folder) {
    struct stat facts;
    if (::stat(folder.c_str(), &facts) != 0 ||
        !visited_.insert({facts.st_dev, facts.st_ino}).second)
      return;
    std::vector<fs::path> folders;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      if (isHidden(entry->path())) continue;
      std::error_code ignored;
      if (entry->is_directory(ignored)) {
        folders.push_back(entry->path());
      } else if (std::ranges::count(extensions_, extensionOf(entry->path())) > 0 &&
                 entry->is_regular_file(ignored)) {
        files_.push_back(entry->path());
      }
    }
    // Real folders first: a link to one of them is the second way to it.
    std::ranges::sort(folders, {}, [](const fs::path& path) {
      std::error_code ignored;
      return std::pair(fs::is_symlink(path, ignored), path);
    });
    for (const fs::path& one : folders) visit(one);
  }

 private:
  const std::vector<std::string>& extensions_;
  std::vector<fs::path>& files_;
  std::set<std::pair<dev_t, ino_t>> visited_;
};

}  // namespace

std::vector<fs::path> filesBelow(const fs::path& folder,
                                 const std::vector<std::string>& extensions) {
  std::vector<fs::path> files;
  if (isFile(folder)) return {folder};
  TreeWalk(extensions, files).visit(folder);
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> linesOf(const fs::path& file) { return linesIn(base::readUnicode(file)); }

std::vector<std::string> nameLinesOf(const fs::path& file) { return linesIn(base::readUtf8(file)); }

std::optional<Part> partOf(const fs::path& relative) {
  static const base::Pattern kPart(
      "(.*[_-])?(train(ing)?|val(id(ation)?)?|test(ing)?)([0-9_.-].*)?");
  for (const fs::path& component : relative) {
    const std::vector<std::string> groups = kPart.groupsOf(base::lowerCase(component.string()));
    if (groups.empty()) continue;
    const std::string& part = groups[2];
    if (part.starts_with("train")) return Part::Train;
    return part.starts_with("val") ? Part::Val : Part::Test;
  }
  return std::nullopt;
}

ImageIndex::ImageIndex(const fs::path& folder, const std::vector<std::string>& skipped)
    : folder_(folder) {
  for (fs::path& file : filesBelow(folder, kImageExtensions)) {
    const fs::path relative = file.lexically_relative(folder).parent_path();
    const bool isSkipped = std::ranges::any_of(skipped, [&](const std::string& name) {
      return std::ranges::count(relative, fs::path(name)) > 0;
    });
    if (isSkipped) continue;
    byName_.emplace(file.filename().string(), file);
    byStem_.emplace(file.stem().string(), file);
    all_.push_back(std::move(file));
  }
}

std::vector<fs::path> ImageIndex::find(const std::string& name) const {
  const std::string slashed = withSlashes(name);
  std::vector<fs::path> found;
  const auto [begin, end] = byName_.equal_range(fs::path(slashed).filename().string());
  for (auto at = begin; at != end; ++at) found.push_back(at->second);
  if (found.empty()) {
    const fs::path file = fs::path(slashed).filename();
    return withStem(isImageName(file) ? file.stem().string() : file.string());
  }
  // Of several with this name, those that most of the folders before it lead to.
  keepBest(found, [&](const fs::path& file) { return commonEnd(file, slashed); });
  return found;
}

std::vector<fs::path> ImageIndex::withStem(const std::string& stem) const {
  std::vector<fs::path> found;
  const auto [begin, end] = byStem_.equal_range(stem);
  for (auto at = begin; at != end; ++at) found.push_back(at->second);
  return found;
}

std::string imageProblem(const std::string& name, const std::vector<fs::path>& found) {
  const std::string image = "its image " + base::shortenedPath(name);
  if (found.empty()) return image + " is missing";
  return image + " is there " + std::to_string(found.size()) + " times: " + found[0].string() +
         ", " + found[1].string();
}

std::vector<fs::path> ImageIndex::nearest(std::vector<fs::path> found, const fs::path& file,
                                          const std::string& folder) const {
  if (found.size() < 2) return found;
  const std::string wanted = base::lowerCase(folder);
  keepBest(found, [&](const fs::path& image) -> std::size_t {
    return std::ranges::any_of(
        image.lexically_relative(folder_).parent_path(),
        [&](const fs::path& one) { return base::lowerCase(one.string()) == wanted; });
  });
  keepBest(found, [&](const fs::path& image) {
    return commonStart(image.parent_path(), file.parent_path());
  });
  keepBest(found, [&](const fs::path& image) {
    return commonEnd(image.parent_path(), file.parent_path());
  });
  const auto part = partOf(file.lexically_relative(folder_));
  keepBest(found, [&](const fs::path& image) -> std::size_t {
    return part && partOf(image.lexically_relative(folder_).parent_path()) == part;
  });
  return found;
}

fs::path ImageIndex::onlyWithStem(const std::string& stem, const fs::path& file) const {
  return oneOf(nearest(withStem(stem), file), stem);
}

fs::path ImageIndex::only(const std::string& name, const fs::path& file,
                          const std::string& folder) const {
  return oneOf(nearest(find(name), file, folder), name);
}

}  // namespace lockstep::formats
