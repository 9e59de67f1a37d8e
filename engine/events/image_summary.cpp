#include "engine/events/image_summary.h"

#include <protozero/pbf_writer.hpp>

#include "engine/events/summary_fields.h"

namespace lockstep::events {

namespace fields = summary_fields;

/// TensorBoard's loader turns this Image into a tensor of its images plugin.
Record recordOf(const ImageSummary& image) {
  Record record;
  record.step = image.step;
  record.wallTime = image.wallTime;
  protozero::pbf_writer summary(record.summary);
  protozero::pbf_writer value(summary, fields::summary::Value);
  value.add_string(fields::value::Tag, image.tag);
  protozero::pbf_writer picture(value, fields::value::Image);
  picture.add_int32(fields::image::Height, image.height);
  picture.add_int32(fields::image::Width, image.width);
  picture.add_int32(fields::image::Colorspace, fields::kRgb);
  picture.add_bytes(fields::image::Encoded, image.png);
  picture.commit();
  value.commit();
  return record;
}

}  // namespace lockstep::events
