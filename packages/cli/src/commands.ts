import type { Command } from './command.ts'
import { a2aCard } from './commands/a2a.ts'
import { accountsResetSecondFactor } from './commands/accounts.ts'
import {
  agentsArchive,
  agentsKey,
  agentsList,
  agentsRegister,
  agentsShow,
} from './commands/agents.ts'
import {
  approvalsApprove,
  approvalsList,
  approvalsReject,
  approvalsShow,
} from './commands/approvals.ts'
import { backup } from './commands/backup.ts'
import { chainDeploy } from './commands/chain.ts'
import { checkpointsSend } from './commands/checkpoints.ts'
import { completionCommand } from './commands/completion.ts'
import { connect, connectTest, disconnectCommand, hook } from './commands/connect.ts'
import {
  connectionsCreate,
  connectionsList,
  connectionsRevoke,
  connectionsRotate,
  connectionsShow,
} from './commands/connections.ts'
import { databaseMigrate } from './commands/database.ts'
import { decisionsList, decisionsShow } from './commands/decisions.ts'
import { decisionsExport } from './commands/decisions-export.ts'
import { decisionsStats } from './commands/decisions-stats.ts'
import { decisionsTail } from './commands/decisions-tail.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { exportRecords } from './commands/export.ts'
import { gateway } from './commands/gateway.ts'
import { guard } from './commands/guard.ts'
import { keys } from './commands/keys.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { mcp } from './commands/mcp.ts'
import { monitor } from './commands/monitor.ts'
import { packCreate, packDownload, packList } from './commands/pack.ts'
import { policyApply, policyTest, policyValidate } from './commands/policy.ts'
import { policyImpact } from './commands/policy-impact.ts'
import { policyInit } from './commands/policy-init.ts'
import { policyLearn } from './commands/policy-learn.ts'
import { reclassify } from './commands/reclassify.ts'
import { restore } from './commands/restore.ts'
import { score } from './commands/score.ts'
import { serve } from './commands/serve.ts'
import { stop } from './commands/stop.ts'
import {
  verifyBundleCommand,
  verifyCertificateCommand,
  verifyReceiptCommand,
} from './commands/verify.ts'
import { verifyOnChain } from './commands/verify-on-chain.ts'
import { webhooksListen } from './commands/webhooks.ts'
import { witness } from './commands/witness.ts'

/** All commands. Parsing, help and completion are derived from this table. */
export const COMMANDS: readonly Command[] = [
  serve,
  stop,
  gateway,
  demo,
  login,
  logout,
  agentsList,
  agentsRegister,
  agentsKey,
  agentsShow,
  agentsArchive,
  connectionsList,
  connectionsCreate,
  connectionsShow,
  connectionsRotate,
  connectionsRevoke,
  checkpointsSend,
  score,
  decisionsList,
  decisionsShow,
  decisionsTail,
  decisionsExport,
  decisionsStats,
  approvalsList,
  approvalsShow,
  approvalsApprove,
  approvalsReject,
  keys,
  verifyCertificateCommand,
  verifyBundleCommand,
  verifyReceiptCommand,
  verifyOnChain,
  monitor,
  witness,
  packCreate,
  packList,
  packDownload,
  policyInit,
  policyValidate,
  policyTest,
  policyImpact,
  policyLearn,
  policyApply,
  reclassify,
  exportRecords,
  webhooksListen,
  a2aCard,
  chainDeploy,
  accountsResetSecondFactor,
  databaseMigrate,
  backup,
  restore,
  doctor,
  mcp,
  guard,
  connectTest,
  connect,
  disconnectCommand,
  hook,
  completionCommand(() => COMMANDS),
]
