import type { PolicyGuards } from '@sluice/contract'
import type { Db } from '../platform/db/open.ts'
import { type Domain, extensionPoint, operationParts } from '../platform/domain.ts'
import type { Message } from '../platform/engine/messages.ts'
import { serveApprovalDelegations } from './approval-delegations/routes.ts'
import { serveApprovalRules } from './approval-rules/routes.ts'
import { serveFreezes } from './freezes/routes.ts'
import { serveHolds } from './holds/routes.ts'

import { servePolicies } from './policies/routes.ts'
import type { LoadPastSubjects } from './policy-subjects.ts'
import type { ReconcileDeployments } from './reconcile.ts'
import { gateRecords } from './records.ts'

type Reconcile = (tx: Db, organizationId: string, now: Date) => Promise<Message[]>
type HoldPipeline = (tx: Db, organizationId: string, id: string) => Promise<{ projectId: string } | undefined>
type Past = Record<PolicyGuards, LoadPastSubjects>

export const deploymentReconciliation = extensionPoint<ReconcileDeployments>('reconciliation of queued deployments')
export const runReconciliation = extensionPoint<Reconcile>('reconciliation of runs that a freeze blocks')
export const stepReconciliation = extensionPoint<Reconcile>('reconciliation of steps that wait for approval')
/** Locks a pipeline that a policy names. */
export const pipelineLock = extensionPoint<HoldPipeline>('lock of a pipeline')
/** What was done before, by what a policy guards: a new policy is tried on it. */
export const pastSubjects = extensionPoint<Partial<Past>>('past subjects of policies')

export const gates: Domain = {
  records: gateRecords,
  serve(app, platform) {
    const parts = {
      ...operationParts(platform),
      reconcileDeployments: deploymentReconciliation.one(platform),
      reconcileRuns: runReconciliation.one(platform),
      rejudgeSteps: stepReconciliation.one(platform),
      holdPipeline: pipelineLock.one(platform),
      past: Object.assign({}, ...pastSubjects.all(platform)) as Past,
    }
    serveFreezes(app, parts)
    serveHolds(app, parts)
    serveApprovalRules(app, parts)
    serveApprovalDelegations(app, parts)
    servePolicies(app, parts)
  },
}
