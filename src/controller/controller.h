// SPDX-License-Identifier: Apache-2.0
// The controller's brain: commands, reports and time in; events, replies and orders out.
//
// Pure room: no clock, no I/O, no threads. One owner calls it. Every call may append to the Outbox;
// see outbox.h for what its order promises. State changes only through events (model/apply.h), so
// the log replays to the same state.
//
// Files: jobs/ (submit, alter, start, prepare, finish, requeue, dependencies, arrays), nodes/
// (report, update, watch), cluster/ (configure, tick), queries/ (on snapshots, on any thread).
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "controller/indexes.h"
#include "controller/jobs/submissions.h"
#include "controller/outbox.h"
#include "model/caller.h"
#include "model/config.h"
#include "model/state.h"
#include "notation/timestamp.h"
#include "schedule/plan.h"

namespace ym {

class Controller {
 public:
  // `recovered` is the state after the newest snapshot and the tail of the log; empty for a new
  // cluster. Nothing happens before configure() and start().
  Controller(ClusterConfig config, State recovered);

  const State& state() const { return state_; }
  const ClusterConfig& config() const { return config_; }
  const Indexes& indexes() const { return indexes_; }
  PlacementRules placement_rules() const;
  const PreemptRules& preempt_rules() const { return config_.preempt; }

  // --- cluster/ ---
  // Takes a configuration over: defines new nodes and partitions, changes and removes old ones.
  // Refused as a whole (nothing changed) if a job holds something on a node that would go.
  Status configure(const ClusterConfig& config, Instant now, Outbox& out);
  // After a restart: everyone has until now + their timeouts to be heard of again. `place` is ours
  // among the SlurmctldHost lines: 0 is the primary, others stand in for it.
  void begin_watch(Instant now, Outbox& out, std::size_t place = 0);
  // REQUIRES: called at least once a second or so. O(what is due).
  void tick(Instant now, Outbox& out);

  // --- jobs/ ---
  void submit(RequestId request, const SubmitJob& submit, const Caller& caller, Instant now,
              Outbox& out);
  void alter(RequestId request, const AlterJobs& alter, const Caller& caller, Instant now,
             Outbox& out);
  void create_step(RequestId request, const CreateStep& create, const Caller& caller, Instant now,
                   Outbox& out);
  void create_het_step(RequestId request, const CreateHetStep& create, const Caller& caller,
                       Instant now, Outbox& out);
  void update_step(RequestId request, const UpdateStep& update, const Caller& caller, Instant now,
                   Outbox& out);
  // Commits what of the plan still fits; a stale proposal is dropped, of a start as of somebody who
  // was to make room. Returns how many were started.
  std::size_t commit(const Plan& plan, Instant now, Outbox& out);
  // A PrologSlurmctld has ended; `error` is empty if it succeeded.
  void program_ended(JobId job, Sluid sluid, const std::string& error, Instant now, Outbox& out);
  // An EpilogSlurmctld has ended, well or not.
  void epilog_ended(JobId job, Sluid sluid, Instant now, Outbox& out);
  // The client for whom an interactive allocation lives is there, or gone.
  void owner_present(JobId job);
  void owner_gone(JobId job, Instant now);
  // The clock by which `now` is told was set by so much: silence and graces that are being measured
  // are not longer or shorter for it.
  void clock_moved(Duration by);

  // --- nodes/ ---
  // Refused if the node is not configured here.
  Status report(const NodeReport& report, Instant now, Outbox& out);
  void disconnected(NodeId node, Instant now);
  void update_nodes(RequestId request, const UpdateNodes& update, const Caller& caller, Instant now,
                    Outbox& out);
  void reboot_nodes(RequestId request, const RebootNodes& reboot, const Caller& caller, Instant now,
                    Outbox& out);
  void create_nodes(RequestId request, const CreateNodes& create, const Caller& caller, Instant now,
                    Outbox& out);
  void delete_nodes(RequestId request, const DeleteNodes& remove, const Caller& caller, Instant now,
                    Outbox& out);
  // --- reservations/ ---
  void update_reservation(RequestId request, const UpdateReservation& update, const Caller& caller,
                          Instant now, Outbox& out);
  // --- triggers/ ---
  void set_trigger(RequestId request, const SetTrigger& set, const Caller& caller, Instant now,
                   Outbox& out);
  void clear_triggers(RequestId request, const ClearTriggers& clear, const Caller& caller,
                      Instant now, Outbox& out);
  void noticed(TriggerEvent event, Instant now) { notice(event, {}, {}, now); }
  // --- crontabs/ ---
  void update_crontab(RequestId request, const UpdateCrontab& update, const Caller& caller,
                      Instant now, Outbox& out);
  // By which crontabs are read; UTC unless told. Outlives this.
  void set_zone(const TimeZone* zone) { zone_ = zone; }

