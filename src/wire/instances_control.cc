// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/control_messages.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const Failure&);
template Result<Failure> decode(std::string_view);
template std::string to_json(const Failure&);
template void encode_to(std::string&, const Done&);
template Result<Done> decode(std::string_view);
template std::string to_json(const Done&);
template void encode_to(std::string&, const Ping&);
template Result<Ping> decode(std::string_view);
template std::string to_json(const Ping&);
template void encode_to(std::string&, const Pong&);
template Result<Pong> decode(std::string_view);
template std::string to_json(const Pong&);
template void encode_to(std::string&, const QueryConfig&);
template Result<QueryConfig> decode(std::string_view);
template std::string to_json(const QueryConfig&);
template void encode_to(std::string&, const ConfigAnswer&);
template Result<ConfigAnswer> decode(std::string_view);
template std::string to_json(const ConfigAnswer&);
template void encode_to(std::string&, const FetchConfig&);
template Result<FetchConfig> decode(std::string_view);
template std::string to_json(const FetchConfig&);
template void encode_to(std::string&, const ConfigFiles&);
template Result<ConfigFiles> decode(std::string_view);
template std::string to_json(const ConfigFiles&);
template void encode_to(std::string&, const Reconfigure&);
template Result<Reconfigure> decode(std::string_view);
template std::string to_json(const Reconfigure&);
template void encode_to(std::string&, const Shutdown&);
template Result<Shutdown> decode(std::string_view);
template std::string to_json(const Shutdown&);
template void encode_to(std::string&, const GetToken&);
template Result<GetToken> decode(std::string_view);
template std::string to_json(const GetToken&);
template void encode_to(std::string&, const Token&);
template Result<Token> decode(std::string_view);
template std::string to_json(const Token&);
template void encode_to(std::string&, const FollowEvents&);
template Result<FollowEvents> decode(std::string_view);
template std::string to_json(const FollowEvents&);
template void encode_to(std::string&, const Events&);
template Result<Events> decode(std::string_view);
template std::string to_json(const Events&);
template void encode_to(std::string&, const QueryStatistics&);
template Result<QueryStatistics> decode(std::string_view);
template std::string to_json(const QueryStatistics&);
template void encode_to(std::string&, const Statistics&);
template Result<Statistics> decode(std::string_view);
template std::string to_json(const Statistics&);
template void encode_to(std::string&, const SetDebug&);
template Result<SetDebug> decode(std::string_view);
template std::string to_json(const SetDebug&);
template void encode_to(std::string&, const OwnerNotice&);
template Result<OwnerNotice> decode(std::string_view);
template std::string to_json(const OwnerNotice&);
template void encode_to(std::string&, const Takeover&);
template Result<Takeover> decode(std::string_view);
template std::string to_json(const Takeover&);
template void encode_to(std::string&, const ControllerLeads&);
template Result<ControllerLeads> decode(std::string_view);
template std::string to_json(const ControllerLeads&);

}  // namespace ym::wire
