# Writes a regression forest of the R package ranger as JSON, for ranger_to_onnx.py.
#
#   Rscript ranger_to_json.R forest.rds forest.json [training.csv target]
#
# forest.rds is written by `saveRDS(ranger(..., num.trees = 500), "forest.rds")`. Covariates must be numeric.
# This script rejects forests that split unordered factors by sets of levels, or by levels in the order of their
# means. By default, ranger instead replaces a factor by the numbers of its levels (1, 2, …). The forest does not
# show this, but `ranger_to_onnx --predicted` detects it (docs/model-packs.md). With the training table, the name of
# the target and `keep.inbag = TRUE`, the graph can also contain the conditional distribution.

arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments) %in% c(2, 4)) {
  stop("usage: Rscript ranger_to_json.R forest.rds forest.json [training.csv target]")
}
model <- readRDS(arguments[1])
if (!inherits(model, "ranger")) stop(arguments[1], " does not contain a ranger model")
if (model$treetype != "Regression") stop("expected a regression forest; got ", model$treetype)
forest <- model$forest
if (is.null(forest)) stop("the model does not contain its forest: train with write.forest = TRUE")
if (!all(forest$is.ordered) || !is.null(forest$covariate.levels)) {
  stop("unordered factors are not supported: train on the numbers in the rasters")
}

# 17 significant digits preserve each double. jsonlite writes at most 15 digits, and this rounding would move
# points across thresholds.
exact <- function(x) {
  structure(paste0("[", paste(sprintf("%.17g", x), collapse = ","), "]"), class = "json")
}

trees <- lapply(seq_len(forest$num.trees), function(i) list(
  left = forest$child.nodeIDs[[i]][[1]],
  right = forest$child.nodeIDs[[i]][[2]],
  feature = forest$split.varIDs[[i]],
  # The threshold of a branch, or the prediction of a leaf.
  value = exact(forest$split.values[[i]])
))

# Returns the samples' target values and, for each tree, their leaves and in-bag counts.
samples_of <- function(file, target) {
  if (is.null(model$inbag.counts)) stop("the model has no in-bag counts: train with keep.inbag = TRUE")
  data <- read.csv(file)
  missing <- setdiff(c(target, forest$independent.variable.names), names(data))
  if (length(missing) > 0) stop(file, " has no column ", paste(missing, collapse = ", "))
  if (nrow(data) != model$num.samples) {
    stop(file, " has ", nrow(data), " samples, but the forest was trained on ", model$num.samples)
  }
  loadNamespace("ranger") # for its predict()
  leaves <- predict(model, data, type = "terminalNodes")$predictions
  list(
    y = exact(data[[target]]),
    leaves = lapply(seq_len(forest$num.trees), function(i) leaves[, i]),
    counts = model$inbag.counts
  )
}

jsonlite::write_json(
  list(
    ranger = as.character(packageVersion("ranger")),
    # The order of the graph's features and of the manifest's covariates.
    features = forest$independent.variable.names,
    trees = trees,
    samples = if (length(arguments) == 4) samples_of(arguments[3], arguments[4])
  ),
  arguments[2],
  json_verbatim = TRUE, auto_unbox = TRUE
)
