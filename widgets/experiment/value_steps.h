#pragma once

#include <QString>

#include "engine/config/fields.h"

namespace lockstep::widgets {

/// Whether a slider fits the field: a share between 0 and 1, both included, that is not usually
/// far below 0.01.
bool isFraction(const config::Field& field);
/// Whether stepped() can change values of the field: one number, with a unit or without.
bool isStepped(const config::Field& field);
/// The value some steps up or, if negative, down, within the range of the field. Shares move by
/// 0.05, rates along 1, 2, 5, 10, …, powers of two from 16 on by a factor of 2, other whole
/// numbers by about a tenth; a unit stays ("12 epochs" → "13 epochs"). Values without a number
/// ("auto") stay.
QString stepped(const config::Field& field, const QString& value, int steps);

}  // namespace lockstep::widgets
