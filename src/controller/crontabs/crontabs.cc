// SPDX-License-Identifier: Apache-2.0
// Crontabs: jobs that come back at their next time.
#include "controller/controller.h"
#include "model/errc.h"

namespace ym {

void Controller::update_crontab(RequestId request, const UpdateCrontab&, const Caller&, Instant,
                                Outbox& out) {
  refuse_request(request, refuse(Errc::Disabled).error(), out);
}

}  // namespace ym
