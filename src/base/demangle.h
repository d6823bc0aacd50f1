/* base/demangle.h: names of C++ functions as their source has them. */
#ifndef AU_BASE_DEMANGLE_H
#define AU_BASE_DEMANGLE_H

/* "std::thread::join" of "_ZNSt6thread4joinEv", without the parameters; a copy of what is no such name. The caller frees it. */
char *au_demangle(const char *name);

#endif
