import { useSearch } from '@tanstack/react-router'
import { type DragEvent, type FormEvent, useEffect, useId, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Field, TextArea } from '../../../ui/field.tsx'
import { Page } from '../../../ui/page.tsx'
import { wordsFor } from '../../../verify/handed.ts'
import { fetchHanded, fetchKeys } from '../../../verify/handed-evidence.ts'
import { RunView } from '../../../verify/run-view.tsx'
import { useVerification } from '../../../verify/use-verification.ts'
import { KeysCard, readKeys } from './keys-card.tsx'

/** Takes whatever of ours somebody kept, or a link names, says what it is, and checks it here. */
export function VerifyPage() {
  const handed = useSearch({ from: '/site/verify' })
  const { run, start } = useVerification()
  const [kept, setKept] = useState<File>()
  const [given, setGiven] = useState(() => wordsFor(handed))
  const check = (evidence: Blob) => {
    setGiven(undefined)
    void start(async () => ({
      evidence,
      keys: kept === undefined ? await fetchKeys() : await readKeys(kept),
    }))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
  useEffect(() => {
    if (wordsFor(handed) !== undefined) void start(() => fetchHanded(handed))
  }, [JSON.stringify(handed)])
  return (
    <Page
      title="Verify"
      lead="Give it a file you kept: an evidence bundle, a certificate, the receipt of a risk score or of a gateway decision. It is checked in this browser and sent nowhere."
    >
      <div className="grid gap-5 lg:grid-cols-2 lg:items-start">
        <div className="grid gap-5">
          <Intake onGiven={check} busy={run.phase === 'fetching' || run.phase === 'checking'} />
          <KeysCard kept={kept} onKept={setKept} />
        </div>
        <Card
          className={given === undefined ? '' : '-order-1 lg:order-none'}
          title={run.phase === 'idle' ? 'What can be checked' : 'Result'}
          note={given === undefined ? undefined : `${given}, as the service gives it now.`}
        >
          {run.phase === 'idle' ? <Nothing /> : <RunView run={run} />}
        </Card>
      </div>
    </Page>
  )
}

function Nothing() {
  return (
    <ul className="grid gap-2.5 text-sm text-ink-soft">
      <li>
        <b className="text-ink">Bundle</b> of an agent: its whole chain, tree, certificate and
        score, from GET /v1/reputation/…/bundle.
      </li>
      <li>
        <b className="text-ink">Certificate</b> of a checkpoint: one decision, from GET
        /v1/checkpoints/…/certificate.
      </li>
      <li>
        <b className="text-ink">Risk receipt</b>: a STARK proof that a risk score follows from the
        formula, from GET /v1/risk/proofs/…
      </li>
      <li>
        <b className="text-ink">Decision receipt</b>: what the gateway answered about a call.
      </li>
    </ul>
  )
}

function Intake({ onGiven, busy }: { onGiven: (evidence: Blob) => void; busy: boolean }) {
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    const text = event.dataTransfer.getData('text')
    if (file !== undefined) onGiven(file)
    else if (text !== '') onGiven(new Blob([text]))
  }
  return (
    <Card title="Evidence">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the file field in it does the same by keyboard */}
      <div
        onDrop={drop}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        className={classNames(
          'grid justify-items-center gap-3 rounded-md border border-dashed px-4 py-7 text-center',
          over ? 'border-accent bg-accent-wash' : 'border-line-strong',
        )}
      >
        <p className="text-ink-soft">Drop a file here, or</p>
        <FileField onGiven={onGiven} busy={busy} />
      </div>
      <PasteForm onGiven={onGiven} busy={busy} />
    </Card>
  )
}

type IntakeProps = { onGiven: (evidence: Blob) => void; busy: boolean }

function FileField({ onGiven, busy }: IntakeProps) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Choose a file
      </label>
      <input
        id={id}
        type="file"
        accept=".json,.ndjson,.jsonl,.txt,application/json"
        disabled={busy}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file !== undefined) onGiven(file)
          event.target.value = ''
        }}
        className="max-w-full text-sm text-ink-soft file:mr-3 file:min-h-9 file:rounded-md file:border file:border-solid file:border-line file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink"
      />
    </>
  )
}

function PasteForm({ onGiven, busy }: IntakeProps) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onGiven(new Blob([text.trim()]))
  }
  return (
    <form onSubmit={submit} className="mt-5 grid gap-3">
      <Field label="Or paste it">
        {(control) => (
          <TextArea
            {...control}
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            rows={7}
            placeholder='{"type": "IntegrityCertificate", …'
            className="font-mono text-xs"
          />
        )}
      </Field>
      <div>
        <Button type="submit" tone="primary" busy={busy}>
          Check it
        </Button>
      </div>
    </form>
  )
}
