# Writes a regression forest of the R package ranger as JSON, for ranger_to_onnx.py.
#
#   Rscript ranger_to_json.R forest.rds forest.json [training.csv target]
#
# forest.rds is `saveRDS(ranger(..., num.trees = 500), "forest.rds")`. Covariates must be numeric:
# unordered factors split by sets of levels, or by a rank of them, which this script rejects. By default
# ranger takes a factor for the ranks of its levels, which the forest does not tell: `ranger_to_onnx
# --predicted` does (docs/model-packs.md). With the training table, the name of the target and
# `keep.inbag = TRUE`, the graph can also hold the conditional distribution.

arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments) %in% c(2, 4)) {
  stop("usage: Rscript ranger_to_json.R forest.rds forest.json [training.csv target]")
}
model <- readRDS(arguments[1])
if (!inherits(model, "ranger")) stop(arguments[1], " holds no ranger model")
if (model$treetype != "Regression") stop("only regression forests, this is: ", model$treetype)
forest <- model$forest
if (is.null(forest)) stop("it was trained with write.forest = FALSE")
if (!all(forest$is.ordered) || !is.null(forest$covariate.levels)) {
  stop("unordered factors: train on the numbers that the rasters hold")
}

# 17 significant digits give each double back; jsonlite writes at most 15, and rounding would move points
# across thresholds.
exact <- function(x) {
  structure(paste0("[", paste(sprintf("%.17g", x), collapse = ","), "]"), class = "json")
}

trees <- lapply(seq_len(forest$num.trees), function(i) list(
  left = forest$child.nodeIDs[[i]][[1]],
  right = forest$child.nodeIDs[[i]][[2]],
  feature = forest$split.varIDs[[i]],
  # The prediction of a leaf.
  value = exact(forest$split.values[[i]])
))

# The samples' target values, and for each tree their leaves and in-bag counts.
samples_of <- function(file, target) {
  if (is.null(model$inbag.counts)) stop("train with keep.inbag = TRUE")
  data <- read.csv(file)
  missing <- setdiff(c(target, forest$independent.variable.names), names(data))
  if (length(missing) > 0) stop(file, " has no column ", paste(missing, collapse = ", "))
  if (nrow(data) != model$num.samples) {
    stop(file, " has ", nrow(data), " samples, it was trained on ", model$num.samples)
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
