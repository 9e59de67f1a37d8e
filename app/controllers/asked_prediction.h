#pragma once

#include <QString>
#include <optional>

#include "app/models/image_part.h"
#include "engine/protocol/messages.h"

namespace lockstep::app {

/// What an engine was asked to predict with the checkpoint of a step.
struct AskedPrediction {
  std::optional<qint64> image;  ///< nullopt: all images of the part
  qint64 step = 0;
  ImagePart part = ImagePart::HeldOut;
  QString file{};  ///< of the image; empty: it is a held-out one, which the engine knows by its id
  bool operator==(const AskedPrediction&) const = default;
};

/// The request for it, without an id.
protocol::PredictRequest requestFor(const AskedPrediction& asked);

}  // namespace lockstep::app
