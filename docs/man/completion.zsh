# Asks mymatrix for names, in the folder and of the matrix that the command line means so far.
_mymatrix_ask() {
	local class=$argv[-1] i # before it stand options for compadd
	local -a context names
	for ((i = 2; i < $#_mymatrix_line; i++)); do
		case $_mymatrix_line[i] in
		-C | --directory) context+=(-C $_mymatrix_line[i+1]) ;;
		--matrix) context+=(--matrix $_mymatrix_line[i+1]) ;;
		*.json) [[ $_mymatrix_line[i-1] == -* ]] || context+=(--matrix $_mymatrix_line[i]) ;;
		esac
	done
	[[ $class != test ]] || context+=(${line[1]:-sql-bench})
	names=(${(f)"$(_call_program names $_mymatrix_line[1] complete $class $context 2>/dev/null)"})
	compadd "$argv[1,-2]" -a names
}

_mymatrix() {
	local -a _mymatrix_line=($words)
	local curcontext=$curcontext context state state_descr line
	typeset -A opt_args
	_arguments -C -s : $_mymatrix_common '1: :_mymatrix_commands' '*:: :->rest'
	[[ $state != rest ]] || _mymatrix_command $words[1]
}

_mymatrix "$@"
