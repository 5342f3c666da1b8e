"""What Boxwood raises when a model cannot be taken."""


class UnsupportedModelError(ValueError):
    """A model that cannot be turned into a file that Boxwood reads.

    Parameters
    ----------
    reason : str
        What is wrong with the model, without a full stop.
    remedy : str
        What to do instead, without a full stop.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}. {remedy}")
        self.reason = reason
        self.remedy = remedy
