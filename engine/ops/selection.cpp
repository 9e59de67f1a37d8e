#include "engine/ops/selection.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace lockstep::ops {
namespace {

std::vector<std::int64_t> sizesOf(const at::Tensor& indices, at::IntArrayRef rowSizes) {
  std::vector<std::int64_t> sizes{indices.size(0), indices.size(1)};
  sizes.insert(sizes.end(), rowSizes.begin(), rowSizes.end());
  return sizes;
}

void checkSelectionSizes(const at::Tensor& values, const at::Tensor& indices) {
  TORCH_CHECK(values.dim() >= 2 && indices.dim() == 2 && values.size(0) == indices.size(0),
              "values must be [N,A,...] and indices [N,K], got ", values.sizes(), " and ",
              indices.sizes());
}

/// Indices [N*K] into the candidates of all images.
at::Tensor rowsOf(const at::Tensor& values, const at::Tensor& indices) {
  const at::Tensor firsts = at::arange(values.size(0), indices.options()) * values.size(1);
  return (indices + firsts.unsqueeze(1)).flatten();
}

class GatherUniqueRowsFunction : public torch::autograd::Function<GatherUniqueRowsFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& values,
                            const at::Tensor& indices, const std::optional<at::Tensor>& valid) {
    context->save_for_backward({rowsOf(values, indices), valid.value_or(at::Tensor())});
    context->saved_data["sizes"] = values.sizes().vec();
    return gatherRows(values, indices);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const std::vector<std::int64_t> sizes = context->saved_data["sizes"].toIntVector();
    const std::int64_t candidates = sizes[0] * sizes[1];
    // Gradients of padding go to an extra row at the end, which is dropped.
    const at::Tensor targets =
        saved[1].defined() ? saved[0].masked_fill(saved[1].flatten().logical_not(), candidates)
                           : saved[0];
    std::vector<std::int64_t> rows{candidates + 1};
    rows.insert(rows.end(), sizes.begin() + 2, sizes.end());
    at::Tensor grad = at::zeros(rows, grads[0].options());
    grad.index_copy_(0, targets, grads[0].flatten(0, 1));
    return {grad.narrow(0, 0, candidates).view(sizes), {}, {}};
  }
};

}  // namespace

at::Tensor gatherRows(const at::Tensor& values, const at::Tensor& indices) {
  checkSelectionSizes(values, indices);
  return values.flatten(0, 1)
      .index_select(0, rowsOf(values, indices))
      .view(sizesOf(indices, values.sizes().slice(2)));
}

at::Tensor gatherUniqueRows(const at::Tensor& values, const Selection& selection) {
  checkSelectionSizes(values, selection.indices);
  const auto valid = selection.valid.defined() ? std::optional(selection.valid) : std::nullopt;
  return GatherUniqueRowsFunction::apply(values, selection.indices, valid);
}

}  // namespace lockstep::ops
