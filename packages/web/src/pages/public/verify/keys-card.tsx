import { useId } from 'react'
import { Card } from '../../../ui/card.tsx'
import type { Key } from '../../../verify/verification.ts'

type KeysCardProps = { savedKeys: File | undefined; onSavedKeys: (file: File | undefined) => void }

/** Selects the trusted keys: the currently published ones, or a saved copy. */
export function KeysCard({ savedKeys, onSavedKeys }: KeysCardProps) {
  const id = useId()
  return (
    <Card title="Trusted keys">
      <p className="text-sm text-ink-soft">
        {savedKeys === undefined
          ? 'Signatures are verified with the keys this service currently publishes at /v1/keys.'
          : `Signatures are verified with the keys in ${savedKeys.name}.`}
      </p>
      <label htmlFor={id} className="mt-3 block text-sm font-medium">
        Use a saved copy of /v1/keys instead
      </label>
      <input
        id={id}
        type="file"
        accept=".json,application/json"
        onChange={(event) => onSavedKeys(event.target.files?.[0])}
        className="mt-1 max-w-full text-sm text-ink-soft file:mr-3 file:min-h-9 file:rounded-md file:border file:border-solid file:border-line file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink"
      />
    </Card>
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
