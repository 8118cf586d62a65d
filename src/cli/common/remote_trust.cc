// SPDX-License-Identifier: Apache-2.0
#include "cli/common/remote_trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "config/security.h"
#include "net/trust_file.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr std::size_t kTrustFileMax = 16u << 20;

bool is_own_folder(const std::string& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0;
}

// Where tickets may lie: nobody else can read them or put some there.
std::string ticket_folder() {
  std::string base = environment_variable("XDG_RUNTIME_DIR").value_or("");
  if (base.empty()) base = fmt::format("/run/user/{}", ::geteuid());
  std::string folder =
      is_own_folder(base) ? base + "/yardmaster" : fmt::format("/tmp/yardmaster-{}", ::geteuid());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return {};
  return is_own_folder(folder) ? folder : std::string();
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 1469598103934665603u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

Result<RemoteTrust> RemoteTrust::find(SlurmConf& conf) {
  RemoteTrust out;
  TlsConfig tls = tls_of(conf.main());
  if (!tls.on) return out;
  auto all = conf.all();
  if (!all) return std::unexpected(all.error());
  const LoadedConfiguration& loaded = **all;
  TlsTrust trust;
  std::string file = tls_files(loaded).authority;
  if (tls.site_authority || ::access(file.c_str(), R_OK) == 0) {
    auto text = read_file(file, kTrustFileMax);
    if (!text) return std::unexpected(text.error());
    trust.authority = std::move(*text);
  }
  for (const std::string& path : trust_files_here(loaded.config)) {
    auto text = read_file(path, kTrustFileMax);
    if (!text) continue;
    TlsTrust more = parse_trust(*text);
    if (!tls.site_authority && trust.authority.find(more.authority) == std::string::npos)
      trust.authority += more.authority;
    trust.revoked.insert(trust.revoked.end(), more.revoked.begin(), more.revoked.end());
  }
  auto context = TlsContext::client(trust);
  if (!context) return std::unexpected(context.error());
  out.context_ = std::move(*context);
  out.any_name_ = tls.site_authority;
  if (out.verifies()) out.tickets_ = ticket_folder();
  out.fingerprint_ = fmt::format("{:016x}", hash_of(trust_text(trust)));
  return out;
}

void RemoteTrust::use(ClientOptions& options, const Address& server,
                      const std::string& name) const {
  options.tls = context_;
  options.tls_name = any_name_ ? std::string() : name;
  options.tls_ticket.clear();
  if (context_ && !tickets_.empty())
    options.tls_ticket = fmt::format("{}/tls-{:016x}-{}", tickets_,
                                     hash_of(to_text(server) + "\n" + name), fingerprint_);
}

}  // namespace ym::cli
