// SPDX-License-Identifier: Apache-2.0
// The codec's descriptions of what stands in spools. NUMBERS ARE NEVER CHANGED OR REUSED.
#include "shepherd/order.h"

#include "wire/schema/model.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const TaskOrder*) {
  f(1, "rank", &TaskOrder::rank);
  f(2, "arguments", &TaskOrder::arguments);
  f(3, "environment", &TaskOrder::environment);
  f(4, "std_in", &TaskOrder::std_in);
  f(5, "std_out", &TaskOrder::std_out);
  f(6, "std_err", &TaskOrder::std_err);
  f(7, "truncate_out", &TaskOrder::truncate_out);
  f(8, "truncate_err", &TaskOrder::truncate_err);
}
template <class F>
void fields(F&& f, const ShepherdOrder*) {
  f(1, "job", &ShepherdOrder::job);
  f(2, "sluid", &ShepherdOrder::sluid);
  f(3, "step", &ShepherdOrder::step);
  f(4, "uid", &ShepherdOrder::uid);
  f(5, "gid", &ShepherdOrder::gid);
  f(6, "groups", &ShepherdOrder::groups);
  f(7, "node", &ShepherdOrder::node);
  f(8, "work_dir", &ShepherdOrder::work_dir);
  f(9, "script", &ShepherdOrder::script);
  f(10, "arguments", &ShepherdOrder::arguments);
  f(11, "environment", &ShepherdOrder::environment);
  f(12, "tasks", &ShepherdOrder::tasks);
  f(13, "umask", &ShepherdOrder::umask);
  f(14, "streams", &ShepherdOrder::streams);
  f(15, "pty", &ShepherdOrder::pty);
  f(16, "rows", &ShepherdOrder::rows);
  f(17, "columns", &ShepherdOrder::columns);
  f(18, "stdin_task", &ShepherdOrder::stdin_task);
  f(19, "srun_id", &ShepherdOrder::srun_id);
  f(20, "kill_wait", &ShepherdOrder::kill_wait);
  f(21, "boot_id", &ShepherdOrder::boot_id);
}
template <class F>
void fields(F&& f, const StartedMark*) {
  f(1, "pid", &StartedMark::pid);
  f(2, "at", &StartedMark::at);
}
template <class F>
void fields(F&& f, const ShepherdResult*) {
  f(1, "exit", &ShepherdResult::exit);
  f(2, "error", &ShepherdResult::error);
  f(3, "out_of_memory", &ShepherdResult::out_of_memory);
}
template <class F>
void fields(F&& f, const ControlPacket*) {
  f(1, "kind", &ControlPacket::kind);
  f(2, "signal", &ControlPacket::signal);
  f(3, "leaders_only", &ControlPacket::leaders_only);
  f(4, "srun_id", &ControlPacket::srun_id);
  f(5, "received", &ControlPacket::received);
  f(6, "residual", &ControlPacket::residual);
}

}  // namespace ym::wire

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const ShepherdOrder&);
template Result<ShepherdOrder> decode(std::string_view);
template std::string to_json(const ShepherdOrder&);
template void encode_to(std::string&, const StartedMark&);
template Result<StartedMark> decode(std::string_view);
template std::string to_json(const StartedMark&);
template void encode_to(std::string&, const ShepherdResult&);
template Result<ShepherdResult> decode(std::string_view);
template std::string to_json(const ShepherdResult&);
template void encode_to(std::string&, const ControlPacket&);
template Result<ControlPacket> decode(std::string_view);
template std::string to_json(const ControlPacket&);

}  // namespace ym::wire
