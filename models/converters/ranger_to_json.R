# Writes a regression forest of the R package ranger as JSON, for ranger_to_onnx.py.
#
#   Rscript ranger_to_json.R forest.rds forest.json
#
# forest.rds is `saveRDS(ranger(..., num.trees = 500), "forest.rds")`. Covariates must be numeric:
# ranger's unordered factors split by sets of levels, which are refused here.

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: Rscript ranger_to_json.R forest.rds forest.json")
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
jsonlite::write_json(
  list(
    ranger = as.character(packageVersion("ranger")),
    # In this order the graph wants its features, and the manifest its covariates.
    features = forest$independent.variable.names,
    trees = trees
  ),
  arguments[2],
  # 17 significant digits: thresholds are doubles, and a digit less moves points across them.
  digits = I(17), auto_unbox = TRUE
)
