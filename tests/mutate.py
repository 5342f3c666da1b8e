"""Mutation tests: makes single changes to bounds and prunes, each of which some test has to notice.

`tests/mutations/*.txt` list the changes. All of them are compiled into one copy of the tree, build/mutate, where the
environment variable BOXWOOD_MUTANT chooses one: so there is one build, and the tree itself is never touched. Every test
runs alone, the quickest first, with ten times the processor time that it takes without a change.

A list has the name of a file, and below it blocks of lines: what the change breaks; the expression between two @, with
as much code around it as makes it the only one; what replaces it; and for a change that no test can notice, the reason
why (`unnoticed: ...`).
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import os
import re
import resource
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutate"
SWITCH = """#pragma once
#include <cstdlib>
inline const int chosen_mutant = [] {
  const char* text = std::getenv("BOXWOOD_MUTANT");
  return text ? std::atoi(text) : 0;
}();
inline bool mutated(int number) { return number == chosen_mutant; }
"""
FACTOR, SLACK, MEMORY = 10, 1.0, 8 << 30  # a test may take FACTOR times its time and SLACK seconds, and so many bytes


@dataclasses.dataclass
class Mutation:
    place: str
    file: str
    breaks: str
    before: str
    after: str
    unnoticed: str
    number: int = 0
    start: int = 0
    end: int = 0


def read_list(path):
    file, block, first = "", [], 0
    for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if line.startswith("src/"):
            file = line
        elif line.strip():
            first = first if block else number
            block.append(line.strip())
        elif block:
            place = f"{path.name}:{first}"
            if len(block) < 3 or block[1].count("@") != 2:
                sys.exit(f"{place}: expected what breaks, the expression between two @, and what replaces it")
            reason = " ".join(block[3:])
            if reason and not reason.startswith("unnoticed: "):
                sys.exit(f"{place}: expected 'unnoticed: ' and the reason")
            yield Mutation(place, file, *block[:3], reason.removeprefix("unnoticed: "))
            block = []


def find(mutation, text):
    """Finds the expression; spaces and line ends count as the same. False if it is not there once."""
    prefix, expression, suffix = mutation.before.split("@")
    found = list(re.finditer(rf"{loose(prefix)}\s*({loose(expression)})\s*{loose(suffix)}", text))
    if len(found) == 1:
        mutation.start, mutation.end = found[0].span(1)
    return len(found) == 1


def loose(code):
    return r"\s*".join(map(re.escape, code.split()))


def with_mutations(text, mutations):
    """The text in which each expression is a choice between itself and its mutations."""
    spans = sorted({(m.start, m.end) for m in mutations}, key=lambda span: (span[0], -span[1]))

    def render(start, end, own):
        made, at = "", start
        for span in spans:
            if span == own or span[0] < at or span[1] > end:
                continue
            inner = "".join(f"::mutated({m.number}) ? ({m.after}) : " for m in mutations if (m.start, m.end) == span)
            made += text[at:span[0]] + "(" + inner + "(" + render(*span, span) + "))"
            at = span[1]
        return made + text[at:end]

    return '#include "base/mutated.hpp"\n' + render(0, len(text), None)


def make_copy(mutations):
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).split("\0")
    texts = {"src/base/mutated.hpp": SWITCH.encode()}
    for name in filter(None, names):
        if (ROOT / name).is_file():
            texts[name] = (ROOT / name).read_bytes()
    missing = [m.place for m in mutations if not find(m, texts[m.file].decode())]
    if missing:
        sys.exit(f"the code has these expressions never, or several times: {', '.join(missing)}")
    for file in {m.file for m in mutations}:
        own = [m for m in mutations if m.file == file]
        texts[file] = with_mutations(texts[file].decode(), own).encode()
    for name, text in texts.items():  # what stays the same is not compiled again
        to = COPY / name
        if not to.exists() or to.read_bytes() != text:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(text)


def build(programs):
    command = ["cmake", "--preset", "dev", "-DCMAKE_CXX_FLAGS=-w", "-DBOXWOOD_BUILD_BENCH=OFF"]
    subprocess.run(command, cwd=COPY, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "dev", "--target", *programs], cwd=COPY, check=True)


def list_tests(program, pattern):
    suite = ""
    for line in subprocess.check_output([program, "--gtest_list_tests"], text=True).splitlines():
        if line.startswith("  "):
            if re.search(pattern, suite + line.split()[0]):
                yield program, suite + line.split()[0]
        else:
            suite = line.split()[0]


def run(test, number, seconds=None):
    """The exit status and the processor time of one test."""
    program, name = test

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if seconds:
            whole = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))

    child = subprocess.Popen([program, f"--gtest_filter={name}"], preexec_fn=limit, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env={**os.environ, "BOXWOOD_MUTANT": str(number)}, cwd=COPY)
    stuck = threading.Timer(20 * (seconds or 100) + 60, child.kill)  # it waits for itself
    stuck.start()
    _, status, usage = os.wait4(child.pid, 0)
    stuck.cancel()
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def judge(mutation, tests, times):
    for test in tests:
        allowed = FACTOR * times[test] + SLACK
        status, took = run(test, mutation.number, allowed)
        if status != 0:
            return "timed out" if took > allowed else "killed", test[1]
    return "survived", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("only", nargs="*", help="names of sources or places in lists: only these mutations")
    parser.add_argument("--programs", default="rule_test,question_test", help="the test programs")
    parser.add_argument("--tests", default="^(Linear|Derived|RuleTrees|QueryRules|ChangeLimit)", help="which of their tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    mutations = [m for path in sorted((ROOT / "tests" / "mutations").glob("*.txt")) for m in read_list(path)]
    for number, mutation in enumerate(mutations, 1):
        mutation.number = number
    make_copy(mutations)
    programs = options.programs.split(",")
    build(programs)
    tests = [t for p in programs for t in list_tests(str(COPY / "build/dev/tests" / p), options.tests)]
    times = {}
    for test in tests:
        status, times[test] = run(test, 0)
        if status != 0:
            sys.exit(f"{test[1]} fails without a mutation")
    tests.sort(key=times.get)
    print(f"{len(mutations)} mutations; {len(tests)} tests take {sum(times.values()):.0f} s", flush=True)
    chosen = [m for m in mutations if not options.only or any(word in f"{m.file} {m.place}" for word in options.only)]
    tally, wrong = collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutation, (end, test) in zip(chosen, pool.map(lambda m: judge(m, tests, times), chosen)):
            bad = (end == "survived") == (not mutation.unnoticed)
            wrong += bad
            tally[mutation.file][f"{end}, explained" if mutation.unnoticed else end] += 1
            print(f"{'BAD ' if bad else ''}{mutation.place} {mutation.breaks}: {end} {test}", flush=True)
    for file, ends in tally.items():
        print(f"{file}: " + ", ".join(f"{count} {end}" for end, count in sorted(ends.items())))
    sys.exit(f"{wrong} mutations end in another way than their list says" if wrong else 0)


if __name__ == "__main__":
    main()
