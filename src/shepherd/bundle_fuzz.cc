// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "shepherd/bundle.h"

// What a user's config.json may say: refused, or changed into something that reads the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::BundleChange change{.bundle = "/bundle",
                          .arguments = {"/bin/sh", "-c", "a \"b\""},
                          .environment = {"A=1", "B=\n"},
                          .mount_from = "/spool",
                          .mount_to = "/var/run/slurm",
                          .disabled_hooks = {"prestart"}};
  auto changed = ym::change_bundle(text, change);
  auto facts = ym::bundle_facts(text, "/bundle");
  YM_CHECK(changed.has_value() == facts.has_value());
  if (!changed) {
    YM_CHECK(!changed.error().text.empty());
    return 0;
  }
  auto again = ym::bundle_facts(*changed, "/elsewhere");
  YM_CHECK(again.has_value());
  YM_CHECK(again->rootfs == facts->rootfs);
  YM_CHECK(again->destinations.size() == facts->destinations.size() + 1);
  return 0;
}
