import { ApiError } from '@touchstone/sdk'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'

/** Not there, or not for this reader: the service tells both alike. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

export function SubjectNotFound({ what, id }: { what: 'agent' | 'team'; id: string }) {
  return (
    <Page title={`No such ${what}`}>
      <Card>
        <Empty title={`Nothing is published of ${id}`}>
          The id may be wrong, or the {what} is private. Its organisation sees it after signing in.
        </Empty>
      </Card>
    </Page>
  )
}
