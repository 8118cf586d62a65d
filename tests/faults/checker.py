# SPDX-License-Identifier: Apache-2.0
"""Reads a history and says what is wrong with it. Pure: records in, sentences out.

What must hold, whatever was broken meanwhile:
 (1) a job that was acknowledged exists, under its own number, which no other job ever has;
 (2) one that was refused does not exist; one of which nobody knows exists once or not at all;
 (3) every run of a job starts once; a job is completed if and only if its run came to its end;
 (4) no job fails, is cancelled or starts again without a cause;
 (5) a cancelled job does not go on, a held one does not start;
 (6) whoever asks sees what was acknowledged before he asked;
 (7) no CPU is given away twice;
 (8) when the faults are over, everything ends, and no daemon died by itself.
"""
from dataclasses import dataclass, field, replace

FINAL = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "DEADLINE",
         "OUT_OF_MEMORY", "PREEMPTED"}
# Other people's jobs may be shown as they were a moment ago (docs/decisions/0017).
MOMENT_S = 0.25
# An order to start may be on its way while a job is cancelled; the order to end it follows.
ON_ITS_WAY_S = 6.0
# A node that cannot be heard for less than this share of SlurmdTimeout is not lost.
SILENCE_SHARE = 0.6
RECONNECT_S = 3.0


@dataclass
class Operation:
    number: int
    who: str
    what: str
    asked: float
    fields: dict
    result: str = "unknown"  # what never came back is not known, either
    answered: float = float("inf")
    value: object = None


@dataclass
class Run:
    """What one run of a job wrote: (event, moment)."""
    node: str
    job: str         # "12", or "12_1" for a task of an array
    restart: int
    cpus: int
    events: list = field(default_factory=list)

    def first(self, *names):
        return next((t for name, t in self.events if name in names), None)


@dataclass
class Case:
    operations: list
    faults: list       # (begin, end, record)
    died: list
    shepherds: set     # jobs whose slurmstepd was killed
    ledgers: dict      # node -> lines
    meta: dict         # "cpus" of a node, "slurmd_timeout", "controllers", "unsettled"
    runs: dict = field(default_factory=dict)  # token -> [Run]
    seen: list = field(default_factory=list)  # (Operation, {job: (name, state)})

    def of(self, *kinds):
        return [op for op in self.operations if op.what in kinds]


def load(records):
    operations, faults, died, ledgers, meta = {}, [], [], {}, {}
    open_faults, shepherds = {}, set()
    for record in records:
        kind = record["type"]
        if kind == "invoke":
            operations[record["op"]] = Operation(record["op"], record["who"], record["what"],
                                                 record["t"], record)
        elif kind in ("ok", "fail", "unknown"):
            op = operations[record["op"]]
            op.result, op.answered, op.value = kind, record["t"], record.get("value")
        elif kind == "fault":
            key = (record["kind"], record["host"], record["at"])
            if record["does"] == "begin":
                open_faults[key] = record
            else:
                faults.append((open_faults.pop(key)["t"], record["t"], record))
        elif kind == "shepherd":
            shepherds.add(str(record["job"]))
        elif kind == "died":
            died.append(record)
        elif kind == "ledger":
            ledgers[record["node"]] = record["lines"]
        elif kind == "meta":
            meta.update(record)
    faults += [(record["t"], float("inf"), record) for record in open_faults.values()]
    each = [one for op in operations.values() for one in tasks_of(op)]
    case = Case(each, faults, died, shepherds, ledgers, meta)
    read_ledgers(case)
    widths = {str(op.value): op.fields["width"] for op in operations.values()
              if op.result == "ok" and op.fields.get("width", 1) > 1}
    for op in case.of("query"):
        if op.result == "ok":
            rows = [one for row in op.value for one in task_rows(row, widths)]
            # A task of an array has a number of its own, too, by which its node knows it.
            case.shepherds |= {str(row[0]) for row in rows
                               if len(row) > 4 and str(row[4]) in case.shepherds}
            case.seen.append((op, {str(row[0]): (task_name(row), row[2]) for row in rows}))
    return case


def task_rows(row, widths):
    """An array that was cancelled before any task of it started is one row."""
    number = str(row[0])
    if number not in widths:
        return [row]
    return [[f"{number}_{i}", *row[1:]] for i in range(widths[number])]


