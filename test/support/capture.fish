# Prints the matches of Tab in fish after each line of stdin: first `> LINE`, then one match a line, with a
# tab and its description.
# Usage: fish --no-config capture.fish SCRIPT <LINES
source $argv[1]
while read -l line
    echo "> $line"
    complete -C "$line"
end
