import { Link } from '@tanstack/react-router'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type GuideLink, groupsOf } from './guides.ts'
import { useGuideIndex } from './use-guide.ts'

/** The catalogue of what can be connected, from the index of docs/connect. */
export function ConnectPage() {
  const index = useGuideIndex()
  return (
    <Page
      title="Connect"
      lead="Choose what your agent runs in. Its page has the commands with your address and a key, and shows when the first decision arrives."
    >
      <Loaded query={index}>
        {(guide) => (
          <div className="grid gap-6">
            {(guide === null ? [] : groupsOf(guide)).map((group) => (
              <Card key={group.title} title={group.title}>
                <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
                  {group.guides.map((one) => (
                    <li key={one.slug}>
                      <GuideTile {...one} />
                    </li>
                  ))}
                </ul>
              </Card>
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function GuideTile({ slug, name }: GuideLink) {
  const orgId = useOrgId()
  return (
    <Link
      to="/o/$orgId/connect/$guide"
      params={{ orgId, guide: slug }}
      className="block rounded-md border border-line px-4 py-3 font-medium hover:border-line-strong hover:bg-sunken"
    >
      {name}
    </Link>
  )
}
