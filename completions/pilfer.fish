# Completion of pilfer for fish. Put it into ~/.config/fish/completions/.
# Commands and options are asked of the program itself (--help), so that they are those of the version at hand.

# "name<tab>description" for each entry of a section of a help text on standard input.
function __pilfer_section
    awk -v section="$argv[1]:" -v begin="$argv[2]" '
        $0 == section { on = 1; next }
        /^[^ ]/ { on = 0 }
        on && substr($0, 1, 2) == "  " && substr($0, 3) ~ begin {
            text = substr($0, 3)
            about = match(text, /  +/) ? substr(text, RSTART + RLENGTH) : ""
            split(text, words, " ")
            count = split(words[1], names, ",")
            for (i = 1; i <= count; i++) print names[i] "\t" about
        }'
end

# The program and the subcommands that the command line has so far.
function __pilfer_chosen
    set -l words (commandline -opc)
    set -l chosen $words[1]
    for word in $words[2..-1]
        test $word = -- && break
        if $chosen --help 2>/dev/null | __pilfer_section Subcommands '^[a-z]' | string match -q -- "$word"\t'*'
            set -a chosen $word
        end
    end
    string join \n -- $chosen
end

function __pilfer_words
    set -l chosen (__pilfer_chosen)
    if string match -q -- '-*' (commandline -ct)
        $chosen --help 2>/dev/null | __pilfer_section Options '^-'
    else if test "$chosen[2..-1]" = "lab run"
        $chosen[1] lab list 2>/dev/null | awk 'NR > 1 && /^[a-z]/ && NF > 1 { print $1 }'
    else
        $chosen --help 2>/dev/null | __pilfer_section Subcommands '^[a-z]'
    end
end

function __pilfer_schedulers
    set -l words (commandline -opc)
    $words[1] tune --help 2>/dev/null |
        awk '/^Schedulers:/ { on = 1; $1 = "" } /^$/ { on = 0 } on { gsub(",", ""); n = split($0, names, " "); for (i = 1; i <= n; i++) print names[i] }'
end

# Whether a subcommand is to come, and not a file.
function __pilfer_has_commands
    set -l chosen (__pilfer_chosen)
    $chosen --help 2>/dev/null | string match -q 'Subcommands:'
end

# Whether the word before is one of these options.
function __pilfer_after
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

set -l with_words --format --keep --sort --io --scheduler
complete -c pilfer -n "not __pilfer_after $with_words" -a '(__pilfer_words)'
complete -c pilfer -n "string match -q -- '-*' (commandline -ct); or __pilfer_has_commands" -f
complete -c pilfer -n '__pilfer_after --format' -x -a 'text json csv fdupes'
complete -c pilfer -n '__pilfer_after --keep' -x -a 'first newest oldest shortest-path'
complete -c pilfer -n '__pilfer_after --sort' -x -a 'path wasted'
complete -c pilfer -n '__pilfer_after --io' -x -a 'auto uring threads'
complete -c pilfer -n '__pilfer_after --scheduler' -x -a '(__pilfer_schedulers)'
