import { Page } from '../ui/page.tsx'
import { ErrorState } from '../ui/states.tsx'
import { TextLink } from '../ui/text-link.tsx'

export function NotFound() {
  return (
    <main>
      <Page title="Page not found" lead="The link may be outdated, or the address may be mistyped.">
        <TextLink to="/">Go to the home page</TextLink>
      </Page>
    </main>
  )
}

/** Browsers word a part of the page that cannot be loaded differently. */
const NOT_LOADED = /dynamically imported module|importing a module script|preload/i

export function RouteError({ error }: { error: unknown }) {
  const isNotLoaded = error instanceof Error && NOT_LOADED.test(error.message)
  const reload = () => location.reload()
  return (
    <main>
      {isNotLoaded ? (
        <Page title="Page could not be loaded">
          <ErrorState
            error="Check your connection and reload the page. After an update of the service, reloading is enough."
            retry={reload}
            retryLabel="Reload"
          />
        </Page>
      ) : (
        <Page title="Something went wrong">
          <ErrorState error={error} retry={reload} />
        </Page>
      )}
    </main>
  )
}
