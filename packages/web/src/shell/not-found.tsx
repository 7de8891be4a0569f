import { Link } from '@tanstack/react-router'
import { Page } from '../ui/page.tsx'
import { ErrorState } from '../ui/states.tsx'

export function NotFound() {
  return (
    <main>
      <Page
        title="There is nothing here"
        lead="The address may be old, or it was never one of ours."
      >
        <Link to="/" className="text-accent underline">
          Go to the start
        </Link>
      </Page>
    </main>
  )
}

export function RouteError({ error }: { error: unknown }) {
  return (
    <main>
      <Page title="This page could not be shown">
        <ErrorState error={error} retry={() => location.reload()} />
      </Page>
    </main>
  )
}
