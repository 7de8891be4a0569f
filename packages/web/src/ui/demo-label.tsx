import { Pill } from './pill.tsx'

/** The demo organisation, made at the first start, gives its agents such ids and its teams such names. */
const DEMO_ID = /^demo-/
const DEMO_NAME = /\(demo\)$/

/** Nobody may take made-up data for an agent or a team that exists. */
export function DemoLabel({ id, name = '' }: { id: string; name?: string }) {
  return DEMO_ID.test(id) || DEMO_NAME.test(name) ? <Pill tone="info">demo data</Pill> : null
}
