// SPDX-License-Identifier: Apache-2.0
// Every request × every kind of caller × every kind of partition, at a real controller: what the
// table promises is what happens. A new request needs a row in permissions.cc and a sample here.
#include "daemon/slurmctld/permissions.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/format.h"
#include "daemon/slurmctld/service.h"
#include "net/client.h"
#include "net/token.h"
#include "os/clock.h"
#include "store/disk_posix.h"
#include "store/file_home.h"
#include "wire/backup_messages.h"
#include "wire/codec.h"
#include "wire/messages.h"
#include "wire/trust_query.h"

namespace ym {
namespace {

constexpr Duration kPatience = std::chrono::seconds(60);
// Of users that exist nowhere: nothing here depends on the machine's names.
constexpr std::uint32_t kAdministratorUid = 61001, kOperatorUid = 61002, kCoordinatorUid = 61003,
                        kOwnerUid = 61004, kOtherUid = 61005, kNodeUid = 61006;

std::uint16_t unused_port() {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

Standing standing_of(std::uint32_t uid, const std::string&) {
  if (uid == kAdministratorUid) return {.level = AdminLevel::Administrator, .coordinates = {}};
  if (uid == kOperatorUid) return {.level = AdminLevel::Operator, .coordinates = {}};
  if (uid == kCoordinatorUid) return {.level = AdminLevel::None, .coordinates = {"physics"}};
  return {};
}

// A request about the owner's job. Answered: something comes back if it is allowed.
struct Sample {
  std::uint16_t type = 0;
  std::string payload;
  bool answered = true;
};

template <class T>
Sample sample(const T& message, bool answered = true) {
  return {.type = wire::message_number<T>, .payload = wire::encode(message), .answered = answered};
}

using enum CallerKind;
constexpr CallerKinds kAll = CallerKinds(Root) | SlurmUser | Administrator | Operator |
                             Coordinator | Owner | Other | CallerKind::Node;
constexpr CallerKinds kAdministrating = CallerKinds(Root) | SlurmUser | Administrator;

// A partition, to whom it is shown unless he asks for all, and whose jobs it takes that are of the
// account "physics" and the QOS "normal".
struct Place {
  std::string name, rule;
  CallerKinds shown, takes;
};
std::vector<Place> every_kind_of_place() {
  CallerKinds operating = kAdministrating | Operator | CallerKind::Node;
  CallerKinds nobody;
  return {{"main", "Default=YES", kAll, kAll},
          {"hidden", "Hidden=YES", operating, kAll},
          {"other_group", "AllowGroups=nogroup", operating, kAdministrating},
          {"hidden_group", "Hidden=YES AllowGroups=nogroup", operating, kAdministrating},
          {"our_account", "AllowAccounts=physics", kAll, kAll},
          {"other_account", "AllowAccounts=maths", kAll, nobody},
          {"not_our_account", "DenyAccounts=physics", kAll, nobody},
          {"both_accounts", "AllowAccounts=physics DenyAccounts=physics", kAll, kAll},
          {"other_qos", "AllowQos=high", kAll, Root},
          {"not_our_qos", "DenyQos=normal", kAll, Root},
          {"both_qos", "AllowQos=normal DenyQos=normal", kAll, kAll}};
}

class PermissionsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-may-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    port_ = unused_port();
    write_conf("PartitionName=main Nodes=ALL Default=YES\n");
    auto loaded = load_configuration(dir_ + "/slurm.conf");
    ASSERT_TRUE(loaded) << loaded.error().text;
    home_ = std::make_unique<FileHome>(disk_, loaded->config.state_dir, FileHome::Company::Alone);
    auto service = ControllerService::start({.loaded = std::move(*loaded),
                                             .shut_down = [] {},
                                             .home = home_.get(),
                                             .standings = standing_of},
                                            log_);
    ASSERT_TRUE(service) << service.error().text;
    service_ = std::move(*service);
    auto key = load_key(dir_ + "/slurm.key");
    ASSERT_TRUE(key) << key.error().text;
    key_.emplace(*key);
    job_ = submit_job("main");
  }
  void TearDown() override {
    service_.reset();
    std::filesystem::remove_all(dir_);
  }
  virtual std::string extra() const { return ""; }
  void write_conf(const std::string& partitions) const {
    // A SlurmUser that is neither root nor anybody else here.
    std::ofstream(dir_ + "/slurm.conf") << fmt::format(
        "ClusterName=straw\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={}\nSlurmUser="
        "daemon\nStateSaveLocation={}/state\nSlurmctldPidFile={}/slurmctld.pid\n{}"
        "NodeName=n1 NodeHostname=localhost CPUs=4\n{}",
        port_, dir_, dir_, extra(), partitions);
  }

