// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/events.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const Event&);
template Result<Event> decode(std::string_view);
template std::string to_json(const Event&);
template void encode_to(std::string&, const Job&);
template Result<Job> decode(std::string_view);
template std::string to_json(const Job&);
template void encode_to(std::string&, const Node&);
template Result<Node> decode(std::string_view);
template std::string to_json(const Node&);
template void encode_to(std::string&, const Partition&);
template Result<Partition> decode(std::string_view);
template std::string to_json(const Partition&);
template void encode_to(std::string&, const JobSpec&);
template Result<JobSpec> decode(std::string_view);
template std::string to_json(const JobSpec&);

}  // namespace ym::wire
