import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'

type Outcome = { label: string; color: string }

/** Describes the effect of a policy decision; undefined if the policy allows it. */
export function policyOutcome({ verdict, effect, override }: PolicyVerdict): Outcome | undefined {
  if (verdict === 'ALLOWED') return undefined
  if (override) return { label: 'Overridden', color: 'orange' }
  return outcomes[effect]
}

const outcomes = {
  DENY: { label: 'Blocked', color: 'red' },
  REQUIRE_APPROVAL: { label: 'Requires approval', color: 'orange' },
  WARN: { label: 'Warning', color: 'gray' },
} as const satisfies Record<PolicyVerdict['effect'], Outcome>

/** Labels of policy effects. */
export const effectLabels = {
  DENY: 'Block',
  REQUIRE_APPROVAL: 'Require approval',
  WARN: 'Warn only',
} as const satisfies Record<PolicyVerdict['effect'], string>

/** Labels of what a policy applies to. */
export const guardLabels = {
  DEPLOYMENTS: 'Releases',
  PLANS: 'Plans',
  PIPELINE_VERSIONS: 'Pipeline versions',
} as const satisfies Record<PolicyGuards, string>
