"""A small process plant with known faults: two tanks and a heat exchanger under control.

            feed valve        pump, valve 2                      valve 3 (demand)
    feed ─── F1 ──▶ [tank 1] ──── F2 ───▶ ║exchanger║ ── Tc ──▶ [tank 2] ─── F3 ──▶ customer
                     h1, T1               ║         ║            h2, T2
                                 Tho ◀──── ║         ║ ◀── Fh, Thi ── hot valve ── boiler

Levels follow mass balances, A dh/dt = inflow - outflow - leak. Temperatures follow heat balances of
stirred tanks, A h dT/dt = inflow (T_in - T) - losses. The exchanger is quasi-static, in
counterflow, by the effectiveness-NTU method. Three PI controllers read the *measured* values: the
feed valve holds h1, valve 2 holds h2, the hot valve holds T2. So a sensor that lies makes the plant
move, and the lie itself can be regulated away: the largest deviation is not always the cause.

Flows are in litres a second, levels in metres, temperatures in degrees Celsius, valves in shares
of full opening. A run lasts three hours in steps of ten seconds; set points, demand, weather and
small calibration errors differ from run to run. A row of the data set is the last twenty minutes of
one run: of each signal its mean and its spread (standard deviation). Rows are independent of each
other. All runs are computed side by side as arrays.
"""

import dataclasses

import numpy as np

STEP = 10.0  # seconds
STEPS = 1080
WINDOW = 120
ONSET = (360, 660)  # steps between which a fault begins

# Name: (noise, span of the instrument). Faults are measured in shares of the span.
SENSORS = {
    "F1": (0.02, 4.0), "h1": (0.005, 2.0), "T1": (0.15, 100.0),
    "F2": (0.02, 4.0), "Tc": (0.15, 100.0), "h2": (0.005, 2.0), "T2": (0.15, 100.0),
    "F3": (0.02, 4.0), "Fh": (0.04, 8.0), "Thi": (0.15, 100.0), "Tho": (0.15, 100.0),
}
# What the controllers command, and the demand; commands are known without error.
COMMANDS = ("u1", "u2", "u3", "v3")
SIGNALS = (*SENSORS, *COMMANDS)
TITLES = {
    "F1": "feed flow", "h1": "level of tank 1", "T1": "temperature of tank 1",
    "F2": "flow between the tanks", "Tc": "temperature after the exchanger",
    "h2": "level of tank 2", "T2": "temperature of tank 2", "F3": "flow to the customer",
    "Fh": "hot flow", "Thi": "hot inlet temperature", "Tho": "hot outlet temperature",
    "u1": "feed valve command", "u2": "valve 2 command", "u3": "hot valve command",
    "v3": "demand valve",
}
FEATURES = tuple(f"{signal} {what}" for signal in SIGNALS for what in ("mean", "spread"))

SENSOR_FAULTS = ("bias", "drift", "stuck", "noise")
# Faults of the plant, and the signals beside the broken part: naming any of them is right.
PROCESS_FAULTS = {
    "leak of tank 1": ("F1", "u1", "F2"),
    "leak of tank 2": ("F2", "u2", "F3"),
    "fouled exchanger": ("Fh", "u3", "Tho"),
    "feed valve sticks": ("u1", "F1"),
    "hot valve sticks": ("u3", "Fh"),
}


@dataclasses.dataclass
class Runs:
    """Rows of features, and for each what was wrong (None: nothing) and the signals to blame."""

    values: np.ndarray
    kinds: list
    causes: list

    @property
    def faulty(self):
        return np.array([kind is not None for kind in self.kinds])


class Wander:
    """A quantity that fluctuates about its mean: an Ornstein-Uhlenbeck process a run."""

    def __init__(self, random, mean, deviation, seconds=900.0):
        self.random, self.mean, self.deviation = random, mean, deviation
        self.keep = np.exp(-STEP / seconds)
        self.value = mean + deviation * random.normal(size=len(mean))

    def step(self):
        push = self.deviation * np.sqrt(1 - self.keep ** 2)
        self.value = (self.mean + self.keep * (self.value - self.mean)
                      + push * self.random.normal(size=len(self.mean)))
        return self.value


