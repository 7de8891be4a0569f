import { useState } from 'react'
import { messageOf } from '../ui/states.tsx'
import type { Progress, Verification, VerifyRequest } from './verification.ts'

export type VerificationRun =
  | { phase: 'idle' }
  | { phase: 'fetching' }
  | { phase: 'checking'; progress?: Progress }
  | { phase: 'done'; verification: Verification; evidence: Blob }
  /** No result: the evidence could not be fetched or recognised. */
  | { phase: 'failed'; reason: string }

/** The state of one verification run; a new run replaces the previous one. */
export function useVerification() {
  const [run, setRun] = useState<VerificationRun>({ phase: 'idle' })
  const start = async (load: () => Promise<VerifyRequest>): Promise<void> => {
    setRun({ phase: 'fetching' })
    try {
      const request = await load()
      setRun({ phase: 'checking' })
      const { runVerification } = await import('./run-verification.ts')
      const verification = await runVerification(request, (progress) =>
        setRun({ phase: 'checking', progress }),
      )
      setRun({ phase: 'done', verification, evidence: request.evidence })
    } catch (err) {
      setRun({ phase: 'failed', reason: messageOf(err) })
    }
  }
  return { run, start }
}
