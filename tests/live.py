"""What the live tests share: their flags. The seed is always the same; BOXWOOD_SEED=fresh draws a new
one, which is printed and can be replayed."""

import argparse
import os
import random


def seed():
    """The seed that the environment asks for."""
    given = os.environ.get("BOXWOOD_SEED", "20210514")
    return random.SystemRandom().getrandbits(31) if given == "fresh" else int(given)


def flags(library, models):
    """Parses the flags of a live test and tells how to replay it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=seed())
    parser.add_argument("--models", type=int, default=models)
    parser.add_argument("--command", default=os.environ.get("BOXWOOD_COMMAND", "boxwood"))
    given = parser.parse_args()
    print(f"{library}, replay with --seed {given.seed}")
    return given
