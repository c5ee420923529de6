# Asks mymatrix for names, in the folder and of the matrix that the command line means so far.
_mymatrix_ask() {
	local class=$1 i context=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-C | --directory) context+=(-C "${COMP_WORDS[i + 1]}") ;;
		--matrix) context+=(--matrix "${COMP_WORDS[i + 1]}") ;;
		*.json) [[ ${COMP_WORDS[i - 1]} == -* ]] || context+=(--matrix "${COMP_WORDS[i]}") ;;
		esac
	done
	[[ $class != test ]] || context+=("$2")
	"${COMP_WORDS[0]}" complete "$class" "${context[@]}" 2>/dev/null
}

_mymatrix() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local i word command="" operands=0 first="" values="" after=""
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == -- && -n $command ]]; then
			after=1
			break
		elif [[ $word == -* ]]; then
			[[ -z $(_mymatrix_values "$word") ]] || ((i++))
		elif [[ -z $command ]]; then
			command=$word
		else
			((operands++))
			first=${first:-$word}
		fi
	done
	if [[ $after ]]; then
		COMPREPLY=($(compgen -c -f -- "$current"))
		return
	fi
	if [[ $previous == -* ]]; then
		values=$(_mymatrix_values "$previous")
	fi
	if [[ -z $values && $current == -* ]]; then
		COMPREPLY=($(compgen -W "$(_mymatrix_options "$command")" -- "$current"))
		return
	fi
	if [[ -z $values && -z $command ]]; then
		values=@command
	fi
	[[ $values ]] || values=$(_mymatrix_operand "$command" $((operands + 1)))
	case $values in
	@file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
	@folder) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")) ;;
	@matrix) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current") $(compgen -f -X '!*.json' -- "$current")) ;;
	@nothing) ;;
	@*) COMPREPLY=($(compgen -W "$(_mymatrix_ask "${values#@}" "$first")" -- "$current")) ;;
	*) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
	esac
}

complete -F _mymatrix mymatrix
