# Sourced by tests that need cells which compile within seconds and can be measured: a small CMake tree with the version
# file, targets and install components of MariaDB's. It compiles a few files, and its "mariadbd" is the system's.

# tiny_tarball FILE [UNITS]: with -DGATE=FILE as a build option, the compilation stops half way until FILE is there.
tiny_tarball() {
	local tree=tiny-server-1.0 i
	mkdir -p $tree/{sql/share,scripts,extra}
	printf 'MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=99\nSERVER_MATURITY=stable\n' >$tree/VERSION
	cat >$tree/CMakeLists.txt <<-'END'
	cmake_minimum_required(VERSION 3.5)
	project(Tiny C CXX)
	add_subdirectory(sql)
	add_subdirectory(scripts)
	add_subdirectory(extra)
	END
	for i in $(seq "${2:-3}"); do
		printf 'int unit_%d(int x) { for (int i = 0; i < %d; i++) x += x * i; return x; }\n' $i $((i + 10)) >$tree/sql/unit$i.cc
	done
	cat >$tree/sql/CMakeLists.txt <<-'END'
	file(GLOB units unit*.cc)
	add_library(units STATIC ${units})
	if(GATE)
	  add_custom_command(OUTPUT gate COMMAND sh -c "while [ ! -e \"$1\" ]$<SEMICOLON> do sleep 0.1$<SEMICOLON> done$<SEMICOLON> touch gate" sh "${GATE}" VERBATIM)
	else()
	  add_custom_command(OUTPUT gate COMMAND ${CMAKE_COMMAND} -E touch gate)
	endif()
	find_program(SYSTEM_SERVER mariadbd PATHS /usr/sbin REQUIRED)
	add_custom_command(OUTPUT mariadbd.bin COMMAND ${CMAKE_COMMAND} -E copy ${SYSTEM_SERVER} mariadbd.bin DEPENDS units gate)
	add_custom_target(mariadbd ALL DEPENDS mariadbd.bin)
	install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/mariadbd.bin DESTINATION bin RENAME mariadbd COMPONENT Server)
	add_subdirectory(share)
	END
	cat >$tree/sql/share/CMakeLists.txt <<-'END'
	install(DIRECTORY /usr/share/mysql/ DESTINATION share/mysql COMPONENT Server)
	END
	echo 'install(PROGRAMS mariadb-install-db DESTINATION scripts COMPONENT Server)' >$tree/scripts/CMakeLists.txt
	printf '#!/bin/sh\nexit 1\n' >$tree/scripts/mariadb-install-db
	cat >$tree/extra/CMakeLists.txt <<-'END'
	add_executable(my_print_defaults tool.c)
	add_executable(resolveip tool.c)
	install(TARGETS my_print_defaults resolveip DESTINATION bin COMPONENT Client)
	END
	echo 'int main(void) { return 0; }' >$tree/extra/tool.c
	tar czf "$1" --sort=name --mtime=2000-01-01 --owner=0 --group=0 $tree
	rm -r $tree
}
