import { Link } from '@tanstack/react-router'
import { Page } from '../ui/page.tsx'
import { ErrorState } from '../ui/states.tsx'

export function NotFound() {
  return (
    <main>
      <Page title="Page not found" lead="The link may be outdated, or the address may be mistyped.">
        <Link to="/" className="text-accent underline">
          Go to the home page
        </Link>
      </Page>
    </main>
  )
}

export function RouteError({ error }: { error: unknown }) {
  return (
    <main>
      <Page title="Something went wrong">
        <ErrorState error={error} retry={() => location.reload()} />
      </Page>
    </main>
  )
}
