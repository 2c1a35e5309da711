# Prints the matches of a script's completion function in bash for each line of stdin: first `> LINE`, then one match
# a line. COMP_WORDS are made as bash makes them, for lines without quotes.
# Usage: bash --norc capture.bash SCRIPT <LINES
# shellcheck disable=SC1090,SC2034
source "$1"
while IFS= read -r line; do
  echo "> $line"
  COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=()
  rest=$line
  while [[ $rest =~ ^\ *([=:]+|[^=:\ ]+)(.*)$ ]]; do
    COMP_WORDS+=("${BASH_REMATCH[1]}")
    rest=${BASH_REMATCH[2]}
  done
  if [[ $line == *' ' ]]; then COMP_WORDS+=(""); fi
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _appvars
  if ((${#COMPREPLY[@]} > 0)); then printf '%s\n' "${COMPREPLY[@]}"; fi
done
