// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/events.h"
#include "wire/schema/queries.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const QueryHistory&);
template Result<QueryHistory> decode(std::string_view);
template std::string to_json(const QueryHistory&);
template void encode_to(std::string&, const HistoryRows&);
template Result<HistoryRows> decode(std::string_view);
template std::string to_json(const HistoryRows&);
template void encode_to(std::string&, const SetTrigger&);
template Result<SetTrigger> decode(std::string_view);
template std::string to_json(const SetTrigger&);
template void encode_to(std::string&, const TriggerAdded&);
template Result<TriggerAdded> decode(std::string_view);
template std::string to_json(const TriggerAdded&);
template void encode_to(std::string&, const ClearTriggers&);
template Result<ClearTriggers> decode(std::string_view);
template std::string to_json(const ClearTriggers&);
template void encode_to(std::string&, const QueryTriggers&);
template Result<QueryTriggers> decode(std::string_view);
template std::string to_json(const QueryTriggers&);
template void encode_to(std::string&, const TriggerRows&);
template Result<TriggerRows> decode(std::string_view);
template std::string to_json(const TriggerRows&);
template void encode_to(std::string&, const UpdateCrontab&);
template Result<UpdateCrontab> decode(std::string_view);
template std::string to_json(const UpdateCrontab&);
template void encode_to(std::string&, const CrontabUpdated&);
template Result<CrontabUpdated> decode(std::string_view);
template std::string to_json(const CrontabUpdated&);
template void encode_to(std::string&, const GetCrontab&);
template Result<GetCrontab> decode(std::string_view);
template std::string to_json(const GetCrontab&);
template void encode_to(std::string&, const Crontab&);
template Result<Crontab> decode(std::string_view);
template std::string to_json(const Crontab&);

}  // namespace ym::wire