  Client connect(CallerKind kind) {
    static const std::map<CallerKind, std::uint32_t> kUids = {
        {CallerKind::Root, 0},
        {CallerKind::SlurmUser, 1},
        {CallerKind::Administrator, kAdministratorUid},
        {CallerKind::Operator, kOperatorUid},
        {CallerKind::Coordinator, kCoordinatorUid},
        {CallerKind::Owner, kOwnerUid},
        {CallerKind::Other, kOtherUid},
        {CallerKind::Node, kNodeUid}};
    Instant now = wall_clock();
    TokenClaims claims{.uid = kUids.at(kind),
                       .gid = kUids.at(kind),
                       .issued = now,
                       .expires = now + std::chrono::minutes(5),
                       .audience = "straw",
                       .kind = kind == CallerKind::Node ? "node" : "user"};
    auto token = sign_token(*key_, claims, system_entropy());
    EXPECT_TRUE(token);
    auto client = Client::connect({.host = "127.0.0.1", .port = port_}, {.token = *token});
    EXPECT_TRUE(client) << client.error().text;
    return std::move(*client);
  }

  static SubmitJob job_in(const std::string& partition) {
    SubmitJob submit{.script = "#!/bin/sh\n", .hold = true};
    submit.spec.name = "held";
    submit.spec.account = "physics";
    submit.spec.qos = "normal";
    submit.spec.partitions = partition;
    submit.spec.batch = true;
    submit.spec.work_dir = "/";
    return submit;
  }
  // Null: it was refused.
  template <class Answer, class Question>
  std::optional<Answer> ask(CallerKind kind, const Question& question) {
    Client client = connect(kind);
    auto frame = client.call(wire::message_number<Question>, wire::encode(question), kPatience);
    EXPECT_TRUE(frame) << frame.error().text;
    if (!frame || frame->header.type != wire::message_number<Answer>) return std::nullopt;
    auto answer = wire::decode<Answer>(frame->payload);
    EXPECT_TRUE(answer);
    return answer ? std::optional(std::move(*answer)) : std::nullopt;
  }
  JobId submit_job(const std::string& partition) {
    auto answer = ask<SubmitAnswer>(CallerKind::Owner, job_in(partition));
    EXPECT_TRUE(answer) << partition;
    return answer ? answer->job : JobId{};
  }
  void try_every_request();

  static bool is_denial(std::uint32_t code) {
    return code == static_cast<std::uint32_t>(Errc::AccessDenied) ||
           code == static_cast<std::uint32_t>(Errc::InvalidUserId) || code == 1;
  }
  static bool denies(const Frame& frame) {
    if (frame.header.type == wire::message_number<Failure>)
      return is_denial(wire::decode<Failure>(frame.payload)->code);
    if (frame.header.type != wire::message_number<AlterAnswer>) return false;
    auto answer = wire::decode<AlterAnswer>(frame.payload);
    return answer && !answer->outcomes.empty() && is_denial(answer->outcomes.front().code);
  }

  // Whether the request was refused for who asked it.
  bool is_denied(CallerKind kind, const Sample& one) {
    Client client = connect(kind);
    EXPECT_TRUE(client.send({.type = one.type, .correlation = 1}, one.payload, kPatience));
    if (!one.answered)
      EXPECT_TRUE(client.send({.type = wire::message_number<Ping>, .correlation = 2},
                              wire::encode(Ping{}), kPatience));
    for (;;) {
      auto frame = client.receive(kPatience);
      if (!frame) return false;  // closed for another reason, after it was let through
      if (frame->header.correlation == 1) return denies(*frame);
      if (frame->header.correlation == 2) return false;
    }
  }

  JobFilter the_job() const {
    JobFilter filter;
    filter.targets.push_back({.job = job_});
    return filter;
  }
  std::vector<Sample> samples(int round) const;

