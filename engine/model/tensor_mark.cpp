#include "engine/model/tensor_mark.h"

namespace lockstep::model {

TensorMark::TensorMark(const at::Tensor& tensor)
    : memory_(tensor.variable_data()), version_(static_cast<std::int64_t>(tensor._version())) {}

bool TensorMark::isPlaceOf(const at::Tensor& tensor) const {
  return tensor.const_data_ptr() == memory_.const_data_ptr();
}

bool TensorMark::isStateOf(const at::Tensor& tensor) const {
  return isPlaceOf(tensor) && static_cast<std::int64_t>(tensor._version()) == version_;
}

std::vector<TensorMark> marksOf(const std::vector<at::Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

}  // namespace lockstep::model
