// SPDX-License-Identifier: Apache-2.0
// The smallest static program: what starting a process costs when it does nothing.
int main() { return 0; }