  void update_partition(RequestId request, const UpdatePartition& update, const Caller& caller,
                        Instant now, Outbox& out);
  // cluster/answers.cc
  // What a request with a number of its client's was answered; null: it is new, or long ago.
  const RequestAnswered* answered(Uid by, std::uint64_t key) const;
  void remember(RequestAnswered answered, Instant now, Outbox& out);

 private:
  // What is heard and said, and need not survive: after a restart it is found out again.
  struct Contact {
    bool connected = false;
    Instant last_heard;
  };

  // What of the cluster's nodes could take a request, were they all up and empty.
  enum class Fit : std::uint8_t { None, SomeTasks, All };

  // Applies the event and puts it into the outbox. The only caller of apply().
  void emit(EventBody body, Instant now, Outbox& out);
  void answer(RequestId request, Answer answer, Outbox& out) {
    out.replies.push_back({request, std::move(answer)});
  }
  void refuse_request(RequestId request, const Error& error, Outbox& out);
  // The first of so many free ids that follow each other.
  JobId fresh_job_id(std::uint32_t count) const;
  static bool may_alter(const Job& job, const Caller& caller) {
    return caller.operates() || caller.uid == job.spec->uid ||
           caller.coordinates_account(job.spec->account);
  }
  // What runs as the owner: nobody but him, root and SlurmUser.
  static bool may_act_as_owner(const Job& job, const Caller& caller) {
    return caller.administrator || caller.uid == job.spec->uid;
  }

