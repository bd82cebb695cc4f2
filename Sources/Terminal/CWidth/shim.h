// The columns of a character, which Glibc's own module leaves out: wchar.h declares `wcwidth` only
// to those who ask for X/Open.

#ifndef CWIDTH_SHIM_H
#define CWIDTH_SHIM_H

#include <wchar.h>

int wcwidth(wchar_t character);

#endif