class Controller:
    """A PI controller in velocity form: it cannot wind up at the ends of its valve."""

    def __init__(self, gain, seconds, start):
        self.gain, self.seconds, self.output, self.error = gain, seconds, start, None

    def step(self, wanted, measured):
        error = wanted - measured
        change = error - (error if self.error is None else self.error)
        self.error = error
        self.output = np.clip(
            self.output + self.gain * (change + STEP / self.seconds * error), 0.0, 1.0)
        return self.output


def exchanger(cold, hot, cold_inlet, hot_inlet, conductance):
    """(cold outlet, hot outlet) of a counterflow exchanger; flows in l/s, kW per kelvin."""
    cold, hot = 4.19 * np.maximum(cold, 1e-3), 4.19 * np.maximum(hot, 1e-3)
    least, ratio = np.minimum(cold, hot), np.minimum(cold, hot) / np.maximum(cold, hot)
    units = conductance / least
    ratio = np.minimum(ratio, 1 - 1e-6)
    wane = np.exp(-units * (1 - ratio))
    heat = (1 - wane) / (1 - ratio * wane) * least * (hot_inlet - cold_inlet)
    return cold_inlet + heat / cold, hot_inlet - heat / hot


class Faults:
    """What is wrong in each run, from when on, and how badly; drawn once."""

    def __init__(self, random, kinds, causes):
        count = len(kinds)
        self.kinds = np.array([kind or "" for kind in kinds])
        self.sensor = np.array([cause[0] if kind in SENSOR_FAULTS else ""
                                for kind, cause in zip(kinds, causes, strict=True)])
        self.onset = random.integers(*ONSET, count)
        sign = random.choice([-1.0, 1.0], count)
        self.shift = sign * random.uniform(0.03, 0.10, count)  # of the span
        self.louder = random.uniform(4.0, 10.0, count)
        self.severity = random.uniform(0.0, 1.0, count)
        self.held = {}

    def measure(self, name, true, noise, span, step):
        """What the sensor shows in place of the true value and its noise."""
        here = (self.sensor == name) & (step >= self.onset)
        shown = true + noise
        shift = self.shift * span
        ramp = np.clip((step - self.onset) / (STEPS - self.onset), 0.0, 1.0)
        shown = np.where(here & (self.kinds == "bias"), shown + shift, shown)
        shown = np.where(here & (self.kinds == "drift"), shown + 1.2 * shift * ramp, shown)
        shown = np.where(here & (self.kinds == "noise"), true + self.louder * noise, shown)
        return self.hold(name, here & (self.kinds == "stuck"), shown)

    def hold(self, name, here, value):
        """The value, or where it is stuck the one it had then."""
        if name not in self.held:
            self.held[name] = np.array(value)
        self.held[name] = np.where(here, self.held[name], value)
        return self.held[name]

    def active(self, kind, step):
        return (self.kinds == kind) & (step >= self.onset)


