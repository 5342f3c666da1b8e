"""Python exits while daemon threads search: the process ends at once, quietly and with code 0."""

import subprocess
import sys
import textwrap

import boxwood
import numpy as np
import pytest
from sklearn import ensemble

# What the thread does. `told` is set when its search is under way.
TASKS = {
    "explain": "started(); explainer.explain(row, 1, probability=0.9)",
    "progress": "explainer.explain(row, 1, probability=0.9, progress=lambda _: told.set())",
    "slow progress": ("explainer.explain(row, 1, probability=0.9,"
                      " progress=lambda _: (told.set(), time.sleep(0.3)))"),
    "batch": ("started(); explainer.explain_batch([row] * 50, 1, probability=0.9,"
              " show_progress=False)"),
    "own cost": ("explainer.explain(row, 1, probability=0.9,"
                 " cost=lambda name, a, b: told.set() or abs(a - b))"),
    "menu": "started(); explainer.menu(row, 5, 1, probability=0.9)",
    "robustness": "started(); explainer.robustness(row)",
    "loop": ("while True: explainer.explain(row, 1, probability=0.9, time_limit=0.001);"
             " told.set()"),
    "predict": "while True: explainer.predict(rows); told.set()",
    "reading": "while True: boxwood.Explainer(sys.argv[1]); told.set()",
}

SCRIPT = """
    import sys, threading, time
    import boxwood
    import numpy as np
    explainer = boxwood.Explainer(sys.argv[1])
    row = np.array(eval(sys.argv[2]))
    rows = np.repeat(row[None], 2000, axis=0)
    told = threading.Event()
    def started():
        threading.Thread(target=look, args=(time.process_time(),), daemon=True).start()
    def look(start):  # the only work that takes processor time is the search
        while time.process_time() - start < 0.1:
            time.sleep(0.001)
        told.set()
    def work():
        %s
    for _ in range(2):
        threading.Thread(target=work, daemon=True).start()
    assert told.wait(60)
    print("exits")
"""


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    """A forest for which a high probability takes long to prove, as a file, and a row."""
    random = np.random.default_rng(0)
    data = random.normal(size=(300, 20))
    label = (np.sin(3 * data).sum(axis=1) + random.normal(size=300) > 0).astype(int)
    model = ensemble.RandomForestClassifier(80, max_depth=7, random_state=0).fit(data, label)
    file = tmp_path_factory.mktemp("exit") / "forest.json"
    boxwood.save_model(model, file)
    return file, data[np.argmin(model.predict_proba(data)[:, 1])]


@pytest.mark.parametrize("task", TASKS)
def test_exit_while_threads_search(hard, task):
    file, row = hard
    code = textwrap.dedent(SCRIPT) % TASKS[task]
    command = [sys.executable, "-c", code, str(file), repr(row.tolist())]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)]
    for run in runs:
        out, err = run.communicate(timeout=120)
        assert (run.returncode, out, err) == (0, "exits\n", "")
