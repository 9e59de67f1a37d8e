#include "engine/model/backbone.h"

#include <iterator>
#include <string_view>

#include "engine/base/error.h"
#include "engine/model/resnet.h"

namespace lockstep::model {
namespace {

template <typename T>
std::shared_ptr<Backbone> make(const std::string& name, const NormChoice& norm) {
  return std::make_shared<T>(name, norm);
}

struct Entry {
  std::string_view name;
  std::shared_ptr<Backbone> (*make)(const std::string& name, const NormChoice& norm);
};

constexpr Entry kBackbones[] = {
    {"resnet18", make<ResNet>},
    {"resnet34", make<ResNet>},
    {"resnet50", make<ResNet>},
    {"resnet101", make<ResNet>},
};

/// `resnet18, resnet34, resnet50 or resnet101`
std::string knownNames() {
  std::string names;
  for (const Entry& entry : kBackbones) {
    const bool isLast = &entry == std::end(kBackbones) - 1;
    names += (names.empty() ? "" : isLast ? " or " : ", ") + std::string(entry.name);
  }
  return names;
}

}  // namespace

std::shared_ptr<Backbone> makeBackbone(const std::string& name, const NormChoice& norm) {
  for (const Entry& entry : kBackbones) {
    if (entry.name == name) return entry.make(name, norm);
  }
  throw base::mendable("model.backbone: there is no '" + name + "'; use " + knownNames());
}

}  // namespace lockstep::model
