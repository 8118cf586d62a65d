// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/codec_impl.h"
#include "wire/schema/backup.h"

namespace ym::wire {

template void encode_to(std::string&, const BackupState&);
template Result<BackupState> decode(std::string_view);
template std::string to_json(const BackupState&);
template void encode_to(std::string&, const BackupPart&);
template Result<BackupPart> decode(std::string_view);
template std::string to_json(const BackupPart&);
template void encode_to(std::string&, const BackupHead&);
template Result<BackupHead> decode(std::string_view);
template std::string to_json(const BackupHead&);
template void encode_to(std::string&, const BackupFile&);
template Result<BackupFile> decode(std::string_view);
template std::string to_json(const BackupFile&);

}  // namespace ym::wire
