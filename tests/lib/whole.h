/* tests/lib/whole.h: what is in a file. */
#ifndef WHOLE_H
#define WHOLE_H

/* The text of DIRECTORY/NAME, to be freed; "" if it is not there. */
char *au_test_whole(const char *directory, const char *name);

#endif
