import { Stack, Text } from '@mantine/core'
import type { StepApproval } from '@sluice/contract'
import { TimeAgo } from '../ui/time.tsx'
import { forOthers } from './in-place-of.ts'
import { Wanted } from './wanted.tsx'

/** Shows what approval rules require for a step, and the approvals so far; nothing without rules. */
export const Demands = ({ approval: { demands, approvals } }: { approval: StepApproval }) => {
  const enforced = demands.filter(({ mode }) => mode === 'ENFORCE')
  if (enforced.length === 0) return null
  return (
    <Stack gap="xs">
      {enforced.map((demand) => (
        <Wanted key={demand.ruleId} demand={demand} />
      ))}
      {approvals.map(({ actor, inPlaceOf, comment, createdAt }) => (
        <Text key={actor.id} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {actor.name} approved it{forOthers(inPlaceOf)} <TimeAgo at={createdAt} />
          {comment !== undefined && `: ${comment}`}
        </Text>
      ))}
    </Stack>
  )
}
