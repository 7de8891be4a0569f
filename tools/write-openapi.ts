import { writeFile } from 'node:fs/promises'
import { describeService } from '@touchstone/server/describe'

/** Writes docs/api/openapi.json from the routes; a test compares it with them. */
const document = await describeService()
await writeFile('docs/api/openapi.json', `${JSON.stringify(document, null, 2)}\n`)
process.stdout.write('docs/api/openapi.json written\n')
