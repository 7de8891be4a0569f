import {
  ASSURANCE_CONDITIONS,
  ASSURANCE_LEVELS,
  ASSURANCE_LIMIT_CONDITIONS,
  ASSURANCE_LIMITS,
  ASSURANCE_WINDOW_DAYS,
} from '@touchstone/protocol/score'
import { AssuranceMark } from '../../../ui/assurance.tsx'
import { Card } from '../../../ui/card.tsx'
import { sentenceCase } from '../../../ui/marks.tsx'
import { Table } from '../../../ui/table.tsx'

/** The levels with their conditions and caps, and the limits that speak against relying on a score. */
export function Assurance() {
  return (
    <Card
      title="Five assurance levels"
      note={`Who saw the evidence of the last ${ASSURANCE_WINDOW_DAYS} days. The level caps the assured score, the number to rely on when something is at stake; the score itself does not depend on it. Each level includes the conditions of the levels below it`}
      padded={false}
    >
      <Table
        caption="Assurance levels"
        columns={[
          {
            key: 'level',
            label: 'Level',
            ownLine: false,
            cell: ({ level }) => (
              <span className="inline-flex items-center gap-2">
                <span className="tabular">{level}</span>
                <AssuranceMark level={level} />
              </span>
            ),
          },
          {
            key: 'conditions',
            label: 'Conditions',
            cell: ({ name }) => ASSURANCE_CONDITIONS[name],
          },
          {
            key: 'cap',
            label: 'Highest assured score',
            align: 'right',
            cell: ({ scoreMax }) => scoreMax,
          },
        ]}
        rows={ASSURANCE_LEVELS}
        keyOf={({ name }) => name}
      />
      <Table
        caption="Limits"
        columns={[
          {
            key: 'limit',
            label: 'Limit',
            ownLine: false,
            cell: (limit) => <code className="font-mono text-xs">{limit}</code>,
          },
          {
            key: 'condition',
            label: 'Applies if',
            cell: (limit) => sentenceCase(ASSURANCE_LIMIT_CONDITIONS[limit]),
          },
        ]}
        rows={ASSURANCE_LIMITS}
        keyOf={(limit) => limit}
      />
    </Card>
  )
}
