# Runs the job with terra and ranger on one thread, after train.R has trained the forest.
# Usage: job.R PACK TARGET
started <- proc.time()
suppressPackageStartupMessages({ library(terra); library(ranger) })
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
forest <- readRDS(file.path(folder, "forest.rds"))
layers <- rast(sort(list.files(folder, "^f[0-9]+\\.tif$", full.names = TRUE)))
names(layers) <- sub("\\.tif$", "", basename(sources(layers)))
polygon <- project(vect(file.path(folder, "polygon.json")), crs(layers))
layers <- mask(crop(layers, polygon), polygon, touches = FALSE)
layers <- c(layers, init(layers[[1]], "x"), init(layers[[1]], "y"))
names(layers)[nlyr(layers) - 1:0] <- c("x", "y")
values <- function(model, ...) predict(model, ..., num.threads = 1)$predictions
cells <- predict(layers, forest, fun = values, na.rm = TRUE)
writeRaster(cells, arguments[2], filetype = "COG", overwrite = TRUE,
  gdal = c("COMPRESS=DEFLATE", "PREDICTOR=YES", "OVERVIEW_RESAMPLING=AVERAGE", "NUM_THREADS=1"))
used <- proc.time() - started
peak <- as.numeric(sub("\\D*(\\d+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE)))
cat(sprintf('{"wall_s": %f, "cpu_s": %f, "peak_mib": %f, "points": %d, "versions": {"terra": "%s", "ranger": "%s"}}\n',
  used["elapsed"], used["user.self"] + used["sys.self"], peak / 1024,
  as.integer(global(!is.na(cells), "sum")), packageVersion("terra"), packageVersion("ranger")))
