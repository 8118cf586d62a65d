// SPDX-License-Identifier: Apache-2.0
// Jobs with only the fields that were asked for, in the order that was asked for. They leave in
// small portions: the first lines are on their way before the rest is looked at, memory stays
// small however long the queue is, and others have their turn in between.
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "daemon/slurmctld/desk_impl.h"
#include "model/job_fields.h"

namespace ym {

struct BriefListing {
  std::shared_ptr<const OrderedJobs> order;  // none: by id
  OrderKey from;
  SpecPlaces places;
  std::size_t frames = 0;  // that were taken
  bool last = false;       // the one that is being sent, or was
  bool waiting = false;    // it was not taken yet
  std::string frame;
  // For those who ask the same, as long as it is short.
  std::string question;  // empty: not kept
  Duration begun{0};
  AnswerCache::Frames made;
  std::size_t made_bytes = 0;
};

namespace {

constexpr std::size_t kFirstRows = 64, kRows = 512;
static_assert(kRows <= SpecPlaces::kRowsInFrame);
// What waits for a reader at most: some milliseconds of work, and few turns for a long queue.
constexpr std::size_t kPortion = 128 * 1024;

// Behind the first frame nothing is taken until that is on its way.
std::size_t portion_of(const BriefListing& brief) { return brief.frames == 1 ? 1 : kPortion; }

}  // namespace

void Desk::begin_brief(Listing& listing, const Peer& peer, const std::string& question) {
  listing.brief = std::make_shared<BriefListing>();
  if (question.size() <= AnswerCache::kQuestionMax && !listing.viewer)
    listing.brief->question = question;
  listing.brief->begun = monotonic_clock();
  bool in_order = listing.query.order == JobOrder::Usual && listing.query.filter.targets.empty();
  if (!in_order) return;
  if (!listing.view.config->priority.counts()) {
    auto good_enough = [&](Seq of) { return answers_.good_enough(Uid{peer.uid}, of); };
    const Duration now = listing.brief->begun;
    listing.brief->order = order_.same_again(listing.view, now, good_enough);
    if (listing.brief->order) return;
    listing.brief->order = order_.order_of(*s_.published, listing.view);
    order_.keep(listing.view, listing.brief->order, now);
    return;
  }
  // Priorities move with time: the order is made for this answer.
  PriorityScale scale = scale_of(listing.view);
  Instant now = wall_clock();
  const State& state = listing.view.state;
  listing.brief->order = std::make_shared<OrderedJobs>(
      OrderedJobs::of(state, [&](const Job& job) { return priority_at(job, state, now, scale); }));
}

// The same question gets the same answer, as long as that holds.
bool Desk::answer_again(ReplyTo to, const Peer& peer, const std::string& question,
                        const View& view) {
  if (question.size() > AnswerCache::kQuestionMax) return false;
  auto frames = answers_.find(question, view, Uid{peer.uid}, monotonic_clock());
  if (!frames) return false;
  for (std::size_t i = 0; i < frames->size(); ++i) {
    std::uint16_t flags = i + 1 < frames->size() ? wire::kFlagMore : std::uint16_t{0};
    s_.server->send(
        to.connection,
        {.type = wire::message_number<JobRows>, .flags = flags, .correlation = to.correlation},
        (*frames)[i]);
  }
  return true;
}

// False if it was not taken: it waits until there is room.
bool Desk::send_brief(ConnectionId connection, Listing& listing) {
  BriefListing& brief = *listing.brief;
  std::uint16_t flags = brief.last ? std::uint16_t{0} : wire::kFlagMore;
  SendResult result = s_.server->send(
      connection,
      {.type = wire::message_number<JobRows>, .flags = flags, .correlation = listing.correlation},
      brief.frame, WhenFull::Refuse, portion_of(brief));
  brief.waiting = result == SendResult::Full;
  if (result == SendResult::Gone) brief.last = true;
  if (brief.waiting) return false;
  brief.frame.clear();
  ++brief.frames;
  return !brief.last;
}

// Remembers the frame that is about to leave; with the last one the answer is kept.
void Desk::keep_brief(Listing& listing) {
  BriefListing& brief = *listing.brief;
  if (brief.question.empty()) return;
  brief.made_bytes += brief.frame.size();
  if (brief.made_bytes > AnswerCache::kAnswerMax) {
    brief.question.clear();
    brief.made.clear();
    return;
  }
  brief.made.push_back(brief.frame);
  if (brief.last) answers_.keep(brief.question, listing.view, brief.begun, std::move(brief.made));
}

// Sends frames until the end or until enough is on its way; true if there is more to send later.
bool Desk::list_brief(ConnectionId connection, Listing& listing) {
  BriefListing& brief = *listing.brief;
  if (brief.waiting && !send_brief(connection, listing)) return brief.waiting;
  const State& state = listing.view.state;
  const std::uint64_t fields = listing.query.fields;
  const Instant now = wall_clock();
  const PriorityScale scale = scale_of(listing.view);
  JobRows rows;
  auto pack = [&](bool last) {
    wire::encode_to(brief.frame, rows);
    rows.rows.clear();
    rows.specs.clear();
    brief.last = last;
    keep_brief(listing);
    return send_brief(connection, listing);
  };
  bool goes_on = true;
  auto add = [&](const Job& job, std::uint64_t shape = 0) {
    if (!listing.shows(job)) return true;
    JobRow& row =
        rows.rows.emplace_back(brief_row(state, job, *listing.view.verdicts, now, fields, shape));
    if (scale.rules.counts() && has(fields, JobField::Priority))
      count_priority(row, state, job, now, scale);
    SpecPlaces::Place place = brief.places.find(fields, *job.spec);
    if (place.fresh) rows.specs.push_back(only(fields, *job.spec));
    row.spec_place = place.number;
    if (rows.rows.size() >= (brief.frames ? kRows : kFirstRows)) goes_on = pack(false);
    return goes_on;
  };
  if (brief.order)
    brief.order->for_each(state, listing.query.filter, brief.from,
                          [&](const OrderKey& key, const Job& job) {
                            brief.from = key;
                            ++brief.from.id;  // the next one is not before that
                            return add(job, key.shape);
                          });
  else
    for_each_selected(
        state, listing.query.filter,
        [&](const Job& job) {
          listing.next = JobId{job.id.value + 1};
          return add(job);
        },
        listing.next);
  if (goes_on) pack(true);
  return brief.waiting;
}

}  // namespace ym
