#include "engine/model/region_rows.h"

#include <ATen/ATen.h>

#include <vector>

namespace lockstep::model {

RegionRows::RegionRows(const at::Tensor& isThere, RowShapes shapes)
    : imageCount_(isThere.size(0)), regionCount_(isThere.size(1)) {
  if (shapes == RowShapes::Compact) indices_ = isThere.flatten().nonzero().squeeze(1);
  const at::Tensor imageOfRegion =
      at::arange(imageCount_, isThere.options().dtype(at::kLong)).unsqueeze(1);
  images_ = of(imageOfRegion.expand({imageCount_, regionCount_}));
  isThere_ = of(isThere);
}

at::Tensor RegionRows::of(const at::Tensor& values) const {
  const at::Tensor rows = values.flatten(0, 1);
  return indices_.defined() ? rows.index_select(0, indices_) : rows;
}

at::Tensor RegionRows::spread(const at::Tensor& values) const {
  std::vector<std::int64_t> sizes{imageCount_, regionCount_};
  sizes.insert(sizes.end(), values.sizes().begin() + 1, values.sizes().end());
  if (!indices_.defined()) return values.view(sizes);
  std::vector<std::int64_t> flat(sizes.begin() + 1, sizes.end());
  flat[0] = imageCount_ * regionCount_;
  return at::zeros(flat, values.options()).index_copy(0, indices_, values).view(sizes);
}

at::Tensor RegionRows::weights() const { return isThere_.to(at::kFloat); }

}  // namespace lockstep::model
