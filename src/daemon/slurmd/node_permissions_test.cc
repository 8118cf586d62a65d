// SPDX-License-Identifier: Apache-2.0
// Every request that slurmd takes × every kind of caller, at a real slurmd: who may ask what of a
// node. The table is what SECURITY.md promises; a new request needs a row.
#include <gmock/gmock.h>

#include "daemon/slurmd/node_harness.h"
#include "site/configuration.h"

namespace ym {
namespace {

using testing::HasSubstr;

enum Who : unsigned { Owner = 1, Other = 2, Root = 4, Node = 8, Controller = 16, Nobody = 32 };
constexpr Who kEverybody[] = {Owner, Other, Root, Node, Controller, Nobody};
constexpr unsigned kWhoeverProves = Owner | Other | Root | Node | Controller;
constexpr std::uint32_t kDaemonsUid = 61006;  // of nobody here

class NodePermissionsTest : public NodeTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: acts as several users";
    NodeTest::SetUp();
    port_ = load_configuration(dir_ + "/slurm.conf")->config.nodes[0].port;
  }
  void TearDown() override {
    if (slurmd_ > 0) NodeTest::TearDown();
  }

  KeyRing keys() { return ClusterKey::from_bytes(*read_file(dir_ + "/slurm.key")).value(); }
  // Over the network. None: not even let in.
  std::optional<Client> connect(Who who) {
    Instant now = wall_clock();
    std::uint32_t uid = who == Owner   ? user_.uid
                        : who == Other ? user_.uid - 1
                        : who == Root  ? 0
                                       : kDaemonsUid;
    TokenClaims claims{.uid = uid,
                       .gid = uid,
                       .issued = now,
                       .expires = now + std::chrono::minutes(5),
                       .audience = "straw",
                       .kind = who == Node         ? "node"
                               : who == Controller ? "controller"
                                                   : "user"};
    std::string token = who == Nobody ? "" : sign_token(keys(), claims, system_entropy()).value();
    auto client =
        Client::connect({.host = "127.0.0.1", .port = port_}, {.cluster = "straw", .token = token});
    return client ? std::optional(std::move(*client)) : std::nullopt;
  }
  // The first answer: its type, and its words if it is a refusal. "closed": there was none.
  template <class T>
  std::pair<std::uint16_t, std::string> ask(Who who, const T& request) {
    auto client = connect(who);
    if (!client) return {0, "closed"};
    if (!client->send({.type = wire::message_number<T>, .correlation = 1}, wire::encode(request),
                      kTestPatience))
      return {0, "closed"};
    auto frame = client->receive(kTestPatience);
    if (!frame) return {0, "closed"};
    std::uint16_t type = frame->header.type;
    std::string text;
    if (type == wire::message_number<StepOver>)
      text = wire::decode<StepOver>(frame->payload)->error;
    if (type == wire::message_number<X11Opened>)
      text = wire::decode<X11Opened>(frame->payload)->error;
    if (type == wire::message_number<NodeOutcomes>)
      text = wire::decode<NodeOutcomes>(frame->payload)->outcomes.at(0).error;
    if (type == wire::message_number<TreeAnswers>)
      text = wire::decode<TreeAnswers>(frame->payload)->rows.at(0).error;
    if (type == wire::message_number<Failure>) text = wire::decode<Failure>(frame->payload)->text;
    if (type == wire::message_number<StepsHere>)
      text = wire::decode<StepsHere>(frame->payload)->rows.empty() ? "nothing" : "";
    return {type, text};
  }
  // Whether it was let through, for whatever else it may have been refused.
  template <class T>
  bool may(Who who, const T& request) {
    auto [type, text] = ask(who, request);
    for (const char* denial : {"not to uid", "another user", "denied", "closed", "nothing"})
      if (text.find(denial) != std::string::npos) return false;
    return text.find("token is needed") == std::string::npos;
  }
  // Whoever asks claims to ask for root; that counts from those who may act for others only.
  template <class T>
  TreeOrder order(const T& what) {
    return {.type = wire::message_number<T>,
            .payload = wire::encode(what),
            .forward = {},
            .uid = Uid{0},
            .gid = Gid{0},
            .id = ++last_order_};
  }
  StepCredential for_files() {
    StepCredential one = credential(1, 0, 1);
    one.step.id = kExternStep;
    return one;
  }
  template <class T>
  T with_credential(T request, const StepCredential& one) {
    request.credential = wire::encode(one);
    request.signature = sign_blob(keys(), "step-credential", request.credential);
    return request;
  }
  template <class Ask>
  void expect(const char* what, unsigned allowed, const Ask& ask) {
    for (Who who : kEverybody)
      EXPECT_EQ(ask(who), (allowed & who) != 0) << what << " by kind " << who;
  }

  std::uint16_t port_ = 0;
  std::uint64_t last_order_ = 100;
};

