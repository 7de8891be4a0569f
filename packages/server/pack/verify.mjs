// node verify.mjs [--policy FILE | --vkey VKEY] [FOLDER]
//
// Verifies an evidence pack with nothing but Node: that the entries in it are an unbroken part of the log
// that was signed and witnessed, that every entry of the organisation in the period is opened by a record,
// and that no record was changed. Like the other verifiers it shares no code with the service.
//
// Exit codes: 0 complete, 1 not complete or changed, 2 wrong usage.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { readCheckpoint } from './verify/checkpoint.mjs'
import {
  at,
  countFaults,
  fault,
  faults,
  parse,
  plural,
  readText,
  records,
  stop,
} from './verify/common.mjs'
import { counts, opened, readRecords } from './verify/records.mjs'
import { readEntries, readProofs } from './verify/tree.mjs'

async function hashFile(name) {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(at(name))) hash.update(chunk)
  return hash.digest('hex')
}

async function checkFiles({ files }) {
  for (const { name, sha256: expected } of files) {
    if (!existsSync(at(name))) fault(`${name} is missing`)
    else if ((await hashFile(name)) !== expected) {
      fault(`${name} is not the file that manifest.json lists`)
    }
  }
}

const manifest = parse(readText(at('manifest.json')))
if (manifest?.format !== 'touchstone.evidence-pack' || manifest.version !== 1) {
  stop('manifest.json: not an evidence pack of version 1')
}
const checkpoint = readCheckpoint()
const { own, count } = await readEntries(manifest, checkpoint)
const proven = await readProofs(checkpoint, own)
await readRecords({ own, proven })
await checkFiles(manifest)

const unopened = new Set()
for await (const { value } of records('unopened.ndjson')) unopened.add(value.index)
for (const [index, { type, at: time }] of own) {
  if (opened.has(index)) continue
  const reason = unopened.has(index)
    ? 'cannot be opened: the pack says that its record was erased or deleted'
    : 'is opened by no record'
  fault(`entry ${index} (${type}, ${time}) ${reason}`)
}

const witnesses = checkpoint.cosigners.size
console.log(`organisation ${manifest.org_id}, from ${manifest.from} until ${manifest.to}`)
console.log(
  `log ${checkpoint.origin}, size ${checkpoint.size}, cosigned by ${plural(witnesses, 'witness', 'witnesses')}`,
)
console.log(`${plural(count, 'entry', 'entries')} of the log, ${own.size} of the organisation`)
for (const [name, number] of Object.entries(counts)) console.log(`  ${name.padEnd(18)} ${number}`)
for (const [month, tag] of Object.entries(manifest.tags)) {
  const isSeen = [...own.values()].some(({ org }) => org === tag)
  if (!isSeen)
    console.log(`${month}: no entry has the tag ${tag}, so nothing shows that it is the right one.`)
}
for (const text of faults) console.log(`MISSING OR WRONG: ${text}`)
if (countFaults() > faults.length) console.log(`and ${countFaults() - faults.length} more`)
const isComplete = countFaults() === 0
console.log(
  isComplete
    ? 'complete: every logged entry of the organisation in the period is in this pack, unchanged'
    : `not complete: ${plural(countFaults(), 'fault')}`,
)
process.exitCode = isComplete ? 0 : 1
