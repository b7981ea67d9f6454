/* Inside of `ropetool doctor`: its parts, each of which looks at one thing and adds rows. */
#ifndef ROPETOOL_CMD_DOCTOR_PARTS_H
#define ROPETOOL_CMD_DOCTOR_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/backend.h"
#include "lib/io/table.h"

enum doctor_status {
  DOCTOR_OK,
  DOCTOR_ABSENT, /* not there, and not needed */
  DOCTOR_FAIL,   /* needed, or there, and does not work */
};

struct doctor {
  struct table *table; /* "failed" of its meta data: a line for each row that is DOCTOR_FAIL */
  const char *part;    /* of the rows that are added */
  const char *device;  /* of --device */
  int threads;         /* that were asked for */
  int started;         /* of them: how many there can be */
  int time_limit;      /* of each run of gnuplot, seconds */
  size_t failed;       /* rows that are DOCTOR_FAIL */
  int status;          /* of the table itself: memory is out */
  struct error *error;
};

struct doctor_part {
  const char *name;
  void (*examine)(struct doctor *doctor);
};

extern const struct doctor_part doctor_program, doctor_libraries, doctor_machine, doctor_folders,
    doctor_environment, doctor_fonts, doctor_gnuplot, doctor_cpu, doctor_cuda;

/* Their names in order; NULL past the end. */
const char *doctor_part_at(size_t index);

/* Adds a row; the detail is a format, "" for none. */
void doctor_add(struct doctor *doctor, const char *item, enum doctor_status status,
                const char *value, const char *detail, ...) __attribute__((format(printf, 5, 6)));

/* "3.2 GiB" of bytes. */
enum { DOCTOR_SIZE = 32 };
void doctor_size_text(uint64_t bytes, char text[DOCTOR_SIZE]);

#endif
