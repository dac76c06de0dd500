import type { DeploymentCheckGate, Permission } from '@sluice/contract'
import type { Blocker, GateName } from '../../gates/evaluate.ts'
import { present } from '../../platform/present.ts'

/** Permission that lifts each type of gate, and who has it. */
const lifting: Record<GateName, { permission: Permission; liftedBy: string }> = {
  HOLD: { permission: 'holds:write', liftedBy: 'A user with the permission holds:write can lift the hold.' },
  FREEZE: {
    permission: 'freezes:override',
    liftedBy: 'A user with the permission freezes:override, such as an admin or an owner, can override the freeze.',
  },
  APPROVAL_RULE: {
    permission: 'approvals:write',
    liftedBy: 'Those whom the rule asks can approve the deployment. They need the permission approvals:write.',
  },
  POLICY: {
    permission: 'policies:override',
    liftedBy: 'A user with the permission policies:override, such as an admin or an owner, can override the policy.',
  },
}

const effects = {
  wait: 'WAIT',
  requireApproval: 'REQUIRE_APPROVAL',
  deny: 'REJECT',
  cancel: 'REJECT',
} as const satisfies Record<Blocker['decision'], DeploymentCheckGate['effect']>

/** Returns the API representation of a gate that blocks a deployment. */
export const representGate = (blocker: Blocker): DeploymentCheckGate =>
  present({
    gate: blocker.gate,
    effect: effects[blocker.decision],
    message: blocker.message,
    ...lifting[blocker.gate],
    until: 'until' in blocker ? blocker.until?.toISOString() : undefined,
  })
