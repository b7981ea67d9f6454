/* The machine that the program runs on, in words for reports. */
#ifndef ROPETOOL_BASE_MACHINE_H
#define ROPETOOL_BASE_MACHINE_H

enum { MACHINE_TEXT = 160 };

/* The system and the architecture that it runs: "Linux 6.1.0 x86_64". */
void machine_system(char text[MACHINE_TEXT]);

/* The C library that runs: "glibc 2.36". */
void machine_c_library(char text[MACHINE_TEXT]);

/* The processor's name; "" where the system does not say. */
void machine_processor(char text[MACHINE_TEXT]);

/* Cores that are switched on, whether this process may use them or not. */
int machine_cores(void);

#endif
