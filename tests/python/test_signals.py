"""Long searches: progress, time limits, other Python threads, Ctrl-C. Each run has a process of its
own where a signal is sent."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import boxwood
import numpy as np
import pytest
from sklearn import ensemble


@pytest.fixture(scope="module")
def hard():
    """A forest of which a sure answer takes minutes to prove."""
    random = np.random.default_rng(0)
    data = random.normal(size=(600, 40))
    label = (np.sin(3 * data).sum(axis=1) + random.normal(size=600) > 0).astype(int)
    model = ensemble.RandomForestClassifier(300, max_depth=9, random_state=0).fit(data, label)
    rows = data[np.argsort(model.predict_proba(data)[:, 1])]
    return boxwood.Explainer(model, data), rows[0], rows


def test_time_limit_keeps_the_best_and_a_bound(hard):
    explainer, row, _ = hard
    answer = explainer.explain(row, 1, probability=0.8, time_limit=0.5)
    assert answer.stop == "time" and not answer.proven
    assert 0 <= answer.lower_bound <= answer.cost


def test_progress_is_told_and_can_stop(hard):
    explainer, row, _ = hard
    told = []

    def watch(progress):
        told.append((progress.best_cost, progress.lower_bound, progress.nodes))
        return len(told) < 3

    answer = explainer.explain(row, 1, probability=0.8, time_limit=60, progress=watch)
    assert answer.stop == "interrupt" and len(told) == 3
    assert [cost for cost, _, _ in told] == sorted((cost for cost, _, _ in told), reverse=True)


def test_what_a_callback_raises_is_raised(hard):
    explainer, row, _ = hard

    def watch(progress):
        raise LookupError("not today")

    start = time.process_time()  # other processes do not change it
    with pytest.raises(LookupError, match="not today"):
        explainer.explain(row, 1, probability=0.8, time_limit=60, progress=watch)
    assert time.process_time() - start < 5


def test_other_threads_go_on(hard):
    explainer, row, _ = hard
    count = 0
    over = threading.Event()

    def work():
        nonlocal count
        while not over.wait(0.001):
            count += 1

    worker = threading.Thread(target=work)
    worker.start()
    answer = explainer.explain(row, 1, probability=0.8, time_limit=60, progress=lambda _: count < 20)
    over.set()
    worker.join()
    assert answer.stop == "interrupt"  # by what the other thread counted


def test_questions_from_several_threads(german, applicants):
    expected = [german.explain(row, "granted").cost for _, row in applicants.iterrows()]
    found = {}

    def ask(place):
        found[place] = [german.explain(row, "granted").cost for _, row in applicants.iterrows()]

    workers = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert list(found.values()) == [expected] * 4


SETTING = """
    import pickle
    import signal
    import sys
    import numpy as np
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what runs in the background
    with open(sys.argv[1], "rb") as file:
        explainer, rows = pickle.load(file)

    def searching():  # tells the test, once
        if not told:
            print("searching", flush=True)
            told.append(True)
        return True

    told = []
"""


@pytest.fixture(scope="module")
def interrupted(hard, tmp_path_factory):
    """What a program prints that gets Ctrl-C as soon as it says "searching"."""
    explainer, _, rows = hard
    file = tmp_path_factory.mktemp("signals") / "explainer"
    with open(file, "wb") as stream:
        pickle.dump((explainer, rows), stream)

    def run(program):
        child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SETTING) + textwrap.dedent(program), file],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
        try:
            assert child.stdout.readline() == "searching\n", child.stderr.read()
            child.send_signal(signal.SIGINT)
            return child.communicate(timeout=60)
        finally:
            child.kill()

    return run


def test_ctrl_c_keeps_what_was_found(interrupted):
    out, err = interrupted("""
        answer = explainer.explain(rows[0], 1, probability=0.8,
                                   progress=lambda now: now.best_cost == np.inf or searching())
        print(answer.stop, answer.status, answer.outcome, answer.lower_bound <= answer.cost)
        print("on with it")
    """)
    assert out == "interrupt feasible 1 True\non with it\n", err


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_while_another_thread_computes(interrupted, threads):
    out, err = interrupted(f"""
        import threading
        def compute():
            while True:
                sum(range(1000))
        threading.Thread(target=compute, daemon=True).start()
        answer = explainer.explain(rows[0], 1, probability=0.8, threads={threads},
                                   progress=lambda now: now.best_cost == np.inf or searching())
        print(answer.stop, answer.outcome)
    """)
    assert out == "interrupt 1\n", err


def test_short_searches_start_no_thread(german, applicants):
    seen = set()

    def cost(name, before, after):
        seen.add(threading.get_ident())
        return abs(after - before)

    german.explain(applicants.iloc[0], "granted", cost=cost, only=["duration", "credit_amount"])
    assert seen == {threading.get_ident()}


def test_ctrl_c_with_nothing_found_is_a_keyboard_interrupt(interrupted):
    out, err = interrupted("""
        try:
            explainer.explain(rows[0], 1, probability=0.8, engine="paper", threads=1,
                              progress=lambda now: searching())
        except KeyboardInterrupt:
            print("interrupted")
    """)
    assert out == "interrupted\n", err


def test_ctrl_c_keeps_the_rows_that_are_done(interrupted):
    out, err = interrupted("""
        import warnings
        import tqdm.auto
        warnings.simplefilter("ignore")

        class Bar:  # in the place of the progress bar; the first rows are easy, the last take minutes
            done = 0
            def __init__(self, **settings): pass
            def __enter__(self): return self
            def __exit__(self, *error): pass
            def update(self, count):
                self.done += count
                if self.done >= 10:
                    searching()

        tqdm.auto.tqdm = Bar
        batch = explainer.explain_batch(np.vstack([rows[-40:], rows[:40]]), 1, probability=0.8)
        done = [one is not None for one in batch]
        print(batch.interrupted, 0 < sum(done) < 80, done[:5])
        print(all(one.proven for one in batch if one is not None), batch.statuses[-1])
    """)
    assert out == "True True [True, True, True, True, True]\nTrue interrupted\n", err
