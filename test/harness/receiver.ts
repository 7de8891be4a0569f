import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { listen } from './listen.ts'

/**
 * A certificate authority that only tests trust, and a certificate of it for receiver.test and
 * localhost.
 */
export const TEST_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBezCCASGgAwIBAgIBATAKBggqhkjOPQQDAjAkMSIwIAYDVQQDDBlUb3VjaHN0
b25lIHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
MDAwWjAkMSIwIAYDVQQDDBlUb3VjaHN0b25lIHRlc3QgYXV0aG9yaXR5MFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAEEW5gZGr/VUOXVNGEMMI0HV4v4xAYD/x2S7xX
MU/ascczxacQBcTo5i5kseYbvK1UlfFnN3NyWPl77IDEr1bNMKNCMEAwDwYDVR0T
AQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFJZ6jgoIZDYMCexk
0/F+PjZGeuCQMAoGCCqGSM49BAMCA0gAMEUCIQCRFMI6PVuEwaK0lfA4jmcRhIsP
R1k3ZzPqjz0vcTxieAIgJOMaMlJESPda5VDLTwJ92D2rf+0KiwWy2Pv33nsYfJA=
-----END CERTIFICATE-----`
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBpDCCAUugAwIBAgIBAjAKBggqhkjOPQQDAjAkMSIwIAYDVQQDDBlUb3VjaHN0
b25lIHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAw
MDAwWjAYMRYwFAYDVQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAEzime4WEezkTI983CzM2BwIknyTzIeyx1QMjS7BuLc9gV5+ClCgQ7
60bLWr36Pl0fRDsTf3wShdnJHImmG4+PC6N4MHYwCQYDVR0TBAIwADApBgNVHREE
IjAggg1yZWNlaXZlci50ZXN0gglsb2NhbGhvc3SHBH8AAAEwHQYDVR0OBBYEFDrV
wFjsOiYI68/ardf1siLvmwkJMB8GA1UdIwQYMBaAFJZ6jgoIZDYMCexk0/F+PjZG
euCQMAoGCCqGSM49BAMCA0cAMEQCIEeRih2hbh1VEVoPG9ebM7pW73YzjphkGw+Y
u9OfU/jCAiBCQAMNL8lWXk9BEahahU03nGTLRSpVD+FlpxBLZRQ3Jw==
-----END CERTIFICATE-----`
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvt3YubOHhq6oGfDo
Ofof4Fi+PlSLX3sVSdL75u1AjTyhRANCAATOKZ7hYR7ORMj3zcLMzYHAiSfJPMh7
LHVAyNLsG4tz2BXn4KUKBDvrRstavfo+XR9EOxN/fBKF2ckciaYbj48L
-----END PRIVATE KEY-----`

export type Received = { headers: IncomingHttpHeaders; body: string }

/** How a receiver answers its nth request, counted from 1. */
export type Responder = (res: ServerResponse, nth: number) => void

export type Receiver = {
  url: string
  port: number
  received: readonly Received[]
  /** Changes the response, from the next request on. */
  answer(respond: Responder): void
  /** The highest number of concurrent requests. */
  concurrentMax(): number
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (res) =>
    void res.writeHead(status, headers).end('thanks')

/** Starts a local web server that records its requests. */
export async function startReceiver(
  first: Responder = answerWith(200),
  options: { tls?: boolean } = {},
): Promise<Receiver> {
  const received: Received[] = []
  let respond = first
  let open = 0
  let most = 0
  const listener = async (req: IncomingMessage, res: ServerResponse) => {
    open += 1
    most = Math.max(most, open)
    res.once('close', () => {
      open -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    received.push({ headers: req.headers, body: Buffer.concat(chunks).toString() })
    respond(res, received.length)
  }
  const handle = (req: IncomingMessage, res: ServerResponse) =>
    void listener(req, res).catch(() => res.destroy())
  const server =
    options.tls === true
      ? createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, handle)
      : createServer(handle)
  const port = await listen(server)
  return {
    url: `${options.tls === true ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: (next) => {
      respond = next
    },
    concurrentMax: () => most,
  }
}
