import { Page } from '../../ui/page.tsx'

export function HomePage() {
  return (
    <Page
      title="How far can you trust an agent?"
      lead="Touchstone records what software agents decide, seals it so that nobody can quietly change it, and rates each agent from 0 to 1000. Every number can be recomputed from evidence you can download. Policies decide what an agent may do before it does it."
    >
      <p />
    </Page>
  )
}
