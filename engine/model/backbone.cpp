#include "engine/model/backbone.h"

#include "engine/config/backbones.h"
#include "engine/model/resnet.h"

namespace lockstep::model {

std::shared_ptr<Backbone> makeBackbone(const std::string& name, const NormChoice& norm) {
  return std::make_shared<ResNet>(config::findBackbone(name), norm);
}

}  // namespace lockstep::model
