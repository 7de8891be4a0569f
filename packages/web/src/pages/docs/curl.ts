import type { Endpoint } from './api-document.ts'

/** A command that calls an operation; the reader replaces what is in capitals. */
export function curlOf({ method, path, operation }: Endpoint, origin: string): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())
  const hasBody = operation.requestBody?.content['application/json'] !== undefined
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(operation.security.length === 0 ? [] : ['-H "authorization: Bearer $TOUCHSTONE_API_KEY"']),
    ...(hasBody ? ['-H "content-type: application/json"', '-d @body.json'] : []),
  ]
  return [`curl -s '${origin}${address}'`, ...options].join(' \\\n  ')
}
