import { useEffect, useState } from 'react'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { BUNDLE_STEPS } from '../../../verify/expected-steps.ts'
import { fetchBundle } from '../../../verify/fetch-evidence.ts'
import { useVerification } from '../../../verify/use-verification.ts'
import { VerificationView } from '../../../verify/verification-view.tsx'

/** Downloads the evidence bundle and verifies it in the browser, independently of the service. */
export function VerifyPanel({ agentId }: { agentId: string }) {
  const { run, start } = useVerification()
  const busy = run.phase === 'fetching' || run.phase === 'checking'
  return (
    <Card
      title="Verify it yourself"
      note="Your browser downloads the evidence, checks every hash and signature, and recomputes the score."
      actions={
        <Button tone="primary" busy={busy} onClick={() => void start(() => fetchBundle(agentId))}>
          {run.phase === 'done' ? 'Verify again' : 'Verify in this browser'}
        </Button>
      }
    >
      <VerificationView run={run} expected={BUNDLE_STEPS} />
      {run.phase === 'done' ? <SaveLink evidence={run.evidence} agentId={agentId} /> : null}
    </Card>
  )
}

/** Saves exactly the bytes that were verified. */
function SaveLink({ evidence, agentId }: { evidence: Blob; agentId: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const objectUrl = URL.createObjectURL(evidence)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [evidence])
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <a href={url} download={`${agentId}.bundle.ndjson`} className={buttonClass()}>
        Download bundle ({Math.ceil(evidence.size / 1024).toLocaleString('en')} KB)
      </a>
      <p className="min-w-0 flex-1 basis-60 text-xs text-ink-faint">
        This page and the keys come from the same service. For an independent check, verify the
        downloaded bundle with the code from a clone and with keys you saved earlier.
      </p>
    </div>
  )
}
