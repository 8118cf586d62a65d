// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/reservation.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const UpdateReservation&);
template Result<UpdateReservation> decode(std::string_view);
template std::string to_json(const UpdateReservation&);
template void encode_to(std::string&, const ReservationCreated&);
template Result<ReservationCreated> decode(std::string_view);
template std::string to_json(const ReservationCreated&);
template void encode_to(std::string&, const QueryReservations&);
template Result<QueryReservations> decode(std::string_view);
template std::string to_json(const QueryReservations&);
template void encode_to(std::string&, const ReservationRows&);
template Result<ReservationRows> decode(std::string_view);
template std::string to_json(const ReservationRows&);
template void encode_to(std::string&, const QueryLicenses&);
template Result<QueryLicenses> decode(std::string_view);
template std::string to_json(const QueryLicenses&);
template void encode_to(std::string&, const LicenseRows&);
template Result<LicenseRows> decode(std::string_view);
template std::string to_json(const LicenseRows&);
template void encode_to(std::string&, const Reservation&);
template Result<Reservation> decode(std::string_view);
template std::string to_json(const Reservation&);

}  // namespace ym::wire
