# fish completion for mymatrix; made by docs/man/manual.c from the program's own tables

# The operands so far, the command first.
function __mymatrix_words
    set -l words (commandline -opc)
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -q -- '-*' $word
            contains -- $word $__mymatrix_with_value; and set skip 1
        else
            echo $word
        end
    end
end

function __mymatrix_no_command
    test (count (__mymatrix_words)) = 0
end

function __mymatrix_in
    set -l words (__mymatrix_words)
    test "$words[1]" = $argv[1]
end

# At operand 1, or at a later one, of a command?
function __mymatrix_at
    set -l words (__mymatrix_words)
    test "$words[1]" = $argv[1]; or return 1
    if test $argv[2] = 1
        test (count $words) = 1
    else
        test (count $words) -gt 1
    end
end

# Asks mymatrix for names, in the folder and of the matrix that the command line means so far.
function __mymatrix_ask
    set -l words (commandline -opc)
    set -l context
    for i in (seq 2 (count $words))
        switch $words[$i]
            case -C --directory
                set -a context -C $words[(math $i + 1)]
            case --matrix
                set -a context --matrix $words[(math $i + 1)]
            case '*.json'
                string match -q -- '-*' $words[(math $i - 1)]; or set -a context --matrix $words[$i]
        end
    end
    if test $argv[1] = test
        set -l operands (__mymatrix_words)
        set -a context $operands[2]
    end
    $words[1] complete $argv[1] $context 2>/dev/null
end

complete -c mymatrix -f
