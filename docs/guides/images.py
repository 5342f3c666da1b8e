"""Images

Which pixels are decisive? A counterfactual of an image is the closest image that the model classifies
differently. Exactness matters here: a heuristic that only finds a distant image suggests that the model is
robust when it is not. The images are scikit-learn's digits, 8 by 8 pixels with 17 levels of grey.
"""
# %%
import boxwood
import matplotlib.pyplot as plt
import numpy as np
from boxwood import plots
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

pixels, digit = load_digits(return_X_y=True, as_frame=True)
pixels = pixels.astype(int)
train = np.arange(len(pixels)) % 4 != 0
forest = RandomForestClassifier(50, max_depth=8, random_state=0).fit(pixels[train], digit[train])
print(f"right for {forest.score(pixels[~train], digit[~train]):.3f} of the images held out")

# %%
# The columns are integers, so the answers are images that could occur in the data. The scale of each pixel is
# its range, and images are compared by the Euclidean distance (`cost="l2"`).
explainer = boxwood.Explainer(forest, data=pixels[train])
shown = [int(np.flatnonzero(~train & (forest.predict(pixels) == digit) & (digit == one))[0])
         for one in (9, 3, 4)]
answers = [explainer.explain(pixels.iloc[i], cost="l2") for i in shown]
for i, answer in zip(shown, answers, strict=True):
    print(f"{digit[i]} becomes {answer.outcome}: {answer.status}, {len(answer.changes)} pixels, "
          f"distance {answer.distance:.3f}")


# %%
# Left: the image. Middle: the closest image of another class. Right: the difference; red pixels become
# brighter (the images are white on black), blue ones darker.
figure, axes = plt.subplots(len(shown), 3, figsize=(6.4, 2.3 * len(shown)),
                            num="Digits, the nearest images of another class, the differences")
for line, i, answer in zip(axes, shown, answers, strict=True):
    plots.images(pixels.iloc[i], answer.point, ax=line, titles=(
        f"a {answer.outcome_before}", f"called {answer.outcome}", "difference"))

# %%
# ## A chosen class
# What turns the 3 into an 8, with a probability of at least one half among ten classes?
three = pixels.iloc[shown[1]]
answer = explainer.explain(three, target=8, probability=0.5, cost="l2")
print(answer.status, answer.outcome, f"distance {answer.distance:.3f}", len(answer.changes), "pixels")
plots.images(three, answer.point, titles=("a 3", "an 8, at least 0.5", "difference"))

# %%
# ## Only brighter pixels
# Rules work as for any other columns: here no pixel may become darker.
rules = [f"{name} may only rise" for name in pixels.columns]
answer = explainer.explain(three, target=8, rules=rules, cost="l2")
print(answer.status, answer.outcome, f"distance {answer.distance:.3f}", len(answer.changes), "pixels")

# %%
# ## The fewest pixels
# As few changed pixels as possible, regardless of how much they change.
answer = explainer.explain(three, cost="l0")
print(answer.status, answer.outcome, "pixels:", int(answer.cost))

# %%
# ## Robustness
# The distance to the closest image of another class is the radius within which the decision holds: it is
# proven that every closer image has the same class. Over many images this measures the robustness of a
# model. Of these forests, the larger ones are more robust.
some = pixels[~train].iloc[:20]
for trees in (5, 10, 20):
    model = RandomForestClassifier(trees, max_depth=6, random_state=0).fit(pixels[train], digit[train])
    frame = boxwood.Explainer(model, data=pixels[train]).explain_batch(
        some, cost="l2", show_progress=False).to_frame()
    print(f"{trees:2} trees: right for {model.score(pixels[~train], digit[~train]):.3f}, "
          f"median distance {frame['distance'].median():.3f}, "
          f"proven {frame['proven'].sum()} of {len(frame)}")
