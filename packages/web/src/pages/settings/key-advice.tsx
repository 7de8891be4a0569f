import { Card } from '../../ui/card.tsx'
import { type Column, Table } from '../../ui/table.tsx'

type Advice = { holder: string; credential: string; why: string }

const ADVICE: Advice[] = [
  { holder: 'A person', credential: 'Their own account', why: 'The audit log names them' },
  {
    holder: 'An agent, its guard or hook',
    credential: 'Key of that agent: member, decide and ingest',
    why: 'Works for this agent only',
  },
  {
    holder: 'Continuous integration',
    credential: 'Member, read; admin, read and write to apply policies',
    why: 'Give it an expiry date',
  },
  {
    holder: 'An approval bot',
    credential: 'Admin, read and approve',
    why: 'Must differ from the key that requests the decision',
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
    <Card title="Which key to use" padded={false}>
      <Table
        caption="Which key to use"
        columns={COLUMNS}
        rows={ADVICE}
        keyOf={(row) => row.holder}
      />
    </Card>
  )
}
