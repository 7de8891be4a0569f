// npm run check: the static checks and the fast test suite, to run before a commit.
import { assertNode, ensureInstalled } from './setup.mjs'
import { finish, staticSteps, vitestStep } from './steps.mjs'

assertNode()
ensureInstalled()
await finish([staticSteps(), [vitestStep('fast suite', ['--project', 'fast'])]])
