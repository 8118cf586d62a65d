// SPDX-License-Identifier: Apache-2.0
// The nodes behind one sender of a file: pieces go to the heads of parts (model/tree.h), which pass
// them on; what came of it comes back the same way. Used by sbcast and by each node on the way.
// Blocking; one thread.
//
// A head that cannot be reached at the start is replaced by the next of its part. One that is lost
// later takes the nodes behind it along for this transfer: they are told as kNoWay, and the sender
// may try them directly.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/bcast_messages.h"
#include "net/client.h"

namespace ym {

// How the error of a node begins that was not reached, and so has nothing to do with the file.
inline constexpr std::string_view kNoWay = "no way to the node: ";

class BcastTree {
 public:
  using Dial = std::function<Result<Client>(const NodeAddress&)>;
  BcastTree(Dial dial, Duration patience) : dial_(std::move(dial)), patience_(patience) {}

  // Connects and sends the first piece, whose `forward` and `tree_width` say to whom.
  void start(BcastChunk first);
  // A further piece: only what is in it counts, not whom it is for.
  void pass_on(const BcastChunk& piece);
  // Waits for the answers to what was sent last. Of every node so far: its error, or nothing.
  const std::map<std::string, std::string>& collect();

 private:
  struct Part {
    Client head;
    std::vector<NodeAddress> nodes;  // the head first
    bool lost = false;
  };
  void lose(Part& part, const std::string& why);

  Dial dial_;
  Duration patience_;
  std::vector<Part> parts_;
  std::map<std::string, std::string> outcomes_;
};

}  // namespace ym
