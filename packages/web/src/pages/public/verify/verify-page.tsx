import { useSearch } from '@tanstack/react-router'
import { type DragEvent, type FormEvent, useEffect, useId, useState } from 'react'
import { TextWithCodes } from '../../../names/text-with-codes.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Field, TextArea } from '../../../ui/field.tsx'
import { Page } from '../../../ui/page.tsx'
import { fetchKeys, fetchLinkedEvidence } from '../../../verify/fetch-evidence.ts'
import { useVerification } from '../../../verify/use-verification.ts'
import { VerificationView } from '../../../verify/verification-view.tsx'
import { describeVerifyLink } from '../../../verify/verify-link.ts'
import { KeysCard, readKeys } from './keys-card.tsx'

/** Verifies a file, pasted text or linked evidence in the browser. */
export function VerifyPage() {
  const link = useSearch({ from: '/site/verify' })
  const { run, start } = useVerification()
  const [savedKeys, setSavedKeys] = useState<File>()
  const [linkLabel, setLinkLabel] = useState(() => describeVerifyLink(link))
  const check = (evidence: Blob) => {
    setLinkLabel(undefined)
    void start(async () => ({
      evidence,
      keys: savedKeys === undefined ? await fetchKeys() : await readKeys(savedKeys),
    }))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per link
  useEffect(() => {
    if (describeVerifyLink(link) !== undefined) void start(() => fetchLinkedEvidence(link))
  }, [JSON.stringify(link)])
  return (
    <Page
      title="Verify"
      lead="Verify an evidence bundle, a certificate, or the receipt of a risk score or gateway decision. Verification runs in your browser; nothing is uploaded."
    >
      <div className="grid gap-5 lg:grid-cols-2 lg:items-start">
        <div className="grid gap-5">
          <EvidenceInput
            onEvidence={check}
            busy={run.phase === 'fetching' || run.phase === 'checking'}
          />
          <KeysCard savedKeys={savedKeys} onSavedKeys={setSavedKeys} />
        </div>
        <Card
          className={linkLabel === undefined ? '' : '-order-1 lg:order-none'}
          title={run.phase === 'idle' ? 'Supported evidence' : 'Result'}
          note={
            linkLabel === undefined ? undefined : (
              <TextWithCodes>{`${linkLabel}, fetched from this service`}</TextWithCodes>
            )
          }
        >
          {run.phase === 'idle' ? <SupportedEvidence /> : <VerificationView run={run} />}
        </Card>
      </div>
    </Page>
  )
}

function SupportedEvidence() {
  return (
    <ul className="grid gap-2.5 text-sm text-ink-soft">
      <li>
        <b className="text-ink">Evidence bundle</b>: the complete chain, Merkle tree, certificate
        and score of an agent, from GET /v1/reputation/…/bundle
      </li>
      <li>
        <b className="text-ink">Certificate</b>: the signed proof of one checkpoint, from GET
        /v1/checkpoints/…/certificate
      </li>
      <li>
        <b className="text-ink">Risk receipt</b>: a STARK proof that a risk score follows from the
        formula, from GET /v1/risk/proofs/…
      </li>
      <li>
        <b className="text-ink">Decision receipt</b>: the signed decision of the gateway about a
        tool call
      </li>
    </ul>
  )
}

function EvidenceInput({
  onEvidence,
  busy,
}: {
  onEvidence: (evidence: Blob) => void
  busy: boolean
}) {
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    const text = event.dataTransfer.getData('text')
    if (file !== undefined) onEvidence(file)
    else if (text !== '') onEvidence(new Blob([text]))
  }
  return (
    <Card title="Evidence">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the file input inside is the keyboard equivalent */}
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
        <FileField onEvidence={onEvidence} busy={busy} />
      </div>
      <PasteForm onEvidence={onEvidence} busy={busy} />
    </Card>
  )
}

type EvidenceInputProps = { onEvidence: (evidence: Blob) => void; busy: boolean }

function FileField({ onEvidence, busy }: EvidenceInputProps) {
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
          if (file !== undefined) onEvidence(file)
          event.target.value = ''
        }}
        className="max-w-full text-sm text-ink-soft file:mr-3 file:min-h-9 file:rounded-md file:border file:border-solid file:border-line file:bg-raised file:px-3 file:text-sm file:font-medium file:text-ink"
      />
    </>
  )
}

function PasteForm({ onEvidence, busy }: EvidenceInputProps) {
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onEvidence(new Blob([text.trim()]))
  }
  return (
    <form onSubmit={submit} className="mt-5 grid gap-3">
      <Field label="Or paste the evidence">
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
          Verify
        </Button>
      </div>
    </form>
  )
}
