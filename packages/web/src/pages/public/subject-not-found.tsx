import { ApiError } from '@touchstone/sdk'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'

/** The service answers 404 both for a missing subject and for one the reader may not see. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

export function SubjectNotFound({ what, id }: { what: 'agent' | 'team'; id: string }) {
  return (
    <Page title={what === 'agent' ? 'Agent not found' : 'Team not found'}>
      <Card>
        <Empty title={`No public ${what} with the ID ${id}`}>
          Check the ID. If the {what} is private, sign in as a member of its organisation.
        </Empty>
      </Card>
    </Page>
  )
}