def tasks_of(op):
    """An operation on an array is one on each of its tasks."""
    width = op.fields.get("width", 1)
    if width == 1:
        return [op]
    return [replace(op, fields={**op.fields, "token": f"{op.fields['token']}_{i}"},
                    value=f"{op.value}_{i}" if op.value else None) for i in range(width)]


def task_name(row):
    """All tasks of an array have its name; their numbers tell them apart."""
    number = str(row[0])
    return row[1] + number[number.index("_"):] if "_" in number else row[1]


def read_ledgers(case):
    for node, lines in case.ledgers.items():
        for line in lines:
            words = line.split()
            if words[0] == "power":
                continue
            event, token, who, cpus, moment = words[:5]
            job, restart = who.split(".")[0], int(who.split(".")[1])
            runs = case.runs.setdefault(token, [])
            # A second start of the same run is a run of its own: rule 3 counts them.
            run = next((one for one in runs if event != "start" and
                        (one.job, one.restart, one.node) == (job, restart, node)), None)
            if run is None:
                run = Run(node, job, restart, int(cpus))
                runs.append(run)
            run.events.append((event, float(moment)))


def last_view(case):
    return case.seen[-1][1] if case.seen else {}


# --- the rules: each gives sentences ---

def acknowledged_jobs_exist(case):
    last, owner = last_view(case), {}
    for op in case.of("submit"):
        if op.result != "ok":
            continue
        token = op.fields["token"]
        if op.value in owner:
            yield f"the number {op.value} was given to {owner[op.value]} and to {token}"
        owner[op.value] = token
        if op.value not in last:
            yield f"job {op.value} ({token}) was acknowledged and is gone"
        elif last[op.value][0] != token:
            yield f"job {op.value} was acknowledged as {token} and is {last[op.value][0]}"


def numbers_keep_their_jobs(case):
    names, numbers = {}, {}
    for op, view in case.seen:
        for job, (name, _) in view.items():
            if names.setdefault(job, name) != name:
                yield f"job {job} was {names[job]} and is {name} at {op.asked}"
            if numbers.setdefault(name, job) != job:
                yield f"{name} exists twice: as {numbers[name]} and as {job}"
    for token, runs in case.runs.items():
        for run in runs:
            if numbers.setdefault(token, run.job) != run.job:
                yield f"{token} ran as job {run.job} and is job {numbers[token]}"


def refused_jobs_do_not_exist(case):
    for op in case.of("submit"):
        if op.result != "fail":
            continue
        token = op.fields["token"]
        if token in case.runs:
            yield f"{token} was refused and ran"
        for job, (name, _) in last_view(case).items():
            if name == token:
                yield f"{token} was refused and is job {job}"


def runs_start_once(case):
    requeue = {op.fields["token"]: op.fields.get("requeue", False)
               for op in case.of("submit", "srun")}
    nodes = {op.fields["token"]: op.fields.get("nodes", 1) for op in case.of("srun")}
    for token, runs in case.runs.items():
        started = [run for run in runs if run.first("start") is not None]
        starts = [(run.job, run.restart) for run in started]
        for one in sorted(set(starts)):
            where = [run.node for run in started if (run.job, run.restart) == one]
            # Once, or once on each of its nodes.
            if len(where) > nodes.get(token, 1) or len(set(where)) < len(where):
                yield (f"{token}: run {one[0]}.{one[1]} started {len(where)} times "
                       f"({', '.join(where)})")
        if not requeue.get(token) and len(set(starts)) > 1:
            yield f"{token} may not be requeued and ran {len(starts)} times"


def completed_means_it_came_to_its_end(case):
    last = {name: state for name, state in last_view(case).values()}
    for op in case.of("submit"):
        token = op.fields["token"]
        ends = [run for run in case.runs.get(token, []) if run.first("done") is not None]
        if last.get(token) == "COMPLETED" and not ends:
            yield f"{token} is COMPLETED and never came to its end"
        if not op.fields.get("requeue") and len(ends) > 1:
            yield f"{token} came to its end {len(ends)} times"


def between(case, fault, node):
    """Whether it is a fault of the ways between the node and a controller."""
    ends = {fault["host"], fault["other"]}
    controllers = set(case.meta["controllers"])
    if not fault["rule"]:
        return False
    if not fault["other"]:
        return bool(ends & {node, *controllers})
    return node in ends and bool(ends & controllers)