TEST_F(NodePermissionsTest, EveryRequestIsAllowedToThoseWhomTheTableNamesAndToNobodyElse) {
  // The owner's step, which runs all the while; he watches it here.
  Client watching = srun();
  send(watching, launch(credential(1, 0, 1), {"sleep", "600"}));
  Seen seen;
  read_until(watching, seen, [](const Seen& so_far) { return so_far.received >= 1; });

  std::uint32_t step = 10;
  expect("REQUEST_PING", kWhoeverProves, [&](Who who) { return may(who, Ping{}); });
  expect("REQUEST_LAUNCH_TASKS", Owner | Root,
         [&](Who who) { return may(who, launch(credential(1, ++step, 1), {"true"})); });
  expect("REQUEST_REATTACH_TASKS", Owner | Root,
         [&](Who who) { return may(who, AttachStep{.job = JobId{1}, .step = StepId{0}}); });
  expect("REQUEST_FILE_BCAST", Owner | Root, [&](Who who) {
    BcastChunk chunk{.path = "sent", .work_dir = dir_ + "/home", .last = true};
    return may(who, with_credential(chunk, for_files()));
  });
  expect("REQUEST_X11_DISPLAY", Owner | Root, [&](Who who) {
    return may(who, with_credential(OpenX11{.cookie = std::string(16, 'c')}, for_files()));
  });
  // Answered to all, with what is the asker's own.
  expect("REQUEST_JOB_STEP_STAT", Owner | Root,
         [&](Who who) { return may(who, QueryStepsHere{.job = JobId{1}}); });
  // From the kernel's word only, which the network has not.
  expect("REQUEST_AUTH_TOKEN", 0, [&](Who who) { return may(who, GetToken{}); });
  // Down a tree: a node passes on for whom it says.
  expect("Ping in a tree", kWhoeverProves, [&](Who who) { return may(who, order(Ping{})); });
  expect("REQUEST_SIGNAL_TASKS in a tree", Owner | Root | Node, [&](Who who) {
    return may(who, order(SignalStep{.job = JobId{1}, .step = StepId{0}, .signal = 18}));
  });
  expect("REQUEST_LAUNCH_TASKS in a tree", Owner | Root | Node,
         [&](Who who) { return may(who, order(launch(credential(1, ++step, 1), {"true"}))); });
  expect("REQUEST_JOB_STEP_STAT in a tree", kWhoeverProves, [&](Who who) {
    return ask(who, order(QueryStepsHere{})).first == wire::message_number<TreeAnswers>;
  });
  expect("REQUEST_TERMINATE_JOB in a tree", Root | Node, [&](Who who) {
    return may(who, order(KillJob{.job = JobId{77}, .sluid = Sluid{77000}}));
  });
  // What only the controller's own connection carries is unknown to everybody who comes.
  expect("REQUEST_BATCH_JOB_LAUNCH", 0,
         [&](Who who) { return may(who, job(2, "#!/bin/sh\ntrue\n")); });
  expect("REQUEST_BATCH_JOB_LAUNCH in a tree", 0,
         [&](Who who) { return ask(who, order(job(2, "#!/bin/sh\ntrue\n"))).second.empty(); });
  expect("REQUEST_SHUTDOWN", 0, [&](Who who) { return may(who, Shutdown{}); });
  expect("REQUEST_REBOOT_NODES", 0, [&](Who who) { return may(who, RebootNode{}); });
  // Last, as it takes the stream away from the one who watches.
  expect("REQUEST_RESUME_STREAM", Owner | Root, [&](Who who) {
    return may(who,
               ResumeStream{.job = JobId{1},
                            .step = StepId{0},
                            .srun_id = who == Owner || who == Root ? "another srun" : "the srun"});
  });
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(200)});
  controller_->wait_clean(Sluid{1000});
}

TEST_F(NodePermissionsTest, OnlyAControllerCallsANodeToItsSuccessor) {
  std::uint64_t epoch = 100;
  for (Who who : kEverybody) {
    ControllerLeads news{.epoch = ++epoch, .index = 0, .name = "localhost"};
    ask(who, news);
    // Whatever comes later finds it done.
    ask(Root, Ping{});
    std::string log = read_file(dir_ + "/slurmd-n1.log").value_or("");
    bool followed = log.find(fmt::format("leads and calls: epoch {}", epoch)) != std::string::npos;
    EXPECT_EQ(followed, who == Controller) << who;
  }
}

TEST_F(NodePermissionsTest, OnlyAUserOfThisMachineGetsAToken) {
  Client local = srun();
  auto frame = local.call(wire::message_number<GetToken>, wire::encode(GetToken{}), kTestPatience);
  ASSERT_TRUE(frame) << frame.error().text;
  EXPECT_EQ(frame->header.type, wire::message_number<Token>);
}

}  // namespace
}  // namespace ym
