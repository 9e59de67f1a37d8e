#include "engine/formats/split.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "engine/base/counter_hash.h"
#include "engine/base/error.h"
#include "engine/base/pattern.h"
#include "engine/base/shortened_text.h"

namespace lockstep::formats {
namespace {

/// Images that must not be separated.
struct Group {
  std::string name;
  std::uint64_t order = 0;  ///< random
  std::vector<SourceImage*> images;
  std::map<std::string, double> objects;  ///< by category
  bool isAssigned = false;
};

std::uint64_t hashOf(std::uint64_t seed, const std::string& text) {
  std::uint64_t hash = base::counterHash({seed, text.size()});
  for (const char character : text)
    hash = base::mixBits(hash ^ static_cast<unsigned char>(character));
  return hash;
}

std::vector<Group> groupsOf(const std::vector<SourceImage*>& images, const fs::path& folder,
                            const SplitOptions& options) {
  std::optional<base::Pattern> pattern;
  try {
    pattern.emplace(options.groupPattern);
  } catch (const Error& error) {
    throw UserError("the pattern of groups, '" + base::shortened(options.groupPattern) +
                    "', is not a regular expression: " + error.what());
  }
  std::map<std::string, Group> groups;
  for (SourceImage* const image : images) {
    const fs::path relative = image->file.lexically_relative(folder);
    std::string name = relative.empty() ? image->file.generic_string() : relative.generic_string();
    std::vector<std::string> match;
    if (!options.groupPattern.empty()) match = pattern->find(name);
    const std::string key = match.empty() ? "" : match[match.size() > 1 ? 1 : 0];
    if (!key.empty()) name = "=" + key;
    Group& group = groups[name];
    group.name = name;
    group.images.push_back(image);
    for (const SourceObject& object : image->objects) ++group.objects[object.category];
  }
  std::vector<Group> list;
  for (auto& [name, group] : groups) list.push_back(std::move(group));
  for (Group& group : list) group.order = hashOf(options.seed, group.name);
  std::ranges::sort(list, {},
                    [](const Group& group) { return std::pair(group.order, group.name); });
  return list;
}

/// How much each part still wants.
class Stratifier {
 public:
  Stratifier(std::vector<Group>& groups, double valShare) : groups_(groups) {
    const std::array shares{1 - valShare, valShare};
    double images = 0;
    for (const Group& group : groups) {
      images += static_cast<double>(group.images.size());
      for (const auto& [category, count] : group.objects) left_[category] += count;
    }
    for (std::size_t part = 0; part < 2; ++part) {
      wantedImages_[part] = images * shares[part];
      for (const auto& [category, count] : left_) wanted_[part][category] = count * shares[part];
    }
  }

  void assignAll() {
    std::map<std::string, std::vector<Group*>> groupsWith;
    for (Group& group : groups_)
      for (const auto& [category, count] : group.objects) groupsWith[category].push_back(&group);
    while (const auto category = rarest()) {
      for (Group* const group : groupsWith[*category])
        if (!group->isAssigned) assign(*group, partFor(*category));
      left_.erase(*category);
    }
    for (Group& group : groups_)
      if (!group.isAssigned) assign(group, wantedImages_[1] > wantedImages_[0] ? 1 : 0);
  }

  std::size_t groupsIn(Part part) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        groups_, [&](const Group& group) { return group.images[0]->part == part; }));
  }

 private:
  /// The category with the fewest objects in groups without a part.
  std::optional<std::string> rarest() const {
    const auto found =
        std::ranges::min_element(left_, {}, [](const auto& entry) { return entry.second; });
    return found == left_.end() ? std::nullopt : std::optional(found->first);
  }

  /// That which lacks more of the category's objects, then of images.
  std::size_t partFor(const std::string& category) {
    const auto lack = [&](std::size_t part) {
      return std::pair(wanted_[part][category], wantedImages_[part]);
    };
    return lack(1) > lack(0) ? 1 : 0;
  }

  void assign(Group& group, std::size_t part) {
    group.isAssigned = true;
    for (SourceImage* const image : group.images) image->part = part == 1 ? Part::Val : Part::Train;
    wantedImages_[part] -= static_cast<double>(group.images.size());
    for (const auto& [category, count] : group.objects) {
      wanted_[part][category] -= count;
      if (const auto left = left_.find(category); left != left_.end()) left->second -= count;
    }
  }

  std::vector<Group>& groups_;
  std::map<std::string, double> left_;
  std::array<std::map<std::string, double>, 2> wanted_;
  std::array<double, 2> wantedImages_{};
};

}  // namespace

void splitAnew(std::vector<SourceImage*>& images, const fs::path& folder,
               const SplitOptions& options) {
  std::vector<Group> groups = groupsOf(images, folder, options);
  if (groups.empty()) return;
  if (groups.size() == 1) {  // training cannot do without
    for (SourceImage* const image : groups[0].images) image->part = Part::Train;
    return;
  }
  Stratifier stratifier(groups, options.valShare);
  stratifier.assignAll();
  for (const Part part : {Part::Val, Part::Train}) {
    if (stratifier.groupsIn(part) > 0) continue;
    for (SourceImage* const image : groups.back().images) image->part = part;
  }
}

}  // namespace lockstep::formats
