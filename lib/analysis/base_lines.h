/* Inside of lib/analysis/base.h: its further columns. */
#ifndef ROPETOOL_ANALYSIS_BASE_LINES_H
#define ROPETOOL_ANALYSIS_BASE_LINES_H

#include "lib/analysis/base.h"

/* Fills the columns of the lines asked for, from column `first` of the table on, whose rows have
   their answers, and meta.series. */
void base_lines_fill(const struct base_request *request, size_t first, struct table *table);

#endif
