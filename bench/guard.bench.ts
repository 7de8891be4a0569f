import { localRows } from './guard-local.ts'
import { proxyRows } from './guard-proxy.ts'
import { report } from './report.ts'

report('guard', [...(await localRows()), ...(await proxyRows())])
