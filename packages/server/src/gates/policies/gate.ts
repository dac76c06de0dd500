import type { PolicyGuards } from '@sluice/contract'
import type { Moment } from '../evaluate.ts'
import type { Gate } from '../gate.ts'
import { evaluateExpressions } from './evaluate-expressions.ts'
import { evaluatePolicies } from './evaluation.ts'
import { approvalVerdicts, changedVerdicts, denyingVerdicts, mergeVerdicts, policyGate } from './machine.ts'
import { hasPolicies } from './store.ts'

export const policies: Gate = {
  name: 'POLICY',
  moments: ['REQUEST', 'START', 'TAKE_PLAN', 'VERSION'],
  exists: (organizationId, moment) => hasPolicies(organizationId, guardsAt(moment)),
  async load({ tx, organizationId }, { policy, scope }, now) {
    if (!policy) return { loaded: policyGate({ before: [], verdicts: [] }) }
    const { guards, isRollback, variables, before } = policy
    const evaluate = async (all: readonly string[]) => evaluateExpressions(guards, all, [await variables()])
    const question = { organizationId, guards, place: scope, isRollback, now, evaluate }
    const verdicts = mergeVerdicts(before, await evaluatePolicies(tx, question))
    const asksMore =
      denyingVerdicts(verdicts).length === 0 && approvalVerdicts(changedVerdicts(before, verdicts)).length > 0
    const approvals = asksMore ? await policy.approvals?.(verdicts) : undefined
    return {
      loaded: policyGate({ before, verdicts, approvals }),
      findings: { verdicts, ...(approvals && { approvals }) },
    }
  },
}

const guardsAt = (moment: Moment): PolicyGuards =>
  moment === 'VERSION' ? 'PIPELINE_VERSIONS' : moment === 'TAKE_PLAN' ? 'PLANS' : 'DEPLOYMENTS'
