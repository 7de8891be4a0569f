// npm run check: everything quick that must hold before a commit.
import { assertNode, ensureInstalled } from './setup.mjs'
import { finish, staticSteps, vitestStep } from './steps.mjs'

assertNode()
ensureInstalled()
await finish([staticSteps(), [vitestStep('fast suite', ['--project', 'fast'])]])
