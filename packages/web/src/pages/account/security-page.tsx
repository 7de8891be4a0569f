import { Link } from '@tanstack/react-router'
import { AlertChoices } from '../../alerts/alert-choices.tsx'
import { useMe } from '../../session/use-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DensityChoice } from '../../ui/density-choice.tsx'
import { Page } from '../../ui/page.tsx'
import { StillLoading } from '../../ui/states.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** Password, second factor, sessions, notifications and display of the signed-in person. */
export function SecurityPage() {
  const me = useMe()
  const waiting = me.data?.orgs.filter((org) => org.needs_second_factor) ?? []
  const first = me.data?.orgs.find((org) => !org.needs_second_factor)
  return (
    <Page
      title="Account security"
      lead={me.data?.email}
      actions={
        first === undefined ? (
          <StillLoading when={me.isPending} />
        ) : (
          <Link to="/o/$orgId" params={{ orgId: first.org_id }} className={buttonClass()}>
            Back to {first.name}
          </Link>
        )
      }
    >
      <div className="grid gap-6">
        {waiting.length === 0 ? null : (
          <p className="rounded-md bg-warn-wash px-4 py-3 text-sm text-warn" role="status">
            {waiting.map((org) => org.name).join(', ')}{' '}
            {waiting.length === 1 ? 'requires' : 'require'} a second factor. Set it up to continue.
          </p>
        )}
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <SecondFactorCard />
          <Card title="Change password" note="Signs you out of all sessions">
            <PasswordForm />
          </Card>
        </div>
        <SessionsCard />
        <Card
          title="Notifications"
          note="For calls that need approval. The organisation’s settings say who gets email."
        >
          <AlertChoices />
        </Card>
        <Card title="Density" note="Row height in this browser. Small screens are not affected.">
          <DensityChoice />
        </Card>
      </div>
    </Page>
  )
}
