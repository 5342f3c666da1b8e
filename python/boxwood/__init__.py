"""Exact counterfactual explanations for tree ensembles: from fitted models to model files.

    import boxwood
    boxwood.save_model(fitted, "model.json")     # then: boxwood inspect model.json

What is read, and how exactly, is described in docs/models.md.
"""

from boxwood.errors import UnsupportedModelError
from boxwood.models import model_bytes, save_model

__all__ = ["UnsupportedModelError", "model_bytes", "save_model"]
