import { Pill } from './pill.tsx'

/**
 * The demo organisation is created at the first start; its agent ids and team names match these.
 */
const DEMO_ID = /^demo-/
const DEMO_NAME = /\(demo\)$/

/** Labels demo data so that no reader mistakes it for a real agent or team. */
export function DemoLabel({ id, name = '' }: { id: string; name?: string }) {
  return DEMO_ID.test(id) || DEMO_NAME.test(name) ? <Pill tone="info">Demo data</Pill> : null
}
