import { register } from 'node:module'

register('./without-log-hooks.js', import.meta.url)
