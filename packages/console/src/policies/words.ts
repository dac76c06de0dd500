import type { PolicyGuards, PolicyVerdict } from '@sluice/contract'

type Outcome = { label: string; color: string }

/** What became of something because of a policy; undefined where the policy has nothing against it. */
export function outcomeOf({ verdict, effect, override }: PolicyVerdict): Outcome | undefined {
  if (verdict === 'ALLOWED') return undefined
  if (override) return { label: 'Let past', color: 'orange' }
  return effect === 'WARN' ? { label: 'Only warned', color: 'gray' } : { label: 'Stopped', color: 'red' }
}

/** What people call the things that a policy may judge. */
export const guardLabels = {
  DEPLOYMENTS: 'Releases',
  PLANS: 'Plans, before they are applied',
  PIPELINE_VERSIONS: 'Versions of pipelines',
} as const satisfies Record<PolicyGuards, string>
