# Writes models/meuse-soc/data/*.csv from the R package sp. Run from the repository's root:
#   Rscript models/meuse-soc/training/export.R
# Run it only if sp's data change: the CSV files that it writes are in the repository.
data_folder <- file.path("models", "meuse-soc", "data")
sets <- new.env()
data(list = c("meuse", "meuse.grid", "meuse.riv"), package = "sp", envir = sets)

write <- function(table, file) {
  # 15 significant digits: every value is written as it was typed into these data sets.
  write.csv(table, file.path(data_folder, file), row.names = FALSE, quote = FALSE, na = "")
}
write(sets[["meuse"]], "meuse.csv")
write(sets[["meuse.grid"]], "meuse.grid.csv")
river <- as.data.frame(sets[["meuse.riv"]])
names(river) <- c("x", "y")
write(river, "meuse.riv.csv")
