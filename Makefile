# ropetool: `make demo` and `make check` do everything on a fresh Debian machine; `make` builds.
#
#   make            build/ropetool
#   make demo       installs what is missing, builds, draws example figures into build/demo/
#   make check      installs what the tests need, builds and passes them
#   make lint       layers, format, static analysis
#   make install    PREFIX=/usr/local DESTDIR=

CC ?= gcc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BUILD ?= build
VERSION := 0.1.0

override CFLAGS += -std=gnu11 -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math \
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith -Wformat=2 -Wundef
override CPPFLAGS += -I. -D_GNU_SOURCE -DROPETOOL_VERSION='"$(VERSION)"'
LDLIBS := -lgsl -lopenblas -ljansson -lpng -lnettle -lm -ldl

LIBRARY_SOURCES := $(sort $(wildcard lib/*/*.c kernels/*.c))
COMMAND_SOURCES := $(sort $(wildcard cmd/*.c))
ASSETS := $(sort $(wildcard plots/*.gp plots/*/*.hex plots/*/*.style))
LIBRARY_OBJECTS := $(LIBRARY_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/assets.o
COMMAND_OBJECTS := $(COMMAND_SOURCES:%.c=$(BUILD)/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))

all: $(BUILD)/ropetool

$(BUILD)/ropetool: $(COMMAND_OBJECTS) $(BUILD)/libropetool.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libropetool.a: $(LIBRARY_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The files of plots/ become one C file of byte arrays.
$(BUILD)/assets.c: $(ASSETS) plots/embed.sh
	@mkdir -p $(@D)
	sh plots/embed.sh $(ASSETS) > $@.new && mv $@.new $@

$(BUILD)/assets.o: $(BUILD)/assets.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: tests/unit/%.c $(BUILD)/libropetool.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(BUILD)/libropetool.a $(LDLIBS) -lcmocka

unit-tests: $(UNIT_TESTS)

clean:
	rm -rf $(BUILD)

.PHONY: all unit-tests clean
.DELETE_ON_ERROR:

-include $(LIBRARY_OBJECTS:.o=.d) $(COMMAND_OBJECTS:.o=.d) $(UNIT_TESTS:=.d)
