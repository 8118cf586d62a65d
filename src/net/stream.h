// SPDX-License-Identifier: Apache-2.0
// Bytes over one connected socket on a loop, for Server and Link: batched reads, merged and bounded
// writes. Here is where TLS sits: nothing above sees recv(2) and send(2).
//
// Thread rule: enqueue and send_now from any thread, everything else on the loop's thread.
// Invariants: (1) on_end is the last call of the owner, and comes at most once; (2) after drop() or
// take_fd() the owner is not called any more; (3) queued bytes never exceed outgoing_max plus one
// frame.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "net/address.h"
#include "net/channel.h"
#include "net/frame.h"
#include "net/loop.h"
#include "net/server.h"
#include "net/tls.h"
#include "net/unread.h"

namespace ym {

class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  // `bytes` lives for this call.
  virtual void on_bytes(std::string_view bytes) = 0;
  // A refused frame may be tried again.
  virtual void on_room() = 0;
  // Everything queued has been written; only after notify_when_flushed().
  virtual void on_flushed() = 0;
  virtual void on_end(const std::string& reason) = 0;
  // TLS is established; only on a stream that has it.
  virtual void on_secured() {}
  // There is something to read. False: later, when the owner calls read_turn().
  virtual bool reads_at_once() { return true; }

 protected:
  StreamOwner() = default;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // `owner` must outlive the stream's last call to it: it calls drop() before it goes.
  static Result<std::shared_ptr<Stream>> create(Loop& loop, Fd fd, StreamOwner& owner,
                                                std::size_t outgoing_max);
  ~Stream() { settle(); }
  // Both before start_reading(). The first: TLS as a client, at once; on_secured() tells when it is
  // established, and what is queued before waits for it. The second: TLS as a server, if the other
  // side begins with it.
  Status begin_tls(const TlsContext& context, const std::string& server_name);
  void accept_tls(std::shared_ptr<const TlsContext> context) { offered_ = std::move(context); }
  bool secured() const { return channel_.secured(); }
  // What both ends of a secured stream have in common; empty without TLS.
  std::string binding() const { return channel_.binding(); }
  // Somebody else is told from now on.
  void set_owner(StreamOwner& owner) { owner_ = &owner; }
  // What has not been written yet.
  std::size_t unsent();
  // Counts that against its user's from now on. Once.
  // `limited`: his limit holds for this stream.
  void set_unread(std::shared_ptr<Unread> unread, bool limited);
  int fd() const { return channel_.fd(); }

  // With Cut, Full means that the stream is being cut off.
  // `limit`: for this frame, instead of outgoing_max if that is more.
  SendResult enqueue(FrameHeader header, std::string_view payload, WhenFull when_full,
                     std::size_t limit = SIZE_MAX);
  // The same with Cut, for a frame that nothing follows soon: from another thread it is written at
  // once, if nothing waits, and nobody has to be woken for it. Once may_write_at_once() was called.
  SendResult send_now(FrameHeader header, std::string_view payload);
  // The greeting is over. Without TLS, whose state is the loop's.
  void may_write_at_once();
  // Bytes that are not counted against the limit: the handshake and farewells. On the loop's
  // thread.
  void enqueue_raw(std::string_view bytes);

  void start_reading();
  // Reads a little of what has come, so that others have their turn.
  void read_turn() { read(kTurnBytes); }
  void pause() { paused_ = true; }
  void resume();
  bool paused() const { return paused_; }
  void notify_when_flushed();
  // Write what is queued, end our side, throw away what still comes. The owner is told on_end when
  // the other side ends, too; it sets its own deadline for that.
  void finish();
  // Tell the owner on_end(reason), soon.
  void cut(std::string reason);
  // One attempt to write what is queued, for a stream about to be dropped.
  void flush_now();
  // Close without a word to the owner.
  void drop();
  // Stop everything and hand the socket over, blocking. Flush first. REQUIRES: not secured().
  Fd take_fd();

 private:
  Stream(Loop& loop, Fd fd, StreamOwner& owner, std::size_t outgoing_max)
      : loop_(loop), outgoing_max_(outgoing_max), channel_(std::move(fd)), owner_(&owner) {}
  static constexpr std::size_t kTurnBytes = 32u << 10;

  void on_readable();
  void on_writable();
  void read(std::size_t budget);
  bool read_some(std::size_t budget);
  bool is_full(std::size_t bytes, WhenFull when_full, std::size_t limit) const;
  void settle();
  void look_for_tls();
  bool advance_tls();
  void flush();
  bool fill_writing();
  void after_flush();
  void end(const std::string& reason);
  void schedule_flush();
  void mark_gone();

  // Constant after construction.
  Loop& loop_;
  const std::size_t outgoing_max_;

  // Protected by mutex_.
  std::mutex mutex_;
  std::string queue_;       // not yet taken for writing
  std::size_t unsent_ = 0;  // queue_ and what is left of writing_
  std::shared_ptr<Unread> unread_;
  bool limited_ = false;  // by the user's own limit
  bool flush_posted_ = false;
  bool wants_room_ = false;     // somebody was refused
  std::size_t room_below_ = 0;  // and is told when less than that is waiting
  bool gone_ = false;           // nothing more is taken
  int direct_ = -1;             // the socket, if anybody may write to it

  // The loop's thread only.
  Channel channel_;
  FdWatch watch_;
  StreamOwner* owner_;
  std::shared_ptr<const TlsContext> offered_;  // until the first byte has come
  // TLS may have to write before it can read, and the other way round.
  bool write_waits_for_read_ = false;
  bool read_waits_for_write_ = false;
  std::string writing_;
  std::size_t written_ = 0;
  bool paused_ = false;
  bool finishing_ = false;
  bool write_ended_ = false;
  bool tell_flushed_ = false;
};

}  // namespace ym
