import type { Entry } from './entry.ts'

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The records that have a page of their own and an id that names their kind. */
const RECORDS = [
  { prefix: 'dec', name: 'decision', path: 'decisions' },
  { prefix: 'esc', name: 'approval', path: 'approvals' },
  { prefix: 'ra|tra', name: 'assessment', path: 'risk' },
  { prefix: 'whe', name: 'webhook endpoint', path: 'webhooks' },
  { prefix: 'whd', name: 'webhook delivery', path: 'webhooks/deliveries' },
] as const

/** An entry that opens the record, if the text is the id of one. */
export function entryOfId(orgId: string, text: string): Entry | undefined {
  const id = text.trim().toLowerCase()
  const record = RECORDS.find(({ prefix }) => new RegExp(`^(${prefix})-${UUID}$`).test(id))
  if (record === undefined) return undefined
  return {
    key: id,
    group: 'Open by id',
    label: `Open ${record.name}`,
    detail: id,
    act: `/o/${orgId}/${record.path}/${id}`,
  }
}
