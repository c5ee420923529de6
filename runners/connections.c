#include "runners/connections.h"

#include "base/memory.h"

char *mm_connections_lack(MYSQL *mysql, unsigned clients)
{
	MYSQL_RES *result = NULL;
	MYSQL_ROW row = NULL;
	unsigned long allowed = 0;

	if (mysql_query(mysql, "show variables like 'max_connections'") == 0)
		result = mysql_store_result(mysql);
	if (result != NULL && mysql_num_fields(result) == 2)
		row = mysql_fetch_row(result);
	if (row != NULL && row[1] != NULL)
		allowed = strtoul(row[1], NULL, 10);
	if (result != NULL)
		mysql_free_result(result);
	if (allowed == 0 || clients + 1UL <= allowed)
		return NULL;
	return mm_format(
		"%u clients need %lu connections, the server allows %lu: raise max_connections in the config's my_cnf",
		clients, clients + 1UL, allowed);
}