def silence(case, node):
    """Seconds for which the node may not have been heard, at a stretch."""
    spans = []
    for begin, end, fault in case.faults:
        # A controller that was away itself has no reason to give a node up.
        itself = fault["host"] == node and fault["kind"] in ("kill", "pause", "power")
        refused = fault["kind"] == "clock" and fault["host"] in (node, *case.meta["controllers"])
        if itself or refused or between(case, fault, node):
            spans.append((begin, end + RECONNECT_S))
    longest, reach, start = 0.0, None, None
    for begin, end in sorted(spans):
        if reach is None or begin > reach:
            start, reach = begin, end
        reach = max(reach, end)
        longest = max(longest, reach - start)
    return longest


def lost(case, node):
    """Whether faults explain that the controller gave a node up."""
    power = any(fault["kind"] == "power" and fault["host"] == node for _, _, fault in case.faults)
    return power or silence(case, node) >= SILENCE_SHARE * case.meta["slurmd_timeout"]


def nodes_of(case, runs):
    """Where a job was. An attempt that no ledger knows may have been given to any node: one that
    lost power before the script began, for instance."""
    attempts = {run.restart for run in runs}
    seen_all = attempts and attempts == set(range(max(attempts) + 1))
    return {run.node for run in runs} if seen_all else case.ledgers


def spool_was_full(case, op):
    """Whether some node could not take a job since this one was submitted."""
    return any(fault["kind"] == "disk" and fault["host"] in case.ledgers and end >= op.asked
               for _, end, fault in case.faults)


def ends_have_causes(case):
    cancelled = {op.fields["token"] for op in case.of("cancel")}
    last = {name: (job, state) for job, (name, state) in last_view(case).items()}
    for op in case.of("submit"):
        token = op.fields["token"]
        job, state = last.get(token, (None, None))
        runs = case.runs.get(token, [])
        some_lost = any(lost(case, node) for node in nodes_of(case, runs))
        if state == "CANCELLED" and token not in cancelled:
            yield f"{token} is CANCELLED and nobody cancelled it"
        elif state == "NODE_FAIL" and not some_lost:
            yield f"{token} is NODE_FAIL and no node of it was lost"
        elif state == "FAILED" and job not in case.shepherds and not (
                spool_was_full(case, op) and not runs and not op.fields.get("requeue")):
            yield f"{token} is FAILED"
        elif state in FINAL - {"CANCELLED", "NODE_FAIL", "COMPLETED", "FAILED"}:
            yield f"{token} is {state}"
        restarts = {run.restart for run in runs} - {0}
        # A node whose disk is full gives a job back, before anything of it has run there.
        given_back = spool_was_full(case, op) and op.fields.get("requeue")
        given_back = given_back and not any(run.restart == 0 for run in runs)
        if restarts and not some_lost and not given_back:
            yield f"{token} was started again and no node of it was lost"


def cancelled_jobs_do_not_go_on(case):
    for op in case.of("cancel"):
        if op.result != "ok":
            continue
        token = op.fields["token"]
        for run in case.runs.get(token, []):
            start, end = run.first("start"), run.first("done")
            late = start is not None and start > op.answered + ON_ITS_WAY_S
            if late and not cut_off(case, run.node, op.answered):
                yield (f"{token} was cancelled at {op.answered} and started on {run.node} at "
                       f"{start}")
            if late and end is not None:
                yield f"{token} was cancelled at {op.answered}, started later and came to its end"


def cut_off(case, node, moment):
    """Whether orders to the node could wait on their way at that moment."""
    for begin, end, fault in case.faults:
        if begin - 1 <= moment <= end + RECONNECT_S:
            if between(case, fault, node) or fault["host"] in (node, *case.meta["controllers"]):
                return True
    return False


def held_jobs_do_not_start(case):
    released = {}
    for op in case.of("release"):
        released.setdefault(op.fields["token"], op.asked)
    for op in case.of("submit"):
        if not op.fields.get("hold"):
            continue
        token = op.fields["token"]
        for run in case.runs.get(token, []):
            start = run.first("start")
            # The jobs' clock has hundredths.
            if start is not None and start + 0.02 < released.get(token, float("inf")):
                yield f"{token} was held and started at {start}"


