import { useId } from 'react'
import { Card } from '../../../ui/card.tsx'
import type { Key } from '../../../verify/verification.ts'

type KeysCardProps = {
  savedKeys: File | undefined
  onSavedKeys: (file: File | undefined) => void
  savedPolicy: File | undefined
  onSavedPolicy: (file: File | undefined) => void
}

/** Selects what is trusted: the published keys, log and witnesses, or saved copies. */
export function KeysCard({ savedKeys, onSavedKeys, savedPolicy, onSavedPolicy }: KeysCardProps) {
  return (
    <Card title="Trusted keys">
      <p className="text-sm text-ink-soft">
        {savedKeys === undefined
          ? 'Signatures are verified with the keys this service currently publishes at /v1/keys.'
          : `Signatures are verified with the keys in ${savedKeys.name}.`}
      </p>
      <SavedFile
        label="Use a saved copy of /v1/keys instead"
        accept=".json,application/json"
        onFile={onSavedKeys}
      />
      <p className="mt-4 text-sm text-ink-soft">
        {savedPolicy === undefined
          ? 'Proofs of the log are verified with the log and the witnesses this service names at /v1/log/policy.'
          : `Proofs of the log are verified with the policy in ${savedPolicy.name}.`}
      </p>
      <SavedFile label="Use your own trust policy instead" accept=".txt" onFile={onSavedPolicy} />
    </Card>
  )
}

type SavedFileProps = { label: string; accept: string; onFile: (file: File | undefined) => void }

function SavedFile({ label, accept, onFile }: SavedFileProps) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="mt-3 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={(event) => onFile(event.target.files?.[0])}
        className="mt-1 max-w-full text-sm text-ink-soft file:mr-3 file:min-h-9 file:rounded-md file:border file:border-solid file:border-line file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink"
      />
    </>
  )
}

export async function readKeys(file: File): Promise<Key[]> {
  const keys = keysIn(parse(await file.text()))
  if (keys.length === 0)
    throw new Error(`${file.name} contains no keys: expected a response of /v1/keys.`)
  return keys
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function keysIn(document: unknown): Key[] {
  const keys =
    typeof document === 'object' && document !== null && 'keys' in document ? document.keys : []
  return Array.isArray(keys) ? keys.filter(isKey) : []
}

function isKey(value: unknown): value is Key {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key_id' in value &&
    'public_key' in value &&
    typeof value.key_id === 'string' &&
    typeof value.public_key === 'string'
  )
}
