#ifndef MM_RUNNERS_CONNECTIONS_H
#define MM_RUNNERS_CONNECTIONS_H

#include <mysql.h>

/*
 * Does the server let CLIENTS in at once, beside MYSQL itself? NULL: yes, or it does not say. Else the reason for
 * leaving the test out, allocated.
 */
char *mm_connections_lack(MYSQL *mysql, unsigned clients);

#endif
