import type { Checkpoint } from './queries.ts'

type Provenance = Checkpoint['provenance']

const EXPLANATIONS: Readonly<Record<Provenance, string>> = {
  observed: 'This service read it in the traffic to the model itself.',
  relayed: 'A guard in front of the tools sent it, and the gateway decided about its calls.',
  reported: "The agent's own side sent it. Nobody else saw it.",
  imported: 'It was collected elsewhere, or sent more than a day later.',
}

const LABELS: Readonly<Record<Provenance, string>> = {
  observed: 'Observed',
  relayed: 'Relayed',
  reported: 'Reported',
  imported: 'Imported',
}

/** How the service came to know a record, with an explanation of the word. */
export function ProvenanceNote({ provenance }: { provenance: Provenance }) {
  return (
    <span>
      {LABELS[provenance]}. <span className="text-ink-soft">{EXPLANATIONS[provenance]}</span>
    </span>
  )
}

export function ProvenanceLabel({ provenance }: { provenance: Provenance }) {
  return (
    <span className="text-ink-soft" title={EXPLANATIONS[provenance]}>
      {LABELS[provenance]}
    </span>
  )
}
