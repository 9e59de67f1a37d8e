#include "engine/model/region_rows.h"

#include <ATen/ATen.h>

#include <vector>

namespace lockstep::model {

RegionRows::RegionRows(const at::Tensor& valid, RowShapes shapes)
    : imageCount_(valid.size(0)), regionCount_(valid.size(1)) {
  if (shapes == RowShapes::Compact) indices_ = valid.flatten().nonzero().squeeze(1);
  const at::Tensor imageOfRegion =
      at::arange(imageCount_, valid.options().dtype(at::kLong)).unsqueeze(1);
  images_ = gather(imageOfRegion.expand({imageCount_, regionCount_}));
  valid_ = gather(valid);
}

at::Tensor RegionRows::gather(const at::Tensor& values) const {
  const at::Tensor rows = values.flatten(0, 1);
  return indices_.defined() ? rows.index_select(0, indices_) : rows;
}

at::Tensor RegionRows::scatter(const at::Tensor& values) const {
  std::vector<std::int64_t> sizes{imageCount_, regionCount_};
  sizes.insert(sizes.end(), values.sizes().begin() + 1, values.sizes().end());
  if (!indices_.defined()) return values.view(sizes);
  std::vector<std::int64_t> flat(sizes.begin() + 1, sizes.end());
  flat[0] = imageCount_ * regionCount_;
  return at::zeros(flat, values.options()).index_copy(0, indices_, values).view(sizes);
}

at::Tensor RegionRows::weights() const { return valid_.to(at::kFloat); }

}  // namespace lockstep::model
