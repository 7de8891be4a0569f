import { fleetCoherenceRow } from './fleet-coherence.ts'
import { report } from './report.ts'
import { credentialsIn, dataFolder, startService } from './service.ts'

const PORT = 8941

const folder = dataFolder()
const service = await startService(folder.dir, PORT)
const { api_key: key, org_id: orgId } = credentialsIn(folder.dir)
const headers = { authorization: `Bearer ${key}` }
const row = await fleetCoherenceRow({ url: `http://127.0.0.1:${PORT}`, orgId, headers })
await service.stop()
folder.remove()
report('coherence', [row])
if (row.ours > row.peer) process.exitCode = 1
