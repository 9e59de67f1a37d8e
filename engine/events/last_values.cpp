#include "engine/events/last_values.h"

#include <algorithm>
#include <string_view>

#include "engine/base/file_text.h"
#include "engine/events/event_message.h"
#include "engine/events/record_frame.h"

namespace lockstep::events {
namespace {

/// From the first whole record on. A length is not taken for one by accident: its checksum is.
std::string_view fromFirstRecord(std::string_view bytes) {
  while (!bytes.empty() && readFrame(bytes).status != Frame::Status::Whole) bytes.remove_prefix(1);
  return bytes;
}

void add(const EventMessage& message, LastValues& values) {
  if (message.kind == Record::Kind::SessionStart)
    std::erase_if(values, [&](const auto& value) { return value.second.step >= message.step; });
  if (message.kind != Record::Kind::Scalars) return;
  for (const auto& [tag, value] : message.scalars) {
    const auto known = values.find(tag);
    if (known != values.end()) {
      known->second = {message.step, value};
    } else {
      values.emplace(tag, LastValue{message.step, value});
    }
  }
}

}  // namespace

LastValues readLastValues(const std::filesystem::path& file, std::int64_t maxBytes) {
  const base::FileText text = base::FileText::map(file);
  std::string_view rest = text.view();
  if (rest.size() > static_cast<std::size_t>(maxBytes))
    rest = fromFirstRecord(rest.substr(rest.size() - static_cast<std::size_t>(maxBytes)));
  LastValues values;
  EventMessage message;
  for (;;) {
    const Frame frame = readFrame(rest);
    if (frame.status == Frame::Status::Partial || frame.status == Frame::Status::Broken) break;
    if (frame.status == Frame::Status::Whole && parseEvent(frame.data, message))
      add(message, values);
    rest.remove_prefix(frame.bytes);
  }
  return values;
}

}  // namespace lockstep::events
