import { httpRows } from './guard-http.ts'
import { localRows } from './guard-local.ts'
import { proxyRows } from './guard-proxy.ts'
import { pythonRows } from './guard-python.ts'
import { report } from './report.ts'

report('guard', [
  ...(await localRows()),
  ...(await proxyRows()),
  ...(await httpRows()),
  ...(await pythonRows()),
])
