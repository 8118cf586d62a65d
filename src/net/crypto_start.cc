// SPDX-License-Identifier: Apache-2.0
// OpenSSL asks the processor what it can do before main() begins, and again when it is first used.
// On a virtual machine each CPUID traps into the hypervisor (3 to 15 µs were measured), and most
// commands never use OpenSSL: they speak through a socket of this machine. Static programs are
// linked with --wrap=OPENSSL_cpuid_setup, and leave the first time out.
#include <utility>

// NOLINTBEGIN(bugprone-reserved-identifier): names that the linker's --wrap makes
extern "C" void __real_OPENSSL_cpuid_setup();

extern "C" void __wrap_OPENSSL_cpuid_setup() {
  // The first call comes before there is a thread, others under OpenSSL's own lock.
  static bool begun = false;
  if (std::exchange(begun, true)) __real_OPENSSL_cpuid_setup();
}
// NOLINTEND(bugprone-reserved-identifier)
