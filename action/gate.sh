#!/usr/bin/env bash
# Runs what action.yml was asked for. Everything arrives in the environment. Ends with 0 when all of
# it passed, with 1 when something did not, and with 2 when it was asked for nothing that can fail.
set -uo pipefail
shopt -s nullglob globstar

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SUMMARY=${GITHUB_STEP_SUMMARY:-/dev/null}
outcome=0

touchstone() {
  node "$HERE/touchstone.mjs" "$@"
}

# fail text: an error of the workflow, whatever is in the text.
fail() {
  local text=${1//%/%25}
  text=${text//$'\r'/%0D}
  echo "::error title=Touchstone::${text//$'\n'/%0A}"
}

stop() {
  fail "$1"
  exit 2
}

# show text: prints it so that no line of it is taken for a command to the workflow.
show() {
  local token=touchstone-$RANDOM$RANDOM$RANDOM
  printf '::stop-commands::%s\n%s\n::%s::\n' "$token" "$1" "$token"
}

# report title command…: runs it, shows what it says, and keeps that in the summary of the job.
report() {
  local title=$1 said status=0 word=passed
  shift
  said=$("$@" 2>&1) || status=$?
  show "$said"
  if [ "$status" -ne 0 ]; then
    word=failed
    outcome=1
    fail "$title failed"
  fi
  printf '### %s: %s\n\n%s\n\n' "$title" "$word" "    ${said//$'\n'/$'\n'    }" >>"$SUMMARY"
}

files=()
while IFS= read -r line; do
  if [ -z "$line" ]; then continue; fi
  # Patterns are expanded, and names with spaces stay whole.
  IFS= found=($line)
  if [ "${#found[@]}" -eq 0 ] || [ ! -e "${found[0]}" ]; then stop "There is no file $line."; fi
  files+=("${found[@]}")
done <<<"${POLICY_TESTS:-}"

if [ "${#files[@]}" -eq 0 ] && [ -z "${AGENT:-}" ]; then
  stop 'Give policy-tests, or an agent: a gate that checks nothing would always pass.'
fi
# Nothing else is one, and what begins with a hyphen would be an option.
if [ -n "${AGENT:-}" ] && ! [[ $AGENT =~ ^[A-Za-z0-9][A-Za-z0-9._:-]+$ ]]; then
  stop "$AGENT is not the id of an agent."
fi
if [ -n "${AGENT:-}" ] && [ -z "${MIN_SCORE:-}${MIN_GRADE:-}" ]; then
  stop 'Give min-score or min-grade: what must the agent have?'
fi

if [ "${#files[@]}" -gt 0 ]; then
  report 'Policy tests' touchstone policy test "${files[@]}"
fi

if [ -n "${AGENT:-}" ]; then
  rules=()
  if [ -n "${MIN_SCORE:-}" ]; then rules+=(--min-score "$MIN_SCORE"); fi
  if [ -n "${MIN_GRADE:-}" ]; then rules+=(--min-grade "$MIN_GRADE"); fi
  if [ "${CONSERVATIVE:-}" = true ]; then rules+=(--conservative); fi
  report "Reputation of $AGENT" touchstone score "$AGENT" "${rules[@]}"
fi

exit "$outcome"
