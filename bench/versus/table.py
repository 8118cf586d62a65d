# SPDX-License-Identifier: Apache-2.0
"""What was measured, for people: a table in Markdown, which is also readable as it is."""
import limits


def short(value):
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def ranged(spread):
    text = short(spread["median"])
    if len(spread["values"]) > 1:
        text += f" ({short(spread['min'])}–{short(spread['max'])})"
    return text


def cell(entry, name, troubles):
    if name not in entry["contestants"]:
        told = [t for t in troubles if t["contestant"] == name and
                t["workload"] in (entry["workload"], "*")]
        if not told:
            return "–"
        return "FAILED" if told[0]["failed"] else "cannot"
    found = entry["contestants"][name]
    text = f"{ranged(found)} {entry['unit']}"
    if "advantage" in found:
        text += f", **{ranged(found['advantage'])} ×**"
    if "share_of_limit" in found:
        text += f", {100 * found['share_of_limit']:.0f} % of limit"
    return text


def goal(entry):
    if not entry["goal"]:
        return ""
    met = {True: ", met", False: ", missed"}.get(entry.get("met"), "")
    return f"{short(entry['goal'])} ×{met}"


def as_text(summary, contestants, titles, troubles, found_limits):
    """contestants: [(name, label)], the one that the others are compared with first."""
    lines = []
    for workload, title in titles:
        rows = [entry for entry in summary if entry["workload"] == workload]
        told = [t for t in troubles if t["workload"] == workload]
        if not rows and not told:
            continue
        lines += ["", f"### {title} (`{workload}`)", ""]
        lines.append("| | " + " | ".join(label for _, label in contestants) + " | goal |")
        lines.append("|---" * (len(contestants) + 2) + "|")
        for entry in rows:
            cells = [cell(entry, name, troubles) for name, _ in contestants]
            lines.append(f"| {entry['row']} | {' | '.join(cells)} | {goal(entry)} |")
        if not rows:
            cells = [cell({"workload": workload, "contestants": {}}, name, troubles)
                     for name, _ in contestants]
            lines.append(f"| all of it | {' | '.join(cells)} | |")
    for trouble in troubles:
        word = "FAILED" if trouble["failed"] else "not measured"
        where = "" if trouble["workload"] == "*" else f" in {trouble['workload']}"
        lines += ["", f"{word}: {trouble['contestant']}{where}: {trouble['text']}"]
    if found_limits:
        lines += ["", "Limits of the machine, per second: " + "; ".join(
            f"{limits.LIMITS[name][0]} {short(min(rates))}–{short(max(rates))}"
            for name, rates in found_limits.items())]
    return "\n".join(lines).strip() + "\n"
