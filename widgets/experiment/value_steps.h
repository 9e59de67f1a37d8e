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
/// ("auto") stay. Of a list: of one of its items.
QString stepped(const config::Field& field, const QString& value, int steps);
/// Of a list of numbers: one half way between two items, with the unit of the first.
QString between(const config::Field& field, const QString& item, const QString& next);
/// One that goes on after the last two items, 128 after 32 and 64; `before` may be empty. Empty:
/// the last is no number.
QString following(const config::Field& field, const QString& before, const QString& item);

}  // namespace lockstep::widgets
