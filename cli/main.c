#include "base/process.h"

int main(void)
{
	mm_signals_install();
	return 2;
}
