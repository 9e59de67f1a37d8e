#include "engine/events/hyper_parameters.h"

#include <protozero/pbf_writer.hpp>

#include "engine/events/summary_fields.h"
#include "engine/events/tags.h"

namespace lockstep::events {
namespace {

using protozero::pbf_writer;

namespace fields = summary_fields;

// Field numbers of plugin_data.proto and api.proto of the plugin, and of struct.proto of protobuf.
namespace content {
enum : std::uint32_t { Experiment = 2, SessionStart = 3, SessionEnd = 4 };
}
namespace experiment {
enum : std::uint32_t { CreatedSeconds = 3, Parameters = 4, Metrics = 5 };
}
namespace parameter {
enum : std::uint32_t { Name = 1, Type = 4, Differs = 7 };
}
namespace metric {
enum : std::uint32_t { Name = 1, Dataset = 5 };
}
namespace metric_name {
enum : std::uint32_t { Tag = 2 };
}
namespace session_start {
enum : std::uint32_t { Parameters = 1, StartSeconds = 5 };
}
namespace session_end {
enum : std::uint32_t { Status = 1, EndSeconds = 2 };
}
namespace map_entry {
enum : std::uint32_t { Key = 1, Value = 2 };
}
namespace any_value {
enum : std::uint32_t { Number = 2, Text = 3, Bool = 4 };
}

constexpr int kTextParameter = 1, kBoolParameter = 2, kNumberParameter = 3;
constexpr int kTrainingMetric = 1, kValidationMetric = 2;

/// Adds a value to a Summary. The plugin reads its metadata only: the tensor is empty.
void addValue(std::string& summary, const char* tag, const std::string& pluginContent) {
  std::string pluginData, emptyTensor, tensorShape;
  pbf_writer plugin(pluginData);
  plugin.add_string(fields::plugin::Name, "hparams");
  plugin.add_message(fields::plugin::Content, pluginContent);
  pbf_writer(tensorShape).add_message(fields::shape::Dimension, std::string());
  pbf_writer tensor(emptyTensor);
  tensor.add_enum(fields::tensor::Type, fields::kFloatType);
  tensor.add_message(fields::tensor::Shape, tensorShape);

  pbf_writer values(summary);
  pbf_writer value(values, fields::summary::Value);
  value.add_string(fields::value::Tag, tag);
  value.add_message(fields::value::Tensor, emptyTensor);
  pbf_writer metadata(value, fields::value::Metadata);
  metadata.add_message(fields::metadata::PluginData, pluginData);
  metadata.add_enum(fields::metadata::DataClass, fields::kTensorClass);
}

int typeOf(const HyperParameter& parameter) {
  if (std::holds_alternative<bool>(parameter.value)) return kBoolParameter;
  return std::holds_alternative<double>(parameter.value) ? kNumberParameter : kTextParameter;
}

/// Zero and false are written too: an absent value is none.
void addAnyValue(pbf_writer& entry, const HyperParameter& parameter) {
  pbf_writer value(entry, map_entry::Value);
  if (const auto* flag = std::get_if<bool>(&parameter.value)) {
    value.add_bool(any_value::Bool, *flag);
  } else if (const auto* number = std::get_if<double>(&parameter.value)) {
    value.add_double(any_value::Number, *number);
  } else {
    value.add_string(any_value::Text, std::get<std::string>(parameter.value));
  }
}

std::string experimentContent(const std::vector<HyperParameter>& parameters,
                              const std::vector<std::string>& metricTags, double wallTime) {
  std::string bytes;
  pbf_writer plugin(bytes);
  pbf_writer all(plugin, content::Experiment);
  all.add_double(experiment::CreatedSeconds, wallTime);
  for (const HyperParameter& each : parameters) {
    pbf_writer info(all, experiment::Parameters);
    info.add_string(parameter::Name, each.name);
    info.add_enum(parameter::Type, typeOf(each));
    if (each.isVaried) info.add_bool(parameter::Differs, true);
  }
  for (const std::string& tag : metricTags) {
    std::string name;
    pbf_writer(name).add_string(metric_name::Tag, tag);
    pbf_writer info(all, experiment::Metrics);
    info.add_message(metric::Name, name);
    info.add_enum(metric::Dataset, tags::isTrainLoss(tag) ? kTrainingMetric : kValidationMetric);
  }
  all.commit();
  return bytes;
}

std::string startContent(const std::vector<HyperParameter>& parameters, double wallTime) {
  std::string bytes;
  pbf_writer plugin(bytes);
  pbf_writer start(plugin, content::SessionStart);
  for (const HyperParameter& each : parameters) {
    pbf_writer entry(start, session_start::Parameters);
    entry.add_string(map_entry::Key, each.name);
    addAnyValue(entry, each);
  }
  start.add_double(session_start::StartSeconds, wallTime);
  start.commit();
  return bytes;
}

Record recordAt(std::int64_t step, double wallTime) {
  Record record;
  record.kind = Record::Kind::HyperParameters;
  record.step = step;
  record.wallTime = wallTime;
  return record;
}

}  // namespace

Record hyperParametersRecord(const std::vector<HyperParameter>& parameters,
                             const std::vector<std::string>& metricTags, std::int64_t step,
                             double wallTime) {
  Record record = recordAt(step, wallTime);
  addValue(record.summary, tags::kHyperParameterNames,
           experimentContent(parameters, metricTags, wallTime));
  addValue(record.summary, tags::kHyperParameterValues, startContent(parameters, wallTime));
  return record;
}

Record sessionEndRecord(SessionStatus status, std::int64_t step, double wallTime) {
  std::string bytes;
  pbf_writer plugin(bytes);
  {
    pbf_writer end(plugin, content::SessionEnd);
    end.add_enum(session_end::Status, static_cast<int>(status));
    end.add_double(session_end::EndSeconds, wallTime);
  }
  Record record = recordAt(step, wallTime);
  addValue(record.summary, tags::kHyperParameterEnd, bytes);
  return record;
}

}  // namespace lockstep::events
