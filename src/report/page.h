/* report/page.h: the HTML report without its data (made from src/report/page by embed.py when augur
 * is built). */
#ifndef AU_REPORT_PAGE_H
#define AU_REPORT_PAGE_H

extern const char au_page_before[], au_page_after[];

#endif
