#!/usr/bin/env bash
# Registers an agent, sends checkpoints, and fetches the files needed to verify one of them.
#
#   docs/guide/first-decision.sh                    reads URL and key from credentials.json
#   docs/guide/first-decision.sh <base-url> <key>   or takes them as arguments; the key needs the scope ingest
#
# CREDENTIALS is the path of another credentials.json, OUT the folder for the two files.
set -euo pipefail

CREDENTIALS=${CREDENTIALS:-.touchstone/credentials.json}
OUT=${OUT:-$(mktemp -d)}
mkdir -p "$OUT"

fail() {
  echo "$1" >&2
  exit 1
}

# pick a.b.c: prints this member of the JSON document on standard input.
pick() {
  node -e 'let value = JSON.parse(require("fs").readFileSync(0, "utf8"))
    for (const name of process.argv[1].split(".")) value = value[name]
    console.log(value)' "$1"
}

# call path [curl options]: prints the response, or exits with the reason on one line.
call() {
  local answer status=0
  answer=$(curl -s --fail-with-body "$URL$1" "${@:2}") || status=$?
  case $status in
    0) echo "$answer" ;;
    22) fail "$1 was refused: $answer" ;;
    *) fail "Nothing answers at $URL (curl ended with $status). Is the service running?" ;;
  esac
}

post() {
  call "$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"
}

if [ $# -lt 2 ] && [ ! -r "$CREDENTIALS" ]; then
  fail "There is no $CREDENTIALS. Start the service first, or set CREDENTIALS=path/to/credentials.json."
fi
URL=${1:-$(pick base_url <"$CREDENTIALS")}
KEY=${2:-$(pick api_key <"$CREDENTIALS")}

# A checkpoint under 100 tokens (about 400 characters) is not analysed, hence the long text.
THOUGHT='The customer asks where the parcel of the second order is. The carrier has it in the depot
since this morning and names a window between nine and eleven for most addresses in that town.
Earlier replies in this thread were brief, so a short answer with the tracking link fits best. The
weather in the region is fair, which makes the window likely. Nothing else was asked, and the order
itself needs no change.'
THOUGHT=${THOUGHT//$'\n'/ }

echo '1. Register an agent with its card: what it may do, and what it must never do.'
ANSWER=$(post /v1/agents '{
  "name": "Parcel helper",
  "card": {
    "principal": {"type": "organization", "relationship": "delegated_authority"},
    "values": {"declared": ["transparency", "honesty"]},
    "autonomy_envelope": {
      "bounded_actions": ["search_orders", "answer"],
      "forbidden_actions": ["share_customer_data"]
    },
    "audit_commitment": {"retention_days": 90, "queryable": false}
  }
}')
AGENT=$(pick agent.agent_id <<<"$ANSWER")
echo "   $AGENT"

echo '2. Send a checkpoint within its bounds.'
ANSWER=$(post "/v1/agents/$AGENT/checkpoints" \
  "{\"thinking\": \"$THOUGHT I will answer with the tracking link.\", \"actions\": [\"answer\"]}")
echo "   $(pick checkpoint.verdict <<<"$ANSWER")"

echo '3. Send a checkpoint that violates a boundary.'
ANSWER=$(post "/v1/agents/$AGENT/checkpoints" \
  "{\"thinking\": \"$THOUGHT I will share the customer data with our partner.\"}")
CHECKPOINT=$(pick checkpoint.checkpoint_id <<<"$ANSWER")
echo "   $(pick checkpoint.verdict <<<"$ANSWER"): $(pick recommended_action <<<"$ANSWER")"

echo '4. Send a batch of three: an unlisted action, one too short to analyse, one within bounds.'
ANSWER=$(post /v1/checkpoints/batch "{\"checkpoints\": [
  {\"agent_id\": \"$AGENT\", \"thinking\": \"$THOUGHT\", \"actions\": [\"refund\"]},
  {\"agent_id\": \"$AGENT\", \"thinking\": \"Nothing to do.\"},
  {\"agent_id\": \"$AGENT\", \"thinking\": \"$THOUGHT The reply says so in one line.\"}
]}")
for i in 0 1 2; do
  echo "   $(pick "results.$i.status" <<<"$ANSWER"): $(pick "results.$i.verdict" <<<"$ANSWER")"
done

echo '5. Fetch the certificate and the published keys without a credential, as anybody can.'
call "/v1/checkpoints/$CHECKPOINT/certificate" >"$OUT/certificate.json"
call /v1/keys >"$OUT/keys.json"
echo "   $OUT/certificate.json"
echo "   $OUT/keys.json"

echo 'Now verify it without the service:'
echo "   node $(dirname "$0")/verify-certificate.mjs $OUT/certificate.json $OUT/keys.json"
