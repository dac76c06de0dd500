import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'

type Outcome = { label: string; color: string }

/** What became of something because of a policy; undefined where the policy has nothing against it. */
export function outcomeOf({ verdict, effect, override }: PolicyVerdict): Outcome | undefined {
  if (verdict === 'ALLOWED') return undefined
  if (override) return { label: 'Let past', color: 'orange' }
  return outcomes[effect]
}

const outcomes = {
  DENY: { label: 'Stopped', color: 'red' },
  REQUIRE_APPROVAL: { label: 'Asks for approval', color: 'orange' },
  WARN: { label: 'Only warned', color: 'gray' },
} as const satisfies Record<PolicyVerdict['effect'], Outcome>

/** What people call what a policy does. */
export const effectLabels = {
  DENY: 'Refuses',
  REQUIRE_APPROVAL: 'Asks for approval',
  WARN: 'Stops nothing, only warns',
} as const satisfies Record<PolicyVerdict['effect'], string>

/** What people call the things that a policy may judge. */
export const guardLabels = {
  DEPLOYMENTS: 'Releases',
  PLANS: 'Plans, before they are applied',
  PIPELINE_VERSIONS: 'Versions of pipelines',
} as const satisfies Record<PolicyGuards, string>
