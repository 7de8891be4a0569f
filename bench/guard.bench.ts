import { proxyRows } from './guard-proxy.ts'
import { report } from './report.ts'

report('guard', await proxyRows())
