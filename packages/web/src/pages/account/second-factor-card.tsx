import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { type ReactNode, useState } from 'react'
import { api } from '../../session/session.ts'
import { useMe } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Pill } from '../../ui/pill.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AccountForm, CodeField, CurrentPasswordField } from './account-form.tsx'

type State = Answer<'GET', '/v1/auth/second-factor'>
type Enrolment = Answer<'POST', '/v1/auth/second-factor'>

const FACTOR_KEY = ['account', 'second-factor']

/** The card shows the state, a step of the enrolment, or a change. */
type Step =
  | { name: 'overview' }
  | { name: 'password' }
  | { name: 'scan'; enrolment: Enrolment }
  | { name: 'codes'; codes: readonly string[] }
  | { name: 'replace' }
  | { name: 'disable' }

type StepProps = { onStep: (step: Step) => void }

export function SecondFactorCard() {
  const [step, setStep] = useState<Step>({ name: 'overview' })
  const state = useQuery({
    queryKey: FACTOR_KEY,
    queryFn: () => api.request('GET', '/v1/auth/second-factor'),
  })
  return (
    <Card
      title="Second factor"
      note="A code from an authenticator app, besides the password"
      actions={state.data?.enabled === true ? <Pill tone="good">On</Pill> : null}
    >
      <Loaded query={state}>
        {(found) => <CurrentStep step={step} state={found} onStep={setStep} />}
      </Loaded>
    </Card>
  )
}

function CurrentStep({ step, state, onStep }: StepProps & { step: Step; state: State }) {
  if (step.name === 'password') return <PasswordStep onStep={onStep} />
  if (step.name === 'scan') return <ScanStep enrolment={step.enrolment} onStep={onStep} />
  if (step.name === 'codes') return <CodesStep codes={step.codes} onStep={onStep} />
  if (step.name === 'replace') return <ReplaceStep onStep={onStep} />
  if (step.name === 'disable') return <DisableStep onStep={onStep} />
  return state.enabled ? <Enabled state={state} onStep={onStep} /> : <Disabled onStep={onStep} />
}

function Disabled({ onStep }: StepProps) {
  return (
    <div className="grid justify-items-start gap-3 text-sm">
      <p>
        With a second factor, whoever learns your password still cannot sign in. You need an
        authenticator app.
      </p>
      <Button tone="primary" onClick={() => onStep({ name: 'password' })}>
        Set up second factor
      </Button>
    </div>
  )
}

function Enabled({ state, onStep }: StepProps & { state: State }) {
  const left = state.recovery_codes_left
  return (
    <div className="grid justify-items-start gap-3 text-sm">
      <p>
        On since {state.confirmed_at === null ? 'now' : formatDate(state.confirmed_at)}. {left}{' '}
        {left === 1 ? 'recovery code' : 'recovery codes'} left.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onStep({ name: 'replace' })}>Replace recovery codes</Button>
        <Button tone="danger" onClick={() => onStep({ name: 'disable' })}>
          Turn off
        </Button>
      </div>
    </div>
  )
}

function Cancel({ onStep }: StepProps) {
  return (
    <Button tone="quiet" onClick={() => onStep({ name: 'overview' })}>
      Cancel
    </Button>
  )
}

function StepFrame({ lead, onStep, children }: StepProps & { lead: string; children: ReactNode }) {
  return (
    <div className="grid gap-4">
      <p className="text-sm">{lead}</p>
      {children}
      <Cancel onStep={onStep} />
    </div>
  )
}

function PasswordStep({ onStep }: StepProps) {
  const enrol = useMutation({
    mutationFn: (password: string) =>
      api.request('POST', '/v1/auth/second-factor', { body: { current_password: password } }),
    onSuccess: (enrolment) => onStep({ name: 'scan', enrolment }),
  })
  return (
    <StepFrame lead="First, enter your password again." onStep={onStep}>
      <AccountForm
        action="Continue"
        busy={enrol.isPending}
        error={enrol.error}
        onSubmit={(value) => enrol.mutate(value('current'))}
      >
        <CurrentPasswordField />
      </AccountForm>
    </StepFrame>
  )
}

/** Account data that depends on the second factor. */
function useRefresh() {
  const queries = useQueryClient()
  const me = useMe()
  return async () => {
    await queries.invalidateQueries({ queryKey: ['account'] })
    await me.refetch()
  }
}

function ScanStep({ enrolment, onStep }: StepProps & { enrolment: Enrolment }) {
  const refresh = useRefresh()
  const confirm = useMutation({
    mutationFn: (code: string) =>
      api.request('POST', '/v1/auth/second-factor/confirm', { body: { code } }),
    onSuccess: async ({ recovery_codes: codes }) => {
      onStep({ name: 'codes', codes: codes ?? [] })
      await refresh()
    },
  })
  const { otpauth_uri: uri, secret } = enrolment
  return (
    <StepFrame
      lead="Scan the code with your authenticator app, or type the key. Then enter the code that the app shows."
      onStep={onStep}
    >
      {uri === null ? null : <QrCode text={uri} label="QR code for your authenticator app" />}
      {secret === null ? null : <CodeBlock label="Key" code={secret} wrap />}
      <AccountForm
        action="Turn on"
        busy={confirm.isPending}
        error={confirm.error}
        onSubmit={(value) => confirm.mutate(value('code').trim())}
      >
        <CodeField hint="Six digits from the app" />
      </AccountForm>
    </StepFrame>
  )
}

function CodesStep({ codes, onStep }: StepProps & { codes: readonly string[] }) {
  return (
    <div className="grid gap-4">
      <p className="text-sm">
        Keep these recovery codes in a safe place. Each signs you in once without the app. They are
        not shown again.
      </p>
      <CodeBlock label="Recovery codes" code={codes.join('\n')} />
      <div>
        <Button tone="primary" onClick={() => onStep({ name: 'overview' })}>
          I have saved them
        </Button>
      </div>
    </div>
  )
}

type Proof = { current_password: string; code: string }

function ProofForm(props: {
  action: string
  mutation: { isPending: boolean; error: unknown; mutate: (proof: Proof) => void }
}) {
  const { action, mutation } = props
  return (
    <AccountForm
      action={action}
      busy={mutation.isPending}
      error={mutation.error}
      onSubmit={(value) =>
        mutation.mutate({ current_password: value('current'), code: value('code').trim() })
      }
    >
      <CurrentPasswordField />
      <CodeField hint="From your authenticator app, or a recovery code" />
    </AccountForm>
  )
}

function ReplaceStep({ onStep }: StepProps) {
  const refresh = useRefresh()
  const replace = useMutation({
    mutationFn: (body: Proof) =>
      api.request('POST', '/v1/auth/second-factor/recovery-codes', { body }),
    onSuccess: async ({ recovery_codes: codes }) => {
      onStep({ name: 'codes', codes: codes ?? [] })
      await refresh()
    },
  })
  return (
    <StepFrame lead="The old recovery codes stop working." onStep={onStep}>
      <ProofForm action="Replace recovery codes" mutation={replace} />
    </StepFrame>
  )
}

function DisableStep({ onStep }: StepProps) {
  const refresh = useRefresh()
  const toast = useToast()
  const disable = useMutation({
    mutationFn: (body: Proof) => api.request('POST', '/v1/auth/second-factor/disable', { body }),
    onSuccess: async () => {
      toast('Second factor turned off')
      onStep({ name: 'overview' })
      await refresh()
    },
  })
  return (
    <StepFrame lead="Your password alone will be enough to sign in." onStep={onStep}>
      <ProofForm action="Turn off second factor" mutation={disable} />
    </StepFrame>
  )
}
