import { register } from 'node:module'

register('./without-flags-hooks.js', import.meta.url)
