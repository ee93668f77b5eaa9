"""The three matrices against the points of the JSON document, byte for byte.

SPDX-License-Identifier: MIT
"""
import run_files

# file: (figure of a point, its text, whether level 0 has a column, whether it has a row)
MATRICES = {
    "iops": (run_files.small_iops, lambda value: f"{value:.0f}", False, True),
    "lat": (run_files.small_latency_ns, lambda value: f"{value / 1000:.2f}", False, True),
    "mbps": (run_files.large_mbps, lambda value: f"{value:.2f}", True, False),
}


def row_text(large, columns, cells, as_text):
    """A row ends with its last measured cell; one before it that was not measured is blank."""
    texts = [as_text(cells[small, large]) if (small, large) in cells else "" for small in columns]
    while texts and not texts[-1]:
        texts.pop()
    return ",".join([f"{large:>11}"] + [f"{text:>7}" for text in texts])


def expected_text(results, name):
    figure, as_text, zero_column, zero_row = MATRICES[name]
    settings = results["settings"]
    columns = [small for small in settings["small_levels"] if small or zero_column]
    rows = [large for large in settings["large_levels"] if large or zero_row]
    cells = run_files.cells(results["points"], figure)
    header = ",".join(["Large/Small"] + [f"{small:>7}" for small in columns])
    lines = [header] + [row_text(large, columns, cells, as_text) for large in rows]
    return "".join(line + "\n" for line in lines)


def check_levels(complaints, results):
    """Every measured point has its row and its column."""
    settings = results["settings"]
    for axis in ("small", "large"):
        levels = settings[axis + "_levels"]
        complaints.equal(levels, sorted(set(levels)), f"settings.{axis}_levels, rising")
        for point in results["points"]:
            complaints.check(point[axis] in levels,
                             f"{axis}={point[axis]} of point {point['number']} is no level")


def check_all(complaints, prefix, results):
    check_levels(complaints, results)
    for name in MATRICES:
        got = run_files.read_text(f"{prefix}_{name}.csv")
        expected = expected_text(results, name)
        complaints.check(got == expected, f"{name}.csv:\n{got}expected from the JSON:\n{expected}")
