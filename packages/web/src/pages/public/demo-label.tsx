import { Pill } from '../../ui/pill.tsx'

/** The demo organisation, seeded at the first start, gives all its agents and teams such ids. */
const DEMO_PREFIX = 'demo-'

/** Nobody may take made-up data for an agent that exists. */
export function DemoLabel({ id }: { id: string }) {
  return id.startsWith(DEMO_PREFIX) ? <Pill tone="info">demo data</Pill> : null
}
