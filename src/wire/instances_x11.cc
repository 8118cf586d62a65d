// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/codec_impl.h"
#include "wire/schema/x11.h"

namespace ym::wire {

template void encode_to(std::string&, const OpenX11&);
template Result<OpenX11> decode(std::string_view);
template std::string to_json(const OpenX11&);
template void encode_to(std::string&, const X11Opened&);
template Result<X11Opened> decode(std::string_view);
template std::string to_json(const X11Opened&);
template void encode_to(std::string&, const X11Data&);
template Result<X11Data> decode(std::string_view);
template std::string to_json(const X11Data&);

}  // namespace ym::wire
