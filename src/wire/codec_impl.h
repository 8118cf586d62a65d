// SPDX-License-Identifier: Apache-2.0
// The templates behind codec.h. Included only by the .cc files of this room that instantiate them.
//
// A description is a function `fields(f, const T*)` that calls f(number, "name", &T::member) for
// each field; schema/ has one for each type.
#pragma once
#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/json.h"
