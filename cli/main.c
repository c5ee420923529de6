#include "cli/command.h"

int main(int argc, char **argv)
{
	return mm_cli_main(argc, argv);
}
