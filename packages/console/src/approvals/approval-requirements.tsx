import { Stack, Text } from '@mantine/core'
import type { StepApproval } from '@sluice/contract'
import { TimeAgo } from '../ui/time.tsx'
import { formatDelegators } from './format-delegators.ts'
import { RequiredApprovals } from './required-approvals.tsx'

/** Shows what approval rules require for a step, and the approvals so far; nothing without rules. */
export const ApprovalRequirements = ({ approval: { requirements, approvals } }: { approval: StepApproval }) => {
  const enforced = requirements.filter(({ mode }) => mode === 'ENFORCE')
  if (enforced.length === 0) return null
  return (
    <Stack gap="xs">
      {enforced.map((demand) => (
        <RequiredApprovals key={demand.ruleId} demand={demand} />
      ))}
      {approvals.map(({ actor, onBehalfOf, comment, createdAt }) => (
        <Text key={actor.id} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {actor.name} approved it{formatDelegators(onBehalfOf)} <TimeAgo at={createdAt} />
          {comment !== undefined && `: ${comment}`}
        </Text>
      ))}
    </Stack>
  )
}
