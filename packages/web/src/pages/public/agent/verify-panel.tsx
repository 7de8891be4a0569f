import { useEffect, useState } from 'react'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { BUNDLE_STEPS } from '../../../verify/expected-steps.ts'
import { fetchBundle } from '../../../verify/fetch-evidence.ts'
import { useVerification } from '../../../verify/use-verification.ts'
import { VerificationView } from '../../../verify/verification-view.tsx'

/** Downloads the evidence and checks all of it here, where nobody can make it look better. */
export function VerifyPanel({ agentId }: { agentId: string }) {
  const { run, start } = useVerification()
  const busy = run.phase === 'fetching' || run.phase === 'checking'
  return (
    <Card
      title="Verify it yourself"
      note="Your browser fetches the evidence, checks every hash and signature, and computes the score again."
      actions={
        <Button tone="primary" busy={busy} onClick={() => void start(() => fetchBundle(agentId))}>
          {run.phase === 'done' ? 'Check again' : 'Check in this browser'}
        </Button>
      }
    >
      <VerificationView run={run} expected={BUNDLE_STEPS} />
      {run.phase === 'done' ? <SaveLink evidence={run.evidence} agentId={agentId} /> : null}
    </Card>
  )
}

/** The very bytes that were checked. */
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
        Save the bundle ({Math.ceil(evidence.size / 1024).toLocaleString('en')} KB)
      </a>
      <p className="min-w-0 flex-1 basis-60 text-xs text-ink-faint">
        This page and the keys came from the service, too. Who doubts it checks the saved bundle
        with the same code from a clone, and keys kept from an earlier day.
      </p>
    </div>
  )
}