  std::string dir_;
  std::uint16_t port_ = 0;
  JobId job_;
  int round_ = 0;  // names what must be new each time
  Log log_{{.path = "/dev/null", .level = LogLevel::Error, .to_stderr = false, .program = "test"}};
  std::optional<KeyRing> key_;
  DiskPosix disk_;
  std::unique_ptr<FileHome> home_;
  std::unique_ptr<ControllerService> service_;
};

std::vector<Sample> PermissionsTest::samples(int round) const {
  std::string fresh = fmt::format("r{}", round);
  SubmitJob test_only{.script = "#!/bin/sh\n", .hold = true};
  test_only.spec.batch = true;
  test_only.spec.work_dir = "/";
  AlterJobs hold{.verb = JobVerb::HoldUser, .filter = the_job()};
  Trigger trigger{.event = TriggerEvent::JobFini, .job = job_, .program = "/bin/" + fresh};
  UpdateReservation reserve{.wanted = {.name = fresh}, .changed = {"name"}, .create = true};
  UpdateNodes drain{.nodes = "n1", .state = "DRAIN", .reason = "test"};
  UpdatePartition partition{.spec = {.name = "main"}, .changed = {}};
  return {sample(RequestCertificate{.node = "n1"}), sample(JoinCluster{}),
          sample(MakeJoinToken{.node = "n1"}), sample(RevokeCertificate{.serial = "ff"}),
          sample(QueryCertificates{}), sample(QueryTrust{}), sample(test_only), sample(hold),
          sample(QueryJobs{}), sample(WatchJob{.job = job_}, false),
          sample(QueryExplanation{.target = {.job = job_}}), sample(QueryHistory{}),
          sample(GetScript{.job = job_}),
          // Somebody else's: the owner's, who has no name but his number.
          sample(UpdateCrontab{.user = "daemon"}), sample(GetCrontab{.user = "daemon"}),
          sample(CreateStep{.job = job_}), sample(CreateHetStep{.parts = {{.job = job_}}}),
          sample(UpdateStep{.job = job_}), sample(QuerySteps{}),
          sample(GetJobCredential{.job = job_}), sample(SetTrigger{trigger}),
          sample(ClearTriggers{.user = std::to_string(kOwnerUid)}), sample(QueryTriggers{}),
          sample(QueryNodes{}), sample(CreateNodes{}), sample(DeleteNodes{.nodes = "n1"}),
          sample(drain), sample(RebootNodes{.nodes = "n1"}), sample(QueryPartitions{}),
          sample(partition), sample(QueryReservations{}), sample(reserve), sample(QueryLicenses{}),
          sample(Ping{}), sample(QueryConfig{}), sample(FetchConfig{}), sample(QueryStatistics{}),
          sample(GetToken{}), sample(Reconfigure{}), sample(SetDebug{.level = "info"}),
          sample(Shutdown{.controller_only = true}), sample(Takeover{}), sample(FollowEvents{}),
          sample(BackupState{}), sample(NodeReport{.node = "n1"}, false),
          sample(TreeAnswers{}, false)};
}

void PermissionsTest::try_every_request() {
  std::set<std::uint16_t> tried;
  for (std::uint16_t bit = 0; bit < kCallerKinds; ++bit) {
    auto kind = static_cast<CallerKind>(1u << bit);
    ++round_;
    // The owner's trigger is there for each who tries to clear it.
    is_denied(CallerKind::Owner, sample(SetTrigger{{.event = TriggerEvent::JobFini,
                                                    .job = job_,
                                                    .program = fmt::format("/bin/t{}", round_)}}));
    for (const Sample& one : samples(round_)) {
      const Permission* row = permission_for(one.type);
      ASSERT_NE(row, nullptr) << one.type;
      tried.insert(one.type);
      // A crontab of "daemon" is nobody's of these but that of SlurmUser.
      bool crontab = one.type == wire::message_number<UpdateCrontab> ||
                     one.type == wire::message_number<GetCrontab>;
      bool may = row->may.has(kind) && !(crontab && kind == CallerKind::Owner);
      EXPECT_EQ(is_denied(kind, one), !may)
          << row->name << " by kind " << bit << (may ? " is refused" : " is allowed");
    }
  }
  for (const Permission& row : permissions())
    EXPECT_TRUE(tried.contains(row.message)) << row.name << " has no sample here";
}

TEST_F(PermissionsTest, EveryRequestIsAllowedToThoseWhomTheTableNamesAndToNobodyElse) {
  try_every_request();
}

// Who may do what with a job: scontrol(1) and scancel(1). What differs from the row of the request:
// users could let others wait by suspending, and may not move their jobs up. `refusal`: how else
// than by the usual codes it is refused.
struct VerbRow {
  JobVerb verb;
  const char* name;
  CallerKinds may;
  Errc refusal = Errc::AccessDenied;
};
std::vector<VerbRow> every_verb() {
  CallerKinds operating = kAdministrating | Operator;
  CallerKinds responsible = operating | Coordinator | Owner;
  return {{JobVerb::Update, "update", responsible},
          {JobVerb::Hold, "hold", responsible},
          {JobVerb::HoldUser, "uhold", responsible},
          {JobVerb::Release, "release", responsible},
          {JobVerb::Requeue, "requeue", responsible},
          {JobVerb::RequeueHold, "requeuehold", responsible},
          {JobVerb::Suspend, "suspend", operating},
          {JobVerb::Resume, "resume", operating},
          {JobVerb::Cancel, "cancel", responsible},
          {JobVerb::Signal, "signal", responsible},
          {JobVerb::Complete, "complete", responsible},
          {JobVerb::Top, "top", operating, Errc::Disabled},
          {JobVerb::Notify, "notify", responsible}};
}

class VerbsTest : public PermissionsTest {
 protected:
  static AlterJobs alter(JobVerb verb, JobId job) {
    AlterJobs alter{.verb = verb, .filter = {}};
    alter.filter.targets.push_back({.job = job});
    alter.signal = verb == JobVerb::Signal ? 10 : 0;
    alter.text = "a word";
    if (verb == JobVerb::Update) alter.patch.name = "changed";
    return alter;
  }
  // Of a job that is there: what it says about it.
  std::uint32_t code(CallerKind kind, const AlterJobs& alter) {
    Client client = connect(kind);
    auto frame = client.call(wire::message_number<AlterJobs>, wire::encode(alter), kPatience);
    EXPECT_TRUE(frame) << frame.error().text;
    if (frame->header.type == wire::message_number<Failure>)
      return static_cast<std::uint32_t>(wire::decode<Failure>(frame->payload)->code);
    auto answer = wire::decode<AlterAnswer>(frame->payload);
    EXPECT_TRUE(answer);
    return answer && !answer->outcomes.empty() ? answer->outcomes.front().code : 0;
  }
  // What of the job a verb could have changed.
  std::string shape(JobId job) {
    QueryJobs query;
    query.filter.targets.push_back({.job = job});
    query.filter.all_states = true;
    auto answer = ask<JobRows>(Root, query);
    if (!answer || answer->rows.size() != 1) return "gone";
    const Job& seen = answer->rows.front().job;
    return fmt::format("{} {} {} {} {}", static_cast<int>(seen.state), seen.holds.user,
                       seen.holds.admin, seen.priority, seen.spec->name);
  }
};

TEST_F(VerbsTest, EachIsAllowedToThoseWhomTheTableNamesAndChangesNothingForOthers) {
  std::set<JobVerb> tried;
  for (const VerbRow& row : every_verb()) {
    tried.insert(row.verb);
    for (std::uint16_t bit = 0; bit < kCallerKinds; ++bit) {
      SCOPED_TRACE(fmt::format("{} by kind {}", row.name, bit));
      auto kind = static_cast<CallerKind>(1u << bit);
      JobId job = submit_job("main");
      std::string before = shape(job);
      std::uint32_t said = code(kind, alter(row.verb, job));
      bool denied = is_denial(said) || (row.refusal != Errc::AccessDenied &&
                                        said == static_cast<std::uint32_t>(row.refusal));
      EXPECT_EQ(denied, !row.may.has(kind)) << said;
      if (!row.may.has(kind)) EXPECT_EQ(shape(job), before);
    }
  }
  EXPECT_EQ(tried.size(), static_cast<std::size_t>(JobVerb::Notify) + 1) << "Notify is the last";
}

// Without a name of a job: those that are meant are the caller's own.
TEST_F(VerbsTest, WhoMeansAllJobsMeansThoseThatHeMayAlter) {
  for (CallerKind kind : {Other, CallerKind::Node}) {
    std::string before = shape(job_);
    AlterJobs all{.verb = JobVerb::Cancel, .filter = {}};
    code(kind, all);
    EXPECT_EQ(shape(job_), before);
  }
}

// The owner's jobs are there before the rules are.
class PlacesTest : public PermissionsTest {
 protected:
  void SetUp() override {
    PermissionsTest::SetUp();
    reconfigure(false);
    for (const Place& place : every_kind_of_place()) jobs_[place.name] = submit_job(place.name);
    reconfigure(true);
  }
  void reconfigure(bool with_rules) {
    std::string lines;
    for (const Place& place : every_kind_of_place())
      lines += fmt::format("PartitionName={} Nodes=ALL {}\n", place.name,
                           with_rules || place.name == "main" ? place.rule : "");
    write_conf(lines);
    ASSERT_TRUE(ask<Done>(Root, Reconfigure{}));
  }
  template <class Body>
  void with_each(const Body& body) {
    for (const Place& place : every_kind_of_place())
      for (std::uint16_t bit = 0; bit < kCallerKinds; ++bit) {
        SCOPED_TRACE(fmt::format("{}, kind {}", place.name, bit));
        body(place, static_cast<CallerKind>(1u << bit));
      }
  }
  // Whether the job, or a step of it, is in the answer.
  bool lists(CallerKind kind, const QueryJobs& query, JobId job) {
    auto answer = ask<JobRows>(kind, query);
    if (!answer) return false;
    return std::ranges::any_of(answer->rows, [&](const JobRow& row) { return row.job.id == job; });
  }
  std::map<std::string, JobId> jobs_;
};

TEST_F(PlacesTest, WhereAJobIsDoesNotChangeWhoMayDoWhatWithIt) {
  for (const Place& place : every_kind_of_place()) {
    SCOPED_TRACE(place.name);
    job_ = jobs_[place.name];
    try_every_request();
  }
}

TEST_F(PlacesTest, TakeTheJobsOfThoseWhomTheirRulesName) {
  with_each([&](const Place& place, CallerKind kind) {
    EXPECT_EQ(ask<SubmitAnswer>(kind, job_in(place.name)).has_value(), place.takes.has(kind));
    // A list of partitions is taken if all of them take the job.
    EXPECT_EQ(ask<SubmitAnswer>(kind, job_in("main," + place.name)).has_value(),
              place.takes.has(kind));
  });
}

TEST_F(PlacesTest, AreShownToThoseWhoMayUseThemAndToOperatorsUnlessSomebodyAsksForAll) {
  with_each([&](const Place& place, CallerKind kind) {
    auto shows = [&](bool hide) {
      auto answer = ask<PartitionRows>(kind, QueryPartitions{.name = "", .hide = hide});
      return answer && std::ranges::any_of(answer->rows, [&](const PartitionRow& row) {
               return row.partition.spec->name == place.name;
             });
    };
    EXPECT_TRUE(shows(false));
    EXPECT_EQ(shows(true), place.shown.has(kind));
  });
}

TEST_F(PlacesTest, ShowTheirJobsToThoseToWhomTheyAreShown) {
  JobId both = submit_job("main,hidden");
  with_each([&](const Place& place, CallerKind kind) {
    JobId job = jobs_[place.name];
    // Brief ones twice: the second may be the answer to somebody else's question.
    for (std::uint64_t fields : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}) {
      EXPECT_TRUE(lists(kind, {.fields = fields}, job));
      EXPECT_EQ(lists(kind, {.fields = fields, .hide = true}, job), place.shown.has(kind));
      EXPECT_TRUE(lists(kind, {.fields = fields, .hide = true}, both)) << "main shows it";
    }
    QueryJobs named{.hide = true};
    named.filter.targets.push_back({.job = job});
    EXPECT_EQ(ask<JobRows>(kind, named).has_value(), place.shown.has(kind));
  });
}

