"""Nothing is left behind: no object that nanobind misses at the end, no memory that grows."""

import os
import subprocess
import sys
import textwrap

from conftest import GERMAN

# The explainer of the example and the first of its rows.
ASK = """
import sys, csv, boxwood
folder = sys.argv[1]
explainer = boxwood.Explainer(folder + "/model.ubj", schema=folder + "/schema.json")
row = next(csv.DictReader(open(folder + "/applicants.csv")))
row = {name: int(value) if value.isdigit() else value for name, value in row.items()}
"""


def run(program):
    done = subprocess.run([sys.executable, "-c", ASK + textwrap.dedent(program), str(GERMAN)],
                          capture_output=True, text=True, env=os.environ, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_no_object_leaks():
    done = run("""
        answer = explainer.explain(row, "granted", progress=lambda progress: None)
        answer.changes, answer.region, answer.text, answer._repr_html_()
        explainer.menu(row, 2, "granted"), explainer.widen(answer)
        explainer.explain(row, "granted", cost=lambda name, before, after: abs(after - before))
        try:
            explainer.explain(row, "granted", rules="nonsense")
        except boxwood.Error:
            pass
        explainer.map(row, features=("duration", "credit_amount")), explainer.regions(row, 1.5)
        print("done")
    """)
    assert done.stdout == "done\n" and "leak" not in done.stderr.lower(), done.stderr


def test_memory_stays_flat():
    done = run("""
        import os
        rows = [{name: int(value) if value.isdigit() else value for name, value in row.items()}
                for row in csv.DictReader(open(folder + "/applicants.csv"))]
        table = [explainer.columns.point(row) for row in rows]
        import numpy as np
        table = np.array(table)

        def used():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def ask(times):
            for _ in range(times):
                explainer.explain_batch(np.repeat(table, 20, axis=0), 1, show_progress=False)
                answer = explainer.explain(rows[0], "granted")
                answer.changes, answer.point, answer.to_json(), answer._repr_html_()

        ask(3)
        before = used()
        ask(15)
        print((used() - before) >> 20)
    """)
    assert int(done.stdout) < 16, f"{done.stdout.strip()} MB more after 3000 questions"


def test_a_cost_that_knows_its_answer_does_not_leak():
    done = run("""
        import gc, weakref

        class Price:
            def __call__(self, name, before, after):
                return abs(after - before)

        price = Price()
        price.answer = explainer.explain(row, "granted", cost=price)
        watched = weakref.ref(price)
        del price
        gc.collect()
        assert watched() is None
        last = Price()
        last.answer = explainer.explain(row, "granted", cost=last)
        print("done")
    """)
    assert done.stdout == "done\n" and "leak" not in done.stderr.lower(), done.stderr


def test_memory_stays_flat_with_batches_from_two_threads():
    """Arenas of the scheduler are used again: each one that is made keeps some 7 KB."""
    done = run("""
        import os, threading
        import numpy as np
        batch = np.array([explainer.columns.point(row)] * 2)

        def used():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def ask(times):
            def work():
                for _ in range(times):
                    explainer.explain_batch(batch, 1, node_limit=1, show_progress=False)
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        ask(100)
        before = used()
        ask(1000)
        print(used() - before)
    """)
    assert not done.stderr and int(done.stdout) < 4 * 2**20, done.stdout + done.stderr


def test_a_forked_process_searches_with_several_threads():
    """A little later, when the scheduler's threads have seen that nothing is left to do."""
    done = run("""
        import os, threading, time
        import numpy as np
        rows = np.array([explainer.columns.point(row)] * 40)
        first = explainer.explain_batch(rows, 1, show_progress=False, threads=3)

        def child():
            names = set()
            def cost(name, before, after):
                names.add(threading.get_native_id())
                return abs(after - before)
            again = explainer.explain_batch(rows, 1, show_progress=False, threads=3)
            explainer.explain_batch(rows, 1, show_progress=False, threads=3, cost=cost)
            if [one.cost for one in again] != [one.cost for one in first]:
                os._exit(100)
            os._exit(len(names))

        most = 0
        for _ in range(30):
            time.sleep(0.2)
            process = os.fork()
            if process == 0:
                child()
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            assert 0 < code < 100, code
            most = max(most, code)
            if most > 1:
                break
        print(most)
    """)
    assert int(done.stdout) > 1, done.stdout
