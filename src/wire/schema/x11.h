// SPDX-License-Identifier: Apache-2.0
// X11 forwarding. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/x11_messages.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const OpenX11*) {
  f(1, "credential", &OpenX11::credential);
  f(2, "signature", &OpenX11::signature);
  f(3, "cookie", &OpenX11::cookie);
}
template <class F>
void fields(F&& f, const X11Opened*) {
  f(1, "node", &X11Opened::node);
  f(2, "display", &X11Opened::display);
  f(3, "error", &X11Opened::error);
}
template <class F>
void fields(F&& f, const X11Data*) {
  f(1, "channel", &X11Data::channel);
  f(2, "data", &X11Data::data);
  f(3, "taken", &X11Data::taken);
  f(4, "end", &X11Data::end);
}

}  // namespace ym::wire