def answers_are_current(case):
    acknowledged = [op for op in case.of("submit") if op.result == "ok"]
    for op, view in case.seen:
        for one in acknowledged:
            grace = 0 if one.who == op.who or op.who == "root" else MOMENT_S
            if one.answered + grace < op.asked and one.value not in view:
                yield (f"{op.who} asked at {op.asked} and did not see job {one.value} "
                       f"({one.fields['token']}), acknowledged at {one.answered}")
    for op in case.of("look"):
        if op.result == "ok" and op.value is None:
            yield f"{op.who} was told at {op.asked} that job {op.fields['job']} does not exist"


def ends_are_final(case):
    may_return = {op.fields["token"] for op in case.of("submit") if op.fields.get("requeue")}
    ended = {}  # job -> (state, when it was certain)
    for op, view in sorted(case.seen, key=lambda one: one[0].asked):
        for job, (name, state) in view.items():
            before = ended.get(job)
            if name in may_return:
                continue
            if before and op.asked > before[1] + MOMENT_S and state != before[0]:
                yield f"job {job} ({name}) was {before[0]} and is {state} at {op.asked}"
            if state in FINAL and not before:
                ended[job] = (state, op.answered)


def notes_are_kept(case):
    """A job's comment has one writer: whoever reads it later sees his last, or a doubtful one."""
    writes = {}
    for op in case.of("note"):
        writes.setdefault(op.fields["job"], []).append(op)
    for op in case.of("look"):
        if op.result != "ok" or op.value is None:
            continue
        mine = writes.get(op.fields["job"], [])
        sure = [one for one in mine if one.result == "ok" and one.answered < op.asked]
        allowed = {sure[-1].fields["text"] if sure else ""}
        allowed |= {one.fields["text"] for one in mine if one.asked < op.answered
                    and (one.result != "ok" or not one.answered < op.asked)}
        if op.value["note"] not in allowed:
            yield (f"job {op.fields['job']} has the comment '{op.value['note']}' at {op.asked}, "
                   f"not one of {sorted(allowed)}")


def no_cpu_is_given_twice(case):
    for node, lines in case.ledgers.items():
        used = {}
        for line in lines:
            words = line.split()
            if words[0] == "power":
                used = {}
                continue
            event, token, who, cpus = words[:4]
            if event != "start":
                used.pop(who, None)
                continue
            # Those that still live, as the job saw them, and those that end later as they said.
            others = [one.split(":") for one in words[5].strip("-,").split(",") if one]
            alive = sum(int(one[2]) for one in others)
            if alive + int(cpus) > case.meta["cpus"]:
                yield (f"{node}: {token} started with {cpus} CPUs while {words[5].strip(',')} "
                       f"were alive")
            used[who] = int(cpus)
            used = {one: n for one, n in used.items() if ends_later(case, node, one)}
            if sum(used.values()) > case.meta["cpus"]:
                yield f"{node}: {sorted(used)} ran at once"


def ends_later(case, node, who):
    """Whether the run wrote an end: one that was killed did not, and cannot be counted."""
    job, restart = who.split(".")[0], int(who.split(".")[1])
    return any(run.node == node and (run.job, run.restart) == (job, restart)
               and run.first("done", "killed") is not None
               for runs in case.runs.values() for run in runs)


def output_is_whole(case):
    for op in case.of("srun"):
        token = op.fields["token"]
        if op.result == "ok":
            nodes = op.fields.get("nodes", 1)
            if op.value != f"said {token}\n" * nodes:
                yield f"srun of {token} ended well and printed {op.value!r}"
            ends = [run for run in case.runs.get(token, []) if run.first("done") is not None]
            if len(ends) != nodes:
                yield f"srun of {token} ended well, and it came to its end {len(ends)} times"


def everything_ends(case):
    for job, (name, state) in last_view(case).items():
        if state not in FINAL:
            yield f"job {job} ({name}) is still {state} at the end"
    for words in case.meta.get("unsettled", []):
        yield words
    for record in case.died:
        yield f"the daemon of {record['host']} died by itself with status {record['status']}"


RULES = (acknowledged_jobs_exist, numbers_keep_their_jobs, refused_jobs_do_not_exist,
         runs_start_once, completed_means_it_came_to_its_end, ends_have_causes,
         cancelled_jobs_do_not_go_on, held_jobs_do_not_start, answers_are_current, ends_are_final,
         notes_are_kept, no_cpu_is_given_twice, output_is_whole, everything_ends)


def check(records):
    """[(rule, sentence)] of everything that is wrong."""
    case = load(records)
    return [(rule.__name__, sentence) for rule in RULES for sentence in rule(case)]
