"""The table of a measurement: one line per program, as soon as it is known, and a summary."""
import math

COLUMNS = f"{'program':32} {'partita ms':>11} {'XLA ms':>10} {'ratio':>7} {'compile':>9} {'XLA':>9}  state"


def print_header():
    print(COLUMNS, flush=True)
    print("-" * len(COLUMNS), flush=True)


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def print_row(row):
    ratio = row.get("ratio")
    print(f"{row['name']:32} {number(row.get('partita_ms'), 3):>11} {number(row.get('xla_ms'), 3):>10} "
          f"{number(ratio):>7} {number(row.get('partita_compile_ms'), 0):>9} {number(row.get('xla_compile_ms'), 0):>9}  "
          f"{row['state']}", flush=True)


def print_summary(rows):
    ratios = [row["ratio"] for row in rows if row.get("ratio")]
    states = {}
    for row in rows:
        states[row["state"].split(":")[0]] = states.get(row["state"].split(":")[0], 0) + 1
    print()
    print(", ".join(f"{count} {state}" for state, count in sorted(states.items())))
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"ratio (partita / XLA, below 1 is faster): geometric mean {mean:.2f}, "
              f"{sum(ratio <= 1 for ratio in ratios)} of {len(ratios)} programs at most 1, largest {max(ratios):.2f}")
