// SPDX-License-Identifier: Apache-2.0
// How the node gets its certificate, and hears which ones are believed no more.
#include "daemon/slurmd/node_daemon.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr std::uint64_t kCertificateCall = 385;  // the correlation that answers bear

}  // namespace

// Whoever is launched here finds the node's port in order: it is known to the controller when it
// has its certificate.
void NodeDaemon::on_link_up() {
  log_.info("connected to slurmctld");
  waits_said_.clear();
  trust_.wish_failed();
  said_everything_ = false;
  if (ask_for_certificate()) return;
  say_everything();
}

bool NodeDaemon::ask_for_certificate() {
  auto wish = trust_.wish(wall_clock());
  if (!wish) return false;
  link_->send({.type = wire::message_number<RequestCertificate>, .correlation = kCertificateCall},
              wire::encode(*wish));
  return true;
}

void NodeDaemon::say_everything() {
  said_everything_ = true;
  agent::Outbox out;
  agent_.connected(out);
  obey(std::move(out));
}

bool NodeDaemon::on_certificate_frame(const Frame& frame) {
  if (frame.header.type == wire::message_number<TrustNews>) {
    if (auto news = wire::decode<TrustNews>(frame.payload)) trust_.take(*news);
    return true;
  }
  if (frame.header.correlation != kCertificateCall) return false;
  if (frame.header.type == wire::message_number<CertificateIssued>) {
    if (auto issued = wire::decode<CertificateIssued>(frame.payload)) trust_.take(*issued);
  } else if (frame.header.type == wire::message_number<Failure>) {
    auto failure = wire::decode<Failure>(frame.payload);
    log_.error("no certificate: {}", failure ? failure->text : failure.error().text);
    trust_.wish_failed();
  } else {
    return false;
  }
  if (!said_everything_) say_everything();
  return true;
}

void NodeDaemon::look_after_certificate() {
  if (!trust_.on()) return;
  trust_.reread();
  if (link_ && link_->is_up()) ask_for_certificate();
}

}  // namespace ym