def simulate(kinds, causes, seed):
    """The rows of runs with these faults; `causes` are tuples of signals, the sensor's first."""
    random = np.random.default_rng(seed)
    count = len(kinds)
    faults = Faults(random, kinds, causes)
    calibration = {name: random.normal(0, 0.002 * span, count)
                   for name, (_, span) in SENSORS.items()}
    # What differs from run to run, and within it.
    wanted_h1 = random.uniform(0.95, 1.05, count)
    wanted_h2 = random.uniform(1.15, 1.25, count)
    wanted_t2 = random.uniform(49.0, 51.0, count)
    demand = Wander(random, random.uniform(0.45, 0.55, count), 0.008)
    weather = Wander(random, random.uniform(14.0, 16.0, count), 0.3)
    boiler = Wander(random, random.uniform(79.0, 81.0, count), 0.3)
    pressure = Wander(random, np.ones(count), 0.01, 300.0)
    conductance = 10.0 * random.normal(1.0, 0.01, count)

    h1, h2, t1, t2 = wanted_h1.copy(), wanted_h2.copy(), weather.value.copy(), wanted_t2.copy()
    level1 = Controller(2.0, 600.0, np.full(count, 0.5))
    level2 = Controller(2.0, 600.0, np.full(count, 0.5))
    heat = Controller(0.02, 600.0, np.full(count, 0.5))
    shown = {"h1": h1, "h2": h2, "T2": t2}
    fouling = 1 - (0.25 + 0.35 * faults.severity)
    leak = 0.1 + 0.3 * faults.severity  # l/s
    record = np.empty((WINDOW, len(SIGNALS), count))

    for step in range(STEPS):
        u1 = level1.step(wanted_h1, shown["h1"])
        u2 = level2.step(wanted_h2, shown["h2"])
        u3 = heat.step(wanted_t2, shown["T2"])
        v3 = demand.step()
        feed_valve = faults.hold("feed valve", faults.active("feed valve sticks", step), u1)
        hot_valve = faults.hold("hot valve", faults.active("hot valve sticks", step), u3)

        f1 = 4.0 * feed_valve * pressure.step()
        f2 = 1.63 * u2 * np.sqrt(h1 + 5.0) * (h1 > 0.02)  # the pump adds five metres of head
        f3 = 3.65 * v3 * np.sqrt(h2)
        fh = 8.0 * hot_valve
        hot_inlet, feed = boiler.step(), weather.step()
        now = np.where(faults.active("fouled exchanger", step), fouling, 1.0) * conductance
        cold_outlet, hot_outlet = exchanger(f2, fh, t1, hot_inlet, now)

        true = {"F1": f1, "h1": h1, "T1": t1, "F2": f2, "Tc": cold_outlet, "h2": h2, "T2": t2,
                "F3": f3, "Fh": fh, "Thi": hot_inlet, "Tho": hot_outlet}
        shown = {name: faults.measure(name, true[name] + calibration[name],
                                      noise * random.normal(size=count), span, step)
                 for name, (noise, span) in SENSORS.items()}
        if step >= STEPS - WINDOW:
            values = shown | {"u1": u1, "u2": u2, "u3": u3, "v3": v3}
            record[step - (STEPS - WINDOW)] = [values[name] for name in SIGNALS]

        lost1 = np.where(faults.active("leak of tank 1", step), leak, 0.0)
        lost2 = np.where(faults.active("leak of tank 2", step), leak, 0.0)
        litres1, litres2 = 1000.0 * h1, 1500.0 * h2  # floors of 1 and 1.5 square metres
        t1 = t1 + STEP * f1 * (feed - t1) / litres1
        t2 = t2 + STEP * (f2 * (cold_outlet - t2) - 0.002 * (t2 - 20.0)) / litres2
        h1 = np.clip(h1 + STEP * (f1 - f2 - lost1) / 1000.0, 0.01, 2.0)
        h2 = np.clip(h2 + STEP * (f2 - f3 - lost2) / 1500.0, 0.01, 2.0)

    # What does not move has no spread; the rounded mean would give it one.
    spread = np.where(np.ptp(record, axis=0) > 0, record.std(axis=0), 0.0)
    pairs = np.stack([record.mean(axis=0), spread], axis=1)
    values = pairs.reshape(2 * len(SIGNALS), count).T
    return Runs(values.astype(np.float32).astype(float), list(kinds), list(causes))


def draw(normal, faulty, seed):
    """So many normal runs, then so many faulty ones: sensor and plant faults in turn, mixed."""
    random = np.random.default_rng([seed, 1])
    cases = [(kind, (sensor,)) for sensor in SENSORS for kind in SENSOR_FAULTS]
    # Each fault of the plant as often as all four faults of one sensor together.
    cases += [case for case in PROCESS_FAULTS.items() for _ in SENSOR_FAULTS]
    chosen = [cases[i % len(cases)] for i in random.permutation(faulty)]
    kinds = [None] * normal + [kind for kind, _ in chosen]
    causes = [()] * normal + [cause for _, cause in chosen]
    return simulate(kinds, causes, seed)