  // jobs/submit.cc
  Result<JobSubmitted> admit(const SubmitJob& submit, const Caller& caller, Instant now);
  const Job* made_by(const SubmitJob& submit, const Caller& caller) const;
  // `had`: partitions that the job is in already; their groups are not asked for again.
  void use_alternates(JobSpec& spec, std::string_view had) const;
  Status check_partitions(JobSpec& spec, const Caller& caller, std::string_view had = {}) const;
  Status check_partition(const PartitionSpec& rules, const JobSpec& spec) const;
  Status check_nodes(const JobSpec& spec) const;
  Status check_times(const JobSpec& spec, Instant now) const;
  // `strictly`: it must fit as a whole, not only node by node.
  Status check_can_ever_run(const JobSpec& spec, bool strictly);
  bool exclusion_is_to_blame(const JobSpec& spec) const;
  // jobs/specials.cc
  static Status check_batch_features(const JobSpec& spec);
  Status check_container(const std::string& container) const;
  NodeId batch_node(const JobSpec& spec, const Allocation& allocation) const;
  Status label_job(JobSpec& spec, const Caller& caller) const;
  Status obey_reboot(JobSpec& spec, const Caller& caller) const;
  // Of a change by `caller` to a job of `owner`.
  Status check_specials(JobSpec& spec, const JobPatch& patch, const Caller& caller,
                        const Caller& owner) const;
  bool reboots_nodes(const JobSpec& spec) const;
  Status reserve_ports(Step& step, std::uint32_t wanted) const;
  // jobs/gres.cc
  // Reads the options into spec.extras->specials->gres.
  Status understand_gres(JobSpec& spec) const;
  void fill_gpu_defaults(JobSpec& spec, const PartitionSpec& partition) const;
  void answer_test(RequestId request, const std::vector<JobSubmitted>& admitted, Instant now,
                   Outbox& out);
  // reservations/admit.cc
  Status check_reservation(JobSpec& spec, const Caller& caller, Instant now) const;
  // `held`: what is given in the same breath, and not in the state yet.
  bool reservations_allow(const Job& job, const Allocation& allocation, Instant now,
                          const std::vector<const Allocation*>& held) const;
  // reservations/change.cc
  Result<Reservation> wanted_reservation(const UpdateReservation& update, Instant now) const;
  Status remove_reservation(const Reservation& reservation, Instant now, Outbox& out);
  void hold_waiting_for(const Reservation& reservation, Instant now, Outbox& out);
  // reservations/choose.cc
  Status choose_nodes(Reservation& reservation, Instant now) const;
  Status count_on(Reservation& reservation, bool named, Instant now) const;
  void prefer_present(const Reservation& reservation, std::vector<const Node*>& candidates) const;
  bool node_is_free_for(const Node& node, const Reservation& reservation, Instant now) const;
  // reservations/watch.cc
  void watch_reservations(Instant now, Outbox& out);
  void end_reservation(const Reservation& reservation, Instant now, Outbox& out);
  void define_licenses(const ClusterConfig& config, Instant now, Outbox& out);
  // jobs/dependencies.cc
  void job_moved_on(JobId job, Instant now, Outbox& out);
  void review_dependency(JobId waiting, Instant now, Outbox& out);
  void follow_counterpart(JobId waiting, JobId element, Instant now, Outbox& out);
  void follow_counterparts(JobId waiting, Instant now, Outbox& out);
  bool closes_circle(JobId job, const Dependency& dependency) const;
  void mark_arrays(Dependency& dependency) const;
  // jobs/arrays.cc
  JobId split(JobId array, std::uint32_t task, Instant now, Outbox& out);
  // jobs/start.cc
  bool start(const Proposal& proposal, Instant now, Outbox& out);
  bool may_start_now(const State& state, const Proposal& proposal, Instant now,
                     const std::vector<const Allocation*>& held) const;
  JobId start_one(const Proposal& proposal, Instant now, Outbox& out);
  void begin_running(JobId job, Instant now, Outbox& out);
  std::vector<HetComponent> component_facts(const Job& job) const;
  void shorten(JobId job, std::uint32_t time_limit_s, Instant now, Outbox& out);
  // The update that changes nothing.
  static JobUpdated unchanged(const Job& job);
  bool array_is_full(const Job& job) const;
  void send_launch(const Job& job, Outbox& out) const;
  LaunchJob launch_order(const Job& job, NodeId node) const;
  // jobs/prepare.cc
  bool prepares_nodes() const;
  bool must_configure() const;
  void begin_configuring(JobId job, Instant now, Outbox& out);
  void go_on_configuring(JobId job, Instant now, Outbox& out);
  void configured(JobId job, Instant now, Outbox& out);
  void nodes_awake(JobId job, Instant now, Outbox& out);
  void stop_waking(JobId job, NodeId node, Instant now, Outbox& out);
  void launch(const Job& job, Outbox& out);
  void send_prepare(const Job& job, NodeId node, Outbox& out) const;
  bool batch_may_launch(const Job& job) const;
  void node_prepared(JobId job, NodeId node, Instant now, Outbox& out);
  void prolog_failed(JobId job, NodeId node, Instant now, Outbox& out);
  void fail_start(JobId job, Reason reason, bool hold, Instant now, Outbox& out);
  void start_extern(JobId job, Instant now, Outbox& out);
  void run_epilog(JobId job, Instant now, Outbox& out);
  void go_on_after_ends(Instant now, Outbox& out);
  void drain(NodeId node, const std::string& reason, Instant now, Outbox& out);
  // jobs/finish.cc
  struct Ending {
    JobState state = JobState::Completed;
    Reason reason = Reason::None;
    ExitStatus exit;
    Uid by;
    bool requeue = false;
    Duration grace{0};
  };
  // jobs/expedite.cc
  bool may_be_expedited(const Job& job, const Ending& ending) const;
  void set_keeping(JobId job, bool keeps, Instant now, Outbox& out);
  void blame_job_or_nodes(JobId job, Instant now, Outbox& out);
  // How an allocation ended whose client tells the exit.
  static Ending interactive_ending(ExitStatus exit);
  void finish(JobId job, const Ending& ending, Instant now, Outbox& out);
  void release_node(JobId job, NodeId node, Instant now, Outbox& out);
  void became_clean(JobId job, Instant now, Outbox& out);
  void requeue_now(JobId job, Instant now, Outbox& out);
  void finish_one(JobId job, const Ending& ending, Instant now, Outbox& out);
  // jobs/het.cc
  Result<std::vector<JobSubmitted>> admit_all(const SubmitJob& submit, const Caller& caller,
                                              Instant now);
  bool start_together(const Proposal& proposal, Instant now, Outbox& out);
  // Components that end with the job, if it ends like that; the first one before the others.
  std::vector<JobId> ending_together(const Job& job, const Ending& ending) const;
  bool comes_back(const Job& job) const;
  void bring_back_others(const Job& leader, Instant now, Outbox& out);
  bool outlives_its_age(const Job& job) const;
  void mend_het_jobs(Instant now, Outbox& out);
  // `alone`: it was named without the others.
  static Status het_allows(const Job& job, JobVerb verb, bool alone);
  // jobs/steps.cc
  static Status step_allowed(const Job* job, const Caller& caller);
  // The job as it is, or as it would be with other steps of the same request.
  Result<Step> plan_step(const Job& job, const CreateStep& create, Instant now) const;
  StepCreated step_created(JobId job, const Step& step) const;
  // jobs/het_steps.cc
  Result<HetStepCreated> plan_het_step(const CreateHetStep& create, const Caller& caller,
                                       Instant now) const;
  // jobs/step_ends.cc
  // A node's part of a step is over; with the last one the step is.
  void end_step_on(JobId job, StepId step, const StepNodeEnded& part, Instant now, Outbox& out);
  void end_steps_on(JobId job, NodeId node, Instant now, Outbox& out);
  void end_batch_step(JobId job, const AttemptReport& attempt, Instant now, Outbox& out);
  void order_kill(const Job& job, NodeId node, Duration grace, Outbox& out) const;
  // jobs/alter.cc
  Status alter_one(JobId job, const AlterJobs& alter, const Caller& caller, Instant now,
                   Outbox& out);
  Status alter_tasks(JobId array, const IndexSet& tasks, const AlterJobs& alter,
                     const Caller& caller, Instant now, Outbox& out);
  Status cancel(const Job& job, const Caller& caller, Instant now, Outbox& out);
  Status signal(const Job& job, const AlterJobs& alter, std::optional<StepId> step, Outbox& out);
  std::uint32_t priority_now(const Job& job, Instant now) const;
  Status update(const Job& job, const JobPatch& patch, const Caller& caller, Instant now,
                Outbox& out);
  Status take_back(const Job& job, JobPatch& patch, Instant now, Outbox& out);
  Status set_holds(const Job& job, JobVerb verb, const Caller& caller, Instant now, Outbox& out);
  Status requeue(const Job& job, const AlterJobs& alter, const Caller& caller, Instant now,
                 Outbox& out);
  // jobs/shrink.cc
  Status shrink(JobId job, const JobPatch& patch, Instant now, Outbox& out);
  // Has the job given the node up, and is not gone from there?
  static bool leaves(const Job& job, NodeId node);
  // jobs/memory.cc
  Status lower_memory(const Job& job, std::uint64_t memory_mb, Instant now, Outbox& out);
  void ask_nodes(const Job& job, std::uint64_t memory_mb, Outbox& out);
  void remind_of_memory(NodeId node, const AttemptReport& attempt, Outbox& out) const;
  void note_memory(NodeId node, const MemoryReport& report, Instant now, Outbox& out);
  void settle_memory(JobId job, Instant now, Outbox& out);
  void look_at_memory(Instant now, Outbox& out);
  void repeat_memory(Instant now, Outbox& out);
  // jobs/update_step.cc
  static Status notify(const Job& job, const std::string& text, Outbox& out);
  // jobs/top.cc
  Status top(const Job& job, Instant now, Outbox& out);
  // jobs/preempt.cc
  bool may_be_preempted(const Preemption& plan, Instant now) const;
  bool preempt(const Preemption& plan, Instant now, Outbox& out);
  void warn_of_preemption(const Job& job, Outbox& out) const;
  void end_preempted(JobId job, Instant now, Outbox& out);
  void resume_preempted(Instant now, Outbox& out);
  // jobs/turns.cc
  void take_turns(Instant now, Outbox& out);
  std::vector<JobId> whose_turn_is_over_for(const Job& waiting, Instant now) const;
  // jobs/suspend.cc
  bool can_go_on(const Job& job) const;
  void go_on(JobId job, Instant now, Outbox& out);
  Status suspend(const Job& job, const Caller& caller, Instant now, Outbox& out);
  Status resume(const Job& job, const Caller& caller, Instant now, Outbox& out);
  void freeze(JobId job, Instant now, Outbox& out);
  void watch_freezing(Instant now, Outbox& out);
  static void order_signal(const Job& job, std::uint16_t signal, Outbox& out);
  void order_suspension(const Job& job, Outbox& out) const;
  void order_suspension(const Job& job, NodeId node, Outbox& out) const;
  // nodes/
  // Says whether the machine has booted since it registered last.
  bool note_registration(const Node& node, const NodeRegistration& registration, Instant now,
                         Outbox& out);
  void note_attempt(NodeId node, const AttemptReport& attempt, bool complete, Instant now,
                    Outbox& out, ForgetAttempts& forget);
  void note_missing(NodeId node, const std::set<Sluid>& reported, bool rebooted, Instant now,
                    Outbox& out);
  void note_step(NodeId node, const StepReport& step, Instant now, Outbox& out,
                 ForgetAttempts& forget);
  // nodes/lose.cc
  void lose_node(NodeId node, const std::string& reason, Instant now, Outbox& out);
  void lose_node_of_steps(JobId job, NodeId node, Instant now, Outbox& out);
  void change_node(const Node& node, const NodeStateChanged& change, Instant now, Outbox& out);
  // nodes/update.cc
  void note_update(const Node& node, const UpdateNodes& update, Instant now, Outbox& out);
  void end_other_defaults(std::string_view kept, Instant now, Outbox& out);
  // nodes/dynamic.cc
  void resume_nodes(Instant now, Outbox& out);
  // The note that changes nothing.
  static NodeNoted noted(const Node& node);
  // nodes/reboot.cc
  void clear_for_reboot(NodeId node, Instant now, Outbox& out);
  void request_reboot(NodeId node, const RebootNodes& reboot, const Caller& caller, Instant now,
                      Outbox& out);
  void issue_reboot(NodeId node, Instant now, Outbox& out);
  void order_reboot(NodeId node, NodeReboot reboot, Instant now, Outbox& out);
  void reboot_for(JobId job, Instant now, Outbox& out);
  void stop_waiting_for(NodeId node, Instant now, Outbox& out);
  void repeat_reboot(NodeId node, Outbox& out) const;
  void end_reboot(NodeId node, Instant now, Outbox& out);
  void watch_reboots(Instant now, Outbox& out);
  static void after_reboot(const Node& node, NodeStateChanged& change);
  // nodes/power.cc
  bool saves_power() const {
    return !config_.power.suspend_program.empty() || !config_.power.resume_program.empty();
  }
  static bool is_power_verb(std::string_view state);
  Status check_power(const Node& node, std::string_view state) const;
  void request_power(NodeId node, std::string_view state, const Caller& caller, Instant now,
                     Outbox& out);
  void force_power_up(NodeId node, Instant now, Outbox& out);
  void undo_asap(NodeId node, Instant now, Outbox& out);
  void stop_powering_down(NodeId node, Instant now, Outbox& out);
  void set_power(NodeId node, PowerPhase phase, Instant now, Outbox& out);
  // It has registered after it was switched on, or by itself.
  void woke_up(NodeId node, Instant now, Outbox& out);
  void watch_power(Instant now, Outbox& out);
  void fall_asleep(Instant now, Outbox& out);
  void switch_on(Instant now, Outbox& out);
  void switch_off(Instant now, Outbox& out);
  void fail_to_wake(const std::vector<NodeId>& nodes, Instant now, Outbox& out);
  void run_for_nodes(const std::string& program, const std::vector<NodeId>& nodes, bool with_jobs,
                     Outbox& out) const;
  std::string resume_file(const std::vector<NodeId>& nodes) const;
  Duration of_partitions(const Node& node, std::uint32_t PartitionSpec::* member,
                         Duration otherwise) const;
  bool may_sleep(const Node& node, Instant now) const;
  bool is_awake(const Allocation& allocation) const;
  Duration time_to_wake(const Allocation& allocation) const;  // at most
  // triggers/
  // A trigger that is to be pulled, for a node or a job, when its time has come.
  struct Pull {
    TriggerId trigger;
    NodeId node;
    JobId job;
    Instant due;
  };
  void notice(const EventBody& body, Instant now);  // before it is applied
  void notice(TriggerEvent event, NodeId node, JobId job, Instant now);
  void notice_lead(std::size_t place, Instant now);
  void recall_triggers();
  void pull_triggers(Instant now, Outbox& out);
  void pull_for_jobs(Instant now, Outbox& out);
  void pull(const Trigger& trigger, const std::string& argument, Instant now, Outbox& out);
  // crontabs/
  bool is_in_crontab(const Job& job) const;
  void leave_crontab(const Job& job, Instant now, Outbox& out);
  Instant next_time(const Job& job, Instant now) const;
  // mail/
  void mail(const EventBody& body, Outbox& out);
  void begin_mail(Instant now);
  void mail_limits(Instant now, Outbox& out);
  bool mails_of(const Job& job, std::uint32_t type) const;
  void send_mail(const Job& job, const std::string& type, const std::string& what,
                 Outbox& out) const;
  // cluster/answers.cc
  void index_answers();
  // cluster/configure.cc
  void make_topologies();
  void define_nodes(const ClusterConfig& config, Instant now, Outbox& out);
  void define_partitions(const ClusterConfig& config, Instant now, Outbox& out);
  // cluster/tick.cc
  // cluster/limits.cc
  void warn_of_limits(Instant now, Outbox& out);
  void enforce_limits(Instant now, Outbox& out);
  void enforce_deadlines(Instant now, Outbox& out);
  void enforce_step_limits(Instant now, Outbox& out);
  void forget_limits(JobId job);
  // cluster/tick.cc
  void watch_nodes(Instant now, Outbox& out);
  void watch_owners(Instant now, Outbox& out);
  void repeat_orders(Instant now, Outbox& out);
  void forget_old(Instant now, Outbox& out);

