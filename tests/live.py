"""What the live tests share: their flags, with a fresh seed that is printed and can be replayed."""

import argparse
import os
import random


def flags(library, models):
    """Parses the flags of a live test and tells how to replay it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("BOXWOOD_SEED", random.SystemRandom().getrandbits(31))))
    parser.add_argument("--models", type=int, default=models)
    parser.add_argument("--command", default=os.environ.get("BOXWOOD_COMMAND", "boxwood"))
    given = parser.parse_args()
    print(f"{library}, replay with --seed {given.seed}")
    return given
