# Writes the files of tests/data/r: models as R's own packages save them, with what R predicts.
#
#   Rscript tests/data/r_files.R FOLDER
#
# Needs xgboost, lightgbm, pmml, randomForest, rpart and jsonlite.
suppressMessages({library(xgboost); library(lightgbm); library(pmml); library(randomForest); library(rpart)})
setwd(commandArgs(TRUE)[1])
set.seed(4)
n <- 80
told <- list(R = R.version.string)
for (name in c("xgboost", "lightgbm", "pmml", "randomForest", "rpart")) told[[name]] <- as.character(packageVersion(name))
exact <- function(x) { made <- sprintf("%.17g", x); made[is.na(x)] <- NA; matrix(made, ncol = NCOL(x)) }

# Boosting, on numbers with missing values.
rows <- cbind(age = round(rnorm(n), 2), income = round(rnorm(n), 2), years = sample(0:6, n, TRUE))
rows[sample(length(rows), 30)] <- NA
known <- ifelse(is.na(rows), 0.3, rows)
score <- known[, 1] * known[, 2] + known[, 3] / 6
good <- as.numeric(score > 0.4)
kind <- as.numeric(cut(score, c(-Inf, 0.1, 0.7, Inf))) - 1
boosted <- function(label, rounds, ...) {
  data <- xgb.DMatrix(rows, label = label)
  xgb.train(list(nthread = 1, max_depth = 2, ...), data, rounds)
}
trees <- list(
  binary = boosted(good, 4, objective = "binary:logistic"),
  multi = boosted(kind, 2, objective = "multi:softprob", num_class = 3),
  poisson = boosted(kind, 3, objective = "count:poisson"),
  early = xgb.train(list(nthread = 1, max_depth = 3, eta = 1, objective = "binary:logistic"), xgb.DMatrix(rows, label = good),
                    30, watchlist = list(other = xgb.DMatrix(rows[1:40, ], label = 1 - good[1:40])),
                    early_stopping_rounds = 2, verbose = 0))
for (name in names(trees)) {
  xgb.save(trees[[name]], paste0("xgboost_", name, if (name == "poisson") ".json" else ".ubj"))
  told$scores[[paste0("xgboost_", name)]] <-
    exact(predict(trees[[name]], xgb.DMatrix(rows), outputmargin = TRUE, reshape = TRUE))
}
plain <- list(num_leaves = 4, min_data_in_leaf = 4, min_data_per_group = 4, cat_smooth = 1, verbosity = -1, num_threads = 1)
data <- function(label, ...) lgb.Dataset(rows, label = label, ...)
grown <- list(
  binary = lgb.train(c(plain, objective = "binary"), data(good), 3),
  multi = lgb.train(c(plain, objective = "multiclass", num_class = 3), data(kind), 2),
  categories = lgb.train(c(plain, objective = "binary"), data(good, categorical_feature = "years"), 12),
  early = lgb.train(c(plain, objective = "binary", learning_rate = 1), data(good), 30,
                    valids = list(other = lgb.Dataset(rows[1:40, ], label = 1 - good[1:40])), early_stopping_rounds = 2))
for (name in names(grown)) {
  path <- paste0("lightgbm_", name, ".txt")
  lgb.save(grown[[name]], path)
  told$scores[[paste0("lightgbm_", name)]] <- exact(predict(grown[[name]], rows, type = "raw"))
}
told$rows <- exact(rows)

# Trees and forests as PMML, on numbers and categories.
people <- data.frame(a = round(rnorm(n), 2), b = round(rnorm(n), 2), t = factor(sample(c("Bonn", "Ulm", "Bad Orb"), n, TRUE)))
people$y <- people$a * people$b + (people$t == "Ulm")
people$two <- factor(ifelse(people$y > 0.3, "yes", "no"))
forms <- list(
  forest = randomForest(y ~ a + b + t, people, ntree = 3, maxnodes = 5),
  votes = randomForest(two ~ a + b + t, people, ntree = 3, maxnodes = 5),
  tree = rpart(y ~ a + b + t, people),
  classes = rpart(two ~ a + b + t, people))
for (name in names(forms)) {
  path <- paste0("pmml_", name, ".pmml")
  saveXML(pmml(forms[[name]], copyright = "", description = ""), path)
  writeLines(grep("Timestamp|name=\"user\"", readLines(path), value = TRUE, invert = TRUE), path)
  said <- predict(forms[[name]], people, type = if (name == "classes") "class" else if (name == "tree") "vector" else "response")
  told$predictions[[name]] <- if (is.factor(said)) as.character(said) else c(exact(as.numeric(said)))
}
told$people <- people[, c("a", "b", "t")]
writeLines(jsonlite::toJSON(told, na = "null", auto_unbox = TRUE, digits = 4), "said.json")