TEST_F(PermissionsTest, WhoeverProvesNothingIsToldNothing) {
  auto client = Client::connect({.host = "127.0.0.1", .port = port_}, {});
  ASSERT_TRUE(client);
  auto answer = client->call(wire::message_number<Ping>, wire::encode(Ping{}), kPatience);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().text.find("a token is needed"), std::string::npos);
}

TEST_F(PermissionsTest, WhatHasNoRowIsNotKnown) {
  for (std::uint16_t type : {std::uint16_t{16}, std::uint16_t{17}, std::uint16_t{999}}) {
    Client root = connect(CallerKind::Root);
    auto frame = root.call(type, "", kPatience);
    ASSERT_TRUE(frame) << frame.error().text;
    ASSERT_EQ(frame->header.type, wire::message_number<Failure>);
    EXPECT_EQ(wire::decode<Failure>(frame->payload)->code,
              static_cast<std::uint32_t>(Errc::BadMessage));
  }
}

class PrivateDataTest : public PermissionsTest {
 protected:
  std::string extra() const override { return "PrivateData=jobs,nodes,partitions,reservations\n"; }
  template <class Rows, class Query>
  std::size_t rows(CallerKind kind, const Query& query) {
    auto answer = ask<Rows>(kind, query);
    return answer ? answer->rows.size() : 0;
  }
  // 0: it was none.
  template <class Query>
  std::uint32_t failure(CallerKind kind, const Query& query) {
    Client client = connect(kind);
    auto frame = client.call(wire::message_number<Query>, wire::encode(query), kPatience);
    EXPECT_TRUE(frame);
    if (!frame || frame->header.type != wire::message_number<Failure>) return 0;
    return static_cast<std::uint32_t>(wire::decode<Failure>(frame->payload)->code);
  }
};

