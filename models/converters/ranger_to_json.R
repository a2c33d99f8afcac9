# Writes a regression forest of the R package ranger as JSON, for ranger_to_onnx.py.
#
#   Rscript ranger_to_json.R forest.rds forest.json [training.csv target]
#
# forest.rds is `saveRDS(ranger(..., num.trees = 500), "forest.rds")`. Covariates must be numeric:
# ranger's unordered factors split by sets of levels, which are refused here. With the table that it was
# trained on, the name of its target and `keep.inbag = TRUE`, the graph can hold the conditional distribution too.

arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments) %in% c(2, 4)) {
  stop("usage: Rscript ranger_to_json.R forest.rds forest.json [training.csv target]")
}
model <- readRDS(arguments[1])
if (!inherits(model, "ranger")) stop(arguments[1], " holds no ranger model")
if (model$treetype != "Regression") stop("only regression forests, this is: ", model$treetype)
forest <- model$forest
if (is.null(forest)) stop("it was trained with write.forest = FALSE")
if (!all(forest$is.ordered)) stop("unordered factors: train on numbers or ordered factors")

trees <- lapply(seq_len(forest$num.trees), function(i) list(
  left = forest$child.nodeIDs[[i]][[1]],
  right = forest$child.nodeIDs[[i]][[2]],
  feature = forest$split.varIDs[[i]],
  # At a leaf, its prediction.
  value = forest$split.values[[i]]
))

# The samples' values, and for each tree their leaves and how often it drew them.
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
    y = data[[target]],
    leaves = lapply(seq_len(forest$num.trees), function(i) leaves[, i]),
    counts = model$inbag.counts
  )
}

jsonlite::write_json(
  list(
    ranger = as.character(packageVersion("ranger")),
    # In this order the graph wants its features, and the manifest its covariates.
    features = forest$independent.variable.names,
    trees = trees,
    samples = if (length(arguments) == 4) samples_of(arguments[3], arguments[4])
  ),
  arguments[2],
  # 17 significant digits: thresholds are doubles, and a digit less moves points across them.
  digits = I(17), auto_unbox = TRUE
)
