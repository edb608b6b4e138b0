#!/usr/bin/env python3
"""Lines of each room that the tests of the library run, from an lcov file.

    cargo llvm-cov --lib --lcov --output-path target/lcov.info
    python3 tests/coverage.py target/lcov.info

Tests, their stages, the attacks and the story generator are not counted.
"""
import collections
import pathlib
import re
import sys

# Parts of the screen that touch the world; the tests on a terminal run them.
WORLD = [
    "clock.rs", "driver.rs", "driver/", "mod.rs", "program.rs", "signals.rs", "terminal.rs", "input/reader.rs",
    "pages/thread.rs", "pages/file.rs", "copying/run.rs", "assist/walk.rs",
]
PURE = ["record", "session", "text", "journal", "tui, pure", "model", "config"]
TESTING = re.compile(r"(^|/)(tests|testing|generate|memory)(/|\.rs)|(attacks?|hostile)\.rs$")


def room(path):
    parts = path.split("/")
    if parts[0] == "tui":
        inside = "/".join(parts[1:])
        world = any(inside == name or (name.endswith("/") and inside.startswith(name)) for name in WORLD)
        return "tui, world" if world else "tui, pure"
    return parts[0].removesuffix(".rs")


def first_test_line(path):
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines, 1):
        if line == "#[cfg(test)]" and lines[number].startswith("mod ") and lines[number].endswith("{"):
            return number
    return len(lines) + 1


def read(lcov):
    files, current = {}, {}
    for line in lcov.read_text().split("\n"):
        if line.startswith("SF:"):
            current = files.setdefault(line[3:], {})
        elif line.startswith("DA:"):
            number, count = (int(part) for part in line[3:].split(",")[:2])
            current[number] = max(current.get(number, 0), count)
    return files


def ranges(numbers):
    spans = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    rooms, missed = collections.defaultdict(lambda: [0, 0]), {}
    for name, counts in sorted(read(pathlib.Path(sys.argv[1])).items()):
        path = pathlib.Path(name)
        if not path.is_relative_to(root) or TESTING.search(str(path.relative_to(root))):
            continue
        inside = str(path.relative_to(root))
        end = first_test_line(path)
        counts = {number: count for number, count in counts.items() if number < end}
        rooms[room(inside)][0] += sum(1 for count in counts.values() if count)
        rooms[room(inside)][1] += len(counts)
        missed[inside] = sorted(number for number, count in counts.items() if not count)
    low = False
    for name, (hit, of) in sorted(rooms.items()):
        share, pure = 100 * hit / max(of, 1), name in PURE
        low |= pure and share < 95
        print(f"| {name} | {of} | {hit} | {share:.1f} % |{' pure' if pure else ''}")
    print()
    for name, numbers in missed.items():
        if numbers and room(name) in PURE:
            print(f"- `{name}`: {ranges(numbers)}")
    sys.exit(low)


if __name__ == "__main__":
    main()