TEST_F(PrivateDataTest, HidesFromOthersWhatIsNotTheirs) {
  for (CallerKind kind : {Root, SlurmUser, Administrator, Operator, Coordinator, Owner}) {
    EXPECT_EQ((rows<JobRows>(kind, QueryJobs{})), 1u);
    EXPECT_EQ((rows<JobRows>(kind, QueryJobs{.filter = the_job()})), 1u);
    EXPECT_EQ((rows<HistoryRows>(kind, QueryHistory{.filter = {.all_states = true}})), 1u);
  }
  EXPECT_EQ((rows<JobRows>(Other, QueryJobs{})), 0u);
  EXPECT_EQ((rows<JobRows>(Other, QueryJobs{.filter = the_job()})), 0u);
  EXPECT_EQ((rows<JobRows>(Other, QueryJobs{.fields = ~0ull})), 0u);
  EXPECT_EQ((rows<JobRows>(Owner, QueryJobs{.fields = ~0ull})), 1u);
  EXPECT_EQ((rows<HistoryRows>(Other, QueryHistory{.filter = {.all_states = true}})), 0u);
  EXPECT_EQ(failure(Other, WatchJob{.job = the_job().targets.front().job}),
            static_cast<std::uint32_t>(Errc::InvalidJobId))
      << "whoever waits for its end would be told of it";
  EXPECT_EQ((rows<NodeRows>(Operator, QueryNodes{})), 1u);
  EXPECT_EQ((rows<NodeRows>(Owner, QueryNodes{})), 0u);
  EXPECT_EQ((rows<NodeRows>(CallerKind::Node, QueryNodes{})), 1u) << "a node asks about itself";
  EXPECT_EQ((rows<PartitionRows>(Owner, QueryPartitions{})), 0u);
  EXPECT_EQ((rows<PartitionRows>(Root, QueryPartitions{})), 1u);
}

