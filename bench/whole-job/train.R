# Trains ranger's forest on the pack's samples, grown until leaves are pure. Usage: train.R PACK
folder <- commandArgs(trailingOnly = TRUE)[1]
samples <- read.csv(file.path(folder, "samples.csv"))
forest <- ranger::ranger(target ~ ., samples, num.trees = 500, min.node.size = 1, seed = 1, num.threads = 1)
saveRDS(forest, file.path(folder, "forest.rds"))
