import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'

type Advice = { holder: string; credential: string; why: string }

const ADVICE: Advice[] = [
  { holder: 'A person', credential: 'Their own account', why: 'The audit log names them' },
  {
    holder: 'An agent, its guard or hook',
    credential: 'Key of that agent: member, decide and ingest',
    why: 'Worth nothing for other agents',
  },
  {
    holder: 'Continuous integration',
    credential: 'Member, read; admin, read and write to apply policies',
    why: 'Give it an expiry date',
  },
  {
    holder: 'An approval bot',
    credential: 'Admin, read and approve',
    why: 'Must not be the key that asks',
  },
  {
    holder: 'An auditor’s tool',
    credential: 'Auditor, read',
    why: 'Reads everything, changes nothing',
  },
]

const COLUMNS: Column<Advice>[] = [
  { key: 'holder', label: 'For', cell: (row) => row.holder },
  { key: 'credential', label: 'Give', cell: (row) => row.credential },
  { key: 'why', label: 'Note', cell: (row) => row.why },
]

/** Helps to choose the smallest key that does the job. */
export function KeyAdvice() {
  return (
    <Card title="Which key for whom" padded={false}>
      <Table
        caption="Which key for whom"
        columns={COLUMNS}
        rows={ADVICE}
        keyOf={(row) => row.holder}
      />
    </Card>
  )
}