TEST_F(PrivateDataTest, ShowsReservationsToThoseWhoMayUseThemAndToOperators) {
  // SlurmUser's alone, and everybody's but his.
  for (const auto& [name, users] : {std::pair("theirs", "daemon"), {"ours", "-daemon"}}) {
    UpdateReservation reserve{.wanted = {.name = name}, .changed = {}, .create = true};
    reserve.wanted.users = users;
    reserve.wanted.node_text = "n1";
    reserve.wanted.start = wall_clock() + std::chrono::hours(name[0] == 't' ? 1 : 3);
    reserve.wanted.end = reserve.wanted.start + std::chrono::hours(1);
    reserve.changed = {"name", "users", "node_text", "start", "end"};
    ASSERT_EQ(failure(Root, reserve), 0u) << name;
  }
  CallerKinds sees = kAdministrating | Operator;
  for (std::uint16_t bit = 0; bit < kCallerKinds; ++bit) {
    auto kind = static_cast<CallerKind>(1u << bit);
    std::size_t shown = sees.has(kind) ? 1 : 0;
    EXPECT_EQ((rows<ReservationRows>(kind, QueryReservations{})), shown + 1) << bit;
    EXPECT_EQ((rows<ReservationRows>(kind, QueryReservations{.name = "theirs"})), shown) << bit;
  }
}

}  // namespace
}  // namespace ym
