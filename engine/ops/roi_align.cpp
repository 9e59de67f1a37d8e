#include "engine/ops/roi_align.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr DispatchStub<RoiAlignKernel> kRoiAlignStub{cpu::roiAlign,
                                                     LOCKSTEP_CUDA_KERNEL(cuda::roiAlign)};
constexpr DispatchStub<RoiAlignBackwardKernel> kRoiAlignBackwardStub{
    cpu::roiAlignBackward, LOCKSTEP_CUDA_KERNEL(cuda::roiAlignBackward)};

/// features, scales, sets -> pooled, one per set; differentiable in the features.
class RoiAlignFunction : public torch::autograd::Function<RoiAlignFunction> {
 public:
  static variable_list forward(AutogradContext* context, at::TensorList features,
                               const std::vector<double>& scales, const std::vector<RoiSet>& sets) {
    // Of a set that no loss looks at nothing comes back, not zeros.
    context->set_materialize_grads(false);
    variable_list tensors;
    std::vector<std::int64_t> shapes, sizes;
    for (const RoiSet& set : sets) {
      tensors.insert(tensors.end(), {set.rois, set.levels});
      shapes.insert(shapes.end(), {set.shape.height, set.shape.width, set.shape.samplingRatio});
    }
    for (const at::Tensor& level : features)
      sizes.insert(sizes.end(), level.sizes().begin(), level.sizes().end());
    context->save_for_backward(tensors);
    context->saved_data["scales"] = scales;
    context->saved_data["shapes"] = shapes;
    context->saved_data["sizes"] = sizes;
    return kRoiAlignStub(features[0].device(), features, scales, sets);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto scales = context->saved_data["scales"].toDoubleVector();
    const auto shapes = context->saved_data["shapes"].toIntVector();
    const auto flat = context->saved_data["sizes"].toIntVector();
    std::vector<std::vector<std::int64_t>> sizes;
    for (std::size_t i = 0; i < flat.size(); i += 4)
      sizes.emplace_back(flat.begin() + i, flat.begin() + i + 4);
    std::vector<RoiSetGrad> sets;
    for (std::size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].defined()) continue;
      const RoiAlignShape shape{shapes[3 * i], shapes[3 * i + 1], shapes[3 * i + 2]};
      sets.push_back({{saved[2 * i], saved[2 * i + 1], shape}, grads[i]});
    }
    variable_list result(sizes.size());
    if (!sets.empty()) result = levelGradients(sets, scales, sizes);
    result.resize(result.size() + 2);  // scales and sets have none
    return result;
  }

 private:
  static variable_list levelGradients(const std::vector<RoiSetGrad>& sets,
                                      const std::vector<double>& scales,
                                      const std::vector<std::vector<std::int64_t>>& sizes) {
    std::vector<at::Tensor> gradOuts;
    for (const RoiSetGrad& set : sets) gradOuts.push_back(set.gradOut);
    LOCKSTEP_RECORD_FUNCTION("roi_align_backward", gradOuts, sizes);
    return kRoiAlignBackwardStub(gradOuts.front().device(), sets, scales, sizes);
  }
};

void checkFeatures(const std::vector<at::Tensor>& features, const std::vector<double>& scales) {
  TORCH_CHECK(!features.empty() && features.size() == scales.size(), "got ", features.size(),
              " feature levels and ", scales.size(), " scales");
  for (const at::Tensor& level : features) {
    TORCH_CHECK(level.dim() == 4 && level.size(0) == features[0].size(0) &&
                    level.size(1) == features[0].size(1) && level.device() == features[0].device(),
                "features must be [N,C,H,W] with one N, one C and one device, got ", level.sizes());
  }
}

void checkSet(const RoiSet& set, const at::Device& device) {
  const auto& [rois, levels, shape] = set;
  TORCH_CHECK(rois.dim() == 2 && rois.size(1) == 5 && rois.scalar_type() == at::kFloat &&
                  rois.device() == device,
              "rois must be [K,5] float32 beside the features, got ", rois.sizes(), " ",
              rois.scalar_type());
  TORCH_CHECK(levels.dim() == 1 && levels.size(0) == rois.size(0) &&
                  levels.scalar_type() == at::kLong && levels.device() == device,
              "levels must be [", rois.size(0), "] int64 beside the features, got ", levels.sizes(),
              " ", levels.scalar_type());
}

}  // namespace

std::vector<at::Tensor> roiAlignSets(const std::vector<at::Tensor>& features,
                                     const std::vector<double>& spatialScales,
                                     const std::vector<RoiSet>& sets) {
  std::vector<at::Tensor> rois;
  std::vector<std::int64_t> heights;
  for (const RoiSet& set : sets) {
    rois.push_back(set.rois);
    heights.push_back(set.shape.height);
  }
  LOCKSTEP_RECORD_FUNCTION("roi_align", features, rois, heights);
  checkFeatures(features, spatialScales);
  TORCH_CHECK(!sets.empty() && sets.size() <= kMostRoiSets, "got ", sets.size(),
              " sets of regions, not 1 to ", kMostRoiSets);
  std::vector<RoiSet> laidOut;
  for (const RoiSet& set : sets) {
    checkSet(set, features[0].device());
    laidOut.push_back({set.rois.detach().contiguous(), set.levels.contiguous(), set.shape});
  }
  const at::ScalarType type = features[0].scalar_type();
  // A GPU reads halves and adds them up in float32 by itself.
  const bool isWidened = features[0].is_cpu() && type != at::kDouble;
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& level : features)
    inputs.push_back(level.to(isWidened ? at::kFloat : type));
  std::vector<at::Tensor> pooled =
      RoiAlignFunction::apply(at::TensorList(inputs), spatialScales, laidOut);
  for (at::Tensor& out : pooled) out = out.to(type).contiguous(features[0].suggest_memory_format());
  return pooled;
}

at::Tensor roiAlignPyramid(const std::vector<at::Tensor>& features,
                           const std::vector<double>& spatialScales, const at::Tensor& rois,
                           const at::Tensor& levels, const RoiAlignShape& shape) {
  return roiAlignSets(features, spatialScales, {{rois, levels, shape}})[0];
}

at::Tensor roiAlign(const at::Tensor& features, const at::Tensor& rois, double spatialScale,
                    const RoiAlignShape& shape) {
  const at::Tensor levels = at::zeros({rois.size(0)}, rois.options().dtype(at::kLong));
  return roiAlignPyramid({features}, {spatialScale}, rois, levels, shape);
}

}  // namespace lockstep::ops
