#include "engine/formats/image_index.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/pattern.h"
#include "engine/base/utf8.h"

namespace lockstep::formats {
namespace {

const std::vector<std::string> kImageExtensions{".jpg", ".jpeg", ".png", ".bmp",
                                                ".tif", ".tiff", ".webp"};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool isHidden(const fs::path& path) { return path.filename().string().starts_with("."); }

std::string extensionOf(const fs::path& file) { return base::lowerCase(file.extension().string()); }

/// With slashes only: names in files of other systems have backslashes.
std::string withSlashes(std::string name) {
  std::ranges::replace(name, '\\', '/');
  return name;
}

/// How many of the last components two paths have in common.
std::size_t commonEnd(const fs::path& one, const fs::path& other) {
  const std::vector<fs::path> a(one.begin(), one.end()), b(other.begin(), other.end());
  std::size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[a.size() - 1 - count] == b[b.size() - 1 - count])
    ++count;
  return count;
}

}  // namespace

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

std::vector<std::string> linesOf(const fs::path& file) {
  std::string text = base::readFile(file);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

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

ImageIndex::ImageIndex(const fs::path& folder, const std::vector<std::string>& skipped) {
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
    const bool namesImage = std::ranges::count(kImageExtensions, extensionOf(file)) > 0;
    return withStem(namesImage ? file.stem().string() : file.string());
  }
  // Of several with this name, those that most of the folders before it lead to.
  std::size_t most = 0;
  for (const fs::path& file : found) most = std::max(most, commonEnd(file, slashed));
  std::erase_if(found, [&](const fs::path& file) { return commonEnd(file, slashed) < most; });
  return found;
}

std::vector<fs::path> ImageIndex::withStem(const std::string& stem) const {
  std::vector<fs::path> found;
  const auto [begin, end] = byStem_.equal_range(stem);
  for (auto at = begin; at != end; ++at) found.push_back(at->second);
  return found;
}

std::string ImageIndex::problemWith(const std::string& name) const {
  const std::vector<fs::path> found = find(name);
  if (found.empty()) return "its image " + name + " is missing";
  if (found.size() == 1) return {};
  return "its image " + name + " is there " + std::to_string(found.size()) +
         " times: " + found[0].string() + ", " + found[1].string();
}

fs::path ImageIndex::onlyWithStem(const std::string& stem) const {
  const std::vector<fs::path> found = withStem(stem);
  if (found.empty()) throw Error("its image " + stem + " is missing");
  if (found.size() > 1) {
    throw Error("its image " + stem + " is there " + std::to_string(found.size()) +
                " times: " + found[0].string() + ", " + found[1].string());
  }
  return found[0];
}

fs::path ImageIndex::only(const std::string& name) const {
  const std::string problem = problemWith(name);
  if (!problem.empty()) throw Error(problem);
  return find(name)[0];
}

}  // namespace lockstep::formats
