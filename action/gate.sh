#!/usr/bin/env bash
# Runs the checks that the inputs of action.yml ask for; inputs arrive as environment variables.
# Exits with 0 if all checks pass, 1 if one fails, and 2 if the inputs are invalid or check nothing.
set -uo pipefail
shopt -s nullglob globstar

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SUMMARY=${GITHUB_STEP_SUMMARY:-/dev/null}
exit_code=0

touchstone() {
  node "$HERE/touchstone.mjs" "$@"
}

# fail TEXT: reports a workflow error, with the characters escaped that the runner interprets.
fail() {
  local text=${1//%/%25}
  text=${text//$'\r'/%0D}
  echo "::error title=Touchstone::${text//$'\n'/%0A}"
}

stop() {
  fail "$1"
  exit 2
}

# show TEXT: prints it with workflow commands disabled, so that no line is run as a command.
show() {
  local token=touchstone-$RANDOM$RANDOM$RANDOM
  printf '::stop-commands::%s\n%s\n::%s::\n' "$token" "$1" "$token"
}

# report TITLE COMMAND…: runs the command, prints its output and appends it to the job summary.
report() {
  local title=$1 output status=0 result=passed
  shift
  output=$("$@" 2>&1) || status=$?
  show "$output"
  if [ "$status" -ne 0 ]; then
    result=failed
    exit_code=1
    fail "$title failed"
  fi
  printf '### %s: %s\n\n%s\n\n' "$title" "$result" "    ${output//$'\n'/$'\n'    }" >>"$SUMMARY"
}

files=()
while IFS= read -r line; do
  if [ -z "$line" ]; then continue; fi
  # Expand glob patterns, but do not split names that contain spaces.
  IFS= found=($line)
  if [ "${#found[@]}" -eq 0 ] || [ ! -e "${found[0]}" ]; then stop "policy-tests: no file matches $line"; fi
  files+=("${found[@]}")
done <<<"${POLICY_TESTS:-}"

if [ "${#files[@]}" -eq 0 ] && [ -z "${AGENT:-}" ]; then
  stop 'Set policy-tests or agent: a gate that checks nothing would always pass.'
fi
# Agent ids have only these characters, and a value with a leading hyphen would be parsed as a flag.
if [ -n "${AGENT:-}" ] && ! [[ $AGENT =~ ^[A-Za-z0-9][A-Za-z0-9._:-]+$ ]]; then
  stop "agent: $AGENT is not a valid agent id"
fi
if [ -n "${AGENT:-}" ] && [ -z "${MIN_SCORE:-}${MIN_GRADE:-}" ]; then
  stop 'agent: min-score or min-grade is required'
fi

if [ "${#files[@]}" -gt 0 ]; then
  report 'Policy tests' touchstone policy test "${files[@]}"
fi

if [ -n "${AGENT:-}" ]; then
  minimums=()
  if [ -n "${MIN_SCORE:-}" ]; then minimums+=(--min-score "$MIN_SCORE"); fi
  if [ -n "${MIN_GRADE:-}" ]; then minimums+=(--min-grade "$MIN_GRADE"); fi
  if [ -n "${MIN_ASSURANCE:-}" ]; then minimums+=(--min-assurance "$MIN_ASSURANCE"); fi
  if [ "${RAW:-}" = true ]; then minimums+=(--raw); fi
  if [ "${CONSERVATIVE:-}" = true ]; then minimums+=(--conservative); fi
  report "Reputation of $AGENT" touchstone score "$AGENT" "${minimums[@]}"
fi

exit "$exit_code"
