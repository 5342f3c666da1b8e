"""Images

Which pixels decide? A counterfactual of an image is the nearest image that the model calls something
else. Being exact matters here: a heuristic that finds a distant image says that the model is robust
when it is not. The images are scikit-learn's digits, 8 by 8 pixels with 17 levels of grey.
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
# The columns are whole numbers, so that answers are images that the data could hold; their scale is
# the range of each pixel.
explainer = boxwood.Explainer(forest, data=pixels[train])
shown = [int(np.flatnonzero(~train & (forest.predict(pixels) == digit) & (digit == one))[0])
         for one in (9, 3, 4)]
answers = [explainer.explain(pixels.iloc[i]) for i in shown]
for i, answer in zip(shown, answers, strict=True):
    print(f"{digit[i]} becomes {answer.outcome}: {answer.status}, {len(answer.changes)} pixels, "
          f"distance {answer.distance:.3f}")


# %%
# Left the image, in the middle the nearest one that is called otherwise, right the difference: red
# pixels get brighter (these images are white on black), blue ones darker.
figure, axes = plt.subplots(len(shown), 3, figsize=(6.4, 2.3 * len(shown)),
                            num="Digits, the nearest images of another class, the differences")
for line, i, answer in zip(axes, shown, answers, strict=True):
    plots.images(pixels.iloc[i], answer.point, ax=line, titles=(
        f"a {answer.outcome_before}", f"called {answer.outcome}", "difference"))

# %%
# ## A class of your choice
# What would make the 3 an 8, with a probability of at least one half among ten classes?
three = pixels.iloc[shown[1]]
answer = explainer.explain(three, target=8, probability=0.5)
print(answer.status, answer.outcome, f"distance {answer.distance:.3f}", len(answer.changes), "pixels")
plots.images(three, answer.point, titles=("a 3", "an 8, at least 0.5", "difference"))

# %%
# ## Just add ink
# Rules work as for any other columns: here no pixel may get lighter.
rules = [f"{name} may only rise" for name in pixels.columns]
answer = explainer.explain(three, target=8, rules=rules)
print(answer.status, answer.outcome, f"distance {answer.distance:.3f}", len(answer.changes), "pixels")

# %%
# ## The fewest pixels
# As few pixels as possible, however much they change.
answer = explainer.explain(three, cost="l0")
print(answer.status, answer.outcome, "pixels:", int(answer.cost))

# %%
# ## How robust
# The distance to the nearest image of another class is the radius within which the decision holds:
# nothing nearer is decided otherwise, proven. Over many images that is a fair measure of a model: of
# these forests the larger ones are harder to fool.
some = pixels[~train].iloc[:20]
for trees in (5, 10, 20):
    model = RandomForestClassifier(trees, max_depth=6, random_state=0).fit(pixels[train], digit[train])
    frame = boxwood.Explainer(model, data=pixels[train]).explain_batch(
        some, show_progress=False).to_frame()
    print(f"{trees:2} trees: right for {model.score(pixels[~train], digit[~train]):.3f}, "
          f"median distance {frame['distance'].median():.3f}, "
          f"proven {frame['proven'].sum()} of {len(frame)}")
