#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "app/models/image_part.h"
#include "engine/protocol/messages.h"

namespace lockstep::app {

/// What an engine was asked to predict with the checkpoint of a step.
struct AskedPrediction {
  std::optional<qint64> image;  ///< nullopt: all images of the part, or of `files`
  qint64 step = 0;
  ImagePart part = ImagePart::HeldOut;
  QStringList
      files{};  ///< of the images; empty: held-out ones, which the engine knows by their ids
  bool operator==(const AskedPrediction&) const = default;
};

/// The request for it, without an id.
protocol::PredictRequest requestFor(const AskedPrediction& asked);

}  // namespace lockstep::app
