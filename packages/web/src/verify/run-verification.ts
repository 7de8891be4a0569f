import type { Progress, Verification, VerifyMessage, VerifyRequest } from './verification.ts'

/**
 * Verifies in a dedicated worker so that the page stays responsive; terminates the worker
 * afterwards.
 */
export function runVerification(
  request: VerifyRequest,
  onProgress: (progress: Progress) => void,
): Promise<Verification> {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' })
  const answer = new Promise<Verification>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<VerifyMessage>) => {
      if ('progress' in data) onProgress(data.progress)
      else if ('verification' in data) resolve(data.verification)
      else reject(new Error(data.failure))
    }
    worker.onerror = () => reject(new Error('The verifier could not be loaded.'))
  })
  worker.postMessage(request)
  return answer.finally(() => worker.terminate())
}
