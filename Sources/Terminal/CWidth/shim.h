// Declares `wcwidth`, the columns of a character. Glibc's module omits it: wchar.h declares it only
// with the feature macro of X/Open.

#ifndef CWIDTH_SHIM_H
#define CWIDTH_SHIM_H

#include <wchar.h>

int wcwidth(wchar_t character);

#endif
