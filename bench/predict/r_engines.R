# r_engines.R FOLDER ENGINE POINTS: predicts with ranger, or with terra and a ranger forest, one thread.
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
engine <- arguments[2]
count <- as.integer(arguments[3])
suppressPackageStartupMessages(library(ranger))
kept <- file.path(folder, "forest.rds")
if (!file.exists(kept)) {
  samples <- read.csv(file.path(folder, "samples.csv"))
  # Grown until leaves are pure, as scikit-learn does.
  forest <- ranger(y ~ ., samples, num.trees = 500, min.node.size = 1, seed = 1, num.threads = 1)
  saveRDS(forest, kept)
}
forest <- readRDS(kept)
numbers <- readBin(file.path(folder, "points.f32"), "numeric", count * 8, size = 4)
points <- matrix(numbers, ncol = 8, byrow = TRUE, dimnames = list(NULL, paste0("f", 0:7)))
if (engine == "ranger") {
  points <- as.data.frame(points)
  used <- system.time(predict(forest, points, num.threads = 1))
  version <- packageVersion("ranger")
} else {
  suppressPackageStartupMessages(library(terra))
  layers <- rast(nrows = count / 1000, ncols = 1000, nlyrs = 8, vals = points, names = colnames(points))
  values <- function(model, ...) predict(model, ..., num.threads = 1)$predictions
  used <- system.time(predict(layers, forest, fun = values))
  version <- packageVersion("terra")
}
cat(sprintf('{"wall_s": %f, "cpu_s": %f, "version": "%s", "nodes": %d}\n', used["elapsed"],
  used["user.self"] + used["sys.self"], version, sum(lengths(forest$forest$split.values))))
