/* Errors: library code returns a code and fills a message; only cmd/main.c prints it. */
#ifndef ROPETOOL_BASE_ERROR_H
#define ROPETOOL_BASE_ERROR_H

/* The values are the program's exit statuses. */
enum error_code {
  OK = 0,           /* done */
  ERROR_FAILED = 1, /* output file, memory, device, gnuplot, numeric trouble */
  ERROR_INPUT = 2,  /* bad command line, or an input file that is missing, unreadable or wrong */
};

struct error {
  enum error_code code;
  char message[1024]; /* one line of UTF-8; valid after a function returned non-zero */
};

/* Fills `error` (which may be NULL) and returns `code`, so that `return error_set(...)` reads well.
   Wording: failure first, the subject in 'quotes', the value, what would be accepted.
   Control characters, line ends and ill-formed UTF-8 that came in with the arguments are written as
   \xNN; a message that is too long loses its middle.

   A function that passes `error` on takes NULL only if it returns the status of what failed, not
   error->code: most do the latter. */
int error_set(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "PREFIX: " before the message already there and returns its code (ERROR_FAILED for NULL). */
int error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
