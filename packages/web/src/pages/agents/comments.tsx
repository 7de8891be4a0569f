import { type FormEvent, useId } from 'react'
import { MemberName } from '../../names/member-name.tsx'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { TEXT_LINK } from '../../ui/text-link.tsx'
import { Ago } from '../../ui/time.tsx'
import { useAgentAction, type Violation } from './queries.ts'

/** Comments on a violation. They are hash-chained and cannot be edited or deleted. */
export function Comments({ agentId, violation }: { agentId: string; violation: Violation }) {
  const id = useId()
  const addComment = useAgentAction(agentId, {
    run: (text: string) =>
      api.request('POST', '/v1/agents/{agent_id}/violations/{checkpoint_id}/comments', {
        params: { agent_id: agentId, checkpoint_id: violation.checkpoint_id },
        body: { text },
      }),
    done: () => 'Comment added',
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const text = String(new FormData(form).get('text')).trim()
    if (text !== '') addComment.mutate(text, { onSuccess: () => form.reset() })
  }
  return (
    <details className="group">
      <summary className={`w-fit text-xs ${TEXT_LINK}`}>
        {violation.comment_count === 0 ? 'Comment' : commentCountLabel(violation.comment_count)}
      </summary>
      <ul className="mt-2 grid gap-2 border-l-2 border-line pl-3">
        {violation.comments.map((comment) => (
          <li key={comment.id}>
            <p className="break-words">{comment.text}</p>
            <p className="text-xs text-ink-faint">
              <MemberName id={comment.author} /> · <Ago at={comment.created_at} />
            </p>
          </li>
        ))}
        <li>
          <form onSubmit={submit} className="flex flex-wrap gap-2">
            <label htmlFor={id} className="sr-only">
              Comment on {violation.checkpoint_id}
            </label>
            <Input
              id={id}
              name="text"
              className="max-w-md flex-1"
              placeholder="Comments cannot be deleted"
              maxLength={2000}
              required
            />
            <Button type="submit" busy={addComment.isPending}>
              Comment
            </Button>
          </form>
          {addComment.error ? <ErrorState error={addComment.error} /> : null}
        </li>
      </ul>
    </details>
  )
}

function commentCountLabel(count: number): string {
  return count === 1 ? '1 comment' : `${count} comments`
}
