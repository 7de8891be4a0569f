import type { VerifyMessage, VerifyRequest } from './verification.ts'
import { verifyEvidence } from './verify-evidence.ts'

const post = (message: VerifyMessage) => postMessage(message)

addEventListener('message', (event: MessageEvent<VerifyRequest>) => {
  verifyEvidence(event.data, (progress) => post({ progress })).then(
    (verification) => post({ verification }),
    (err: unknown) => post({ failure: err instanceof Error ? err.message : String(err) }),
  )
})