  ClusterConfig config_;
  State state_;
  Indexes indexes_;
  Submissions submissions_;
  std::map<std::pair<Uid, std::uint64_t>, Seq> answers_;  // of the state's; some are gone there
  std::map<NodeId, Contact> contacts_;
  std::map<JobId, Instant> owners_gone_;  // since when the client of a job in interactive() is away
  std::map<std::string, Fit> can_ever_run_;  // by shape; forgotten when nodes or partitions change
  Instant last_repeat_;
  std::map<JobId, Instant> warned_;  // the limit that the job has been warned of
  // Steps past their own limit: when SIGKILL is due.
  std::map<std::pair<JobId, StepId>, Instant> step_kill_at_;
  // Nodes that are asked for memory of a job, and what they have said. Asked again after a restart.
  struct MemoryRound {
    Sluid sluid;
    std::uint64_t asked_mb = 0;  // 0: what is in use
    std::map<NodeId, MemoryReport> told;
  };
  std::map<JobId, MemoryRound> memory_rounds_;
  std::map<JobId, Instant> freezing_;  // suspended jobs that have been told, and are not frozen yet
  // Nodes whose prolog has not been heard of; jobs whose PrologSlurmctld runs. Found out again
  // after a restart.
  std::map<JobId, std::set<NodeId>> preparing_;
  std::set<JobId> controller_prologs_;
  std::map<ReservationId, Instant> unused_since_;  // those with PURGE_COMP
  std::vector<Pull> pulls_;                        // due now or later; forgotten by a restart
  std::map<JobId, std::uint32_t> limit_mails_;  // the highest share of the limit that was mailed of
  const TimeZone* zone_ = nullptr;
  std::map<NodeId, Instant> resume_at_;  // nodes with ResumeAfter
  // Nodes that a job waits for, to be switched on. Found out again after a restart.
  std::map<JobId, std::set<NodeId>> waking_;
  std::set<JobId> late_;  // their time counts from when they are configured
  // When nodes were switched on and off, within the last minute: for the rates.
  std::vector<Instant> switched_on_, switched_off_;
  Ref<Topologies> topologies_;
};

}  // namespace ym
