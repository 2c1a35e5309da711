# Completion of appvars for fish 3 and newer. Install it with
#   appvars completion fish > ~/.config/fish/completions/appvars.fish
# This script contains the commands, flags and choices. For names of variables, environments and profiles, it runs
# `appvars __complete`, which prints one per line; its output is never evaluated.

# Sets subcommands, flags, kinds and choices of the caller to the candidates for a key. Fails for an unknown key.
function __appvars_look --no-scope-shadowing # KEY
    set subcommands
    set flags
    set kinds
    set choices
    switch $argv[1]
        # @BRANCHES@
        case '*'
            return 1
    end
end

# Finds what to complete. Sets __appvars_kinds, the kinds of candidates; __appvars_words, which are offered as they are; and
# __appvars_before, the part of the word that stays.
function __appvars_locate
    set -l key appvars
    set -l position 1
    set -l flag
    set -l only_arguments
    set -l subcommands
    set -l flags
    set -l kinds
    set -l choices
    set -l current (commandline -ct)
    set -l given (commandline -opc)
    set -e given[1]
    set -g __appvars_given $given
    set -g __appvars_kinds
    set -g __appvars_words
    set -g __appvars_before ''
    for i in (seq (count $given))
        set -l word $given[$i]
        if set -q flag[1]
            set flag
        else if not set -q only_arguments[1]; and test "$word" = --
            set only_arguments yes
        else if not set -q only_arguments[1]; and string match -q -- '-?*' $word
            if not string match -q -- '*=*' $word; and __appvars_look "$key $word"
                set flag $word
            end
        else
            __appvars_look $key
            if set -q subcommands[1]
                __appvars_look "$key $word"; or return
                set key "$key $word"
            else
                __appvars_look "$key $position"; or __appvars_look "$key ..."
                if test "$kinds[1]" = program
                    set -g __appvars_kinds program
                    set -g __appvars_given $given[$i..-1]
                    return
                end
                set position (math $position + 1)
            end
        end
    end
    if not set -q flag[1]; and not set -q only_arguments[1]; and string match -q -- '--*=*' $current
        set flag (string replace -r '=.*' '' -- $current)
        set -g __appvars_before "$flag="
    end
    if set -q flag[1]
        __appvars_look "$key $flag"
    else if not set -q only_arguments[1]; and string match -q -- '-*' $current
        __appvars_look $key
        set -g __appvars_words $flags
        return
    else
        __appvars_look $key
        if set -q subcommands[1]
            set -g __appvars_words $subcommands
            return
        end
        __appvars_look "$key $position"; or __appvars_look "$key ..."
    end
    if contains program $kinds
        set -g __appvars_given
    end
    set -g __appvars_kinds $kinds
    set -g __appvars_words $choices
end

# Prints the candidates, each with a tab and a description.
function __appvars_offer
    printf '%s\n' $__appvars_before$__appvars_words
    for kind in $__appvars_kinds
        switch $kind
            case files
                # fish completes files itself.
            case program
                complete -C (string join ' ' -- (string escape -- $__appvars_given) (commandline -ct))
            case '*name-list'
                set -l names (__appvars_find (string replace -- -list s $kind))
                set -l listed (string replace -r '[^,]*$' '' -- (commandline -ct))
                printf '%s\n' $listed$names
            case '*'
                set -l found (__appvars_find $kind)
                printf '%s\n' $__appvars_before$found
        end
    end
end

function __appvars_find # KIND
    appvars __complete $argv[1] '' $__appvars_given 2>/dev/null </dev/null
end

complete -c appvars -e
complete -c appvars -n '__appvars_locate; not contains files $__appvars_kinds' -f -a '(__appvars_offer)'
complete -c appvars -n '__appvars_locate; contains files $__appvars_kinds' -F -a '(__appvars_offer)'
