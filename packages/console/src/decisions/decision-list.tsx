import { Stack, Text } from '@mantine/core'
import type { Decision } from '@sluice/contract'
import { TextLink } from '../ui/text-link.tsx'
import { TimeOfDay } from '../ui/time.tsx'
import { channelLabels, describeDecision } from './decision-labels.ts'

/** Lists decisions with the actor, channel and time, oldest first. */
const DecisionList = ({ decisions }: { decisions: readonly Decision[] }) => (
  <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
    {decisions.map((decision) => (
      <li key={decision.auditEventId}>
        <One decision={decision} />
      </li>
    ))}
  </Stack>
)

const One = ({ decision }: { decision: Decision }) => {
  const { kind, actor, channel, createdAt, reason, lifecycleStage, step, supersededById } = decision
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <Text span inherit fw={600}>
          {actor.name}
        </Text>{' '}
        {describeDecision(kind, step?.name)}
        {lifecycleStage && ` at ${lifecycleStage.toLowerCase().replaceAll('_', ' ')}`}
        {supersededById?.startsWith('dep_') && (
          <>
            {' with '}
            <TextLink to="/console/deployments/$id" params={{ id: supersededById }} underline="always">
              another deployment
            </TextLink>
          </>
        )}
        {supersededById?.startsWith('run_') && (
          <>
            {' with '}
            <TextLink to="/console/runs/$id" params={{ id: supersededById }} underline="always">
              another run
            </TextLink>
          </>
        )}
        {reason && `: ${reason}`}
      </Text>
      <Text size="xs" c="dimmed">
        {channel !== 'SERVICE' && `Via ${channelLabels[channel]} · `}
        <TimeOfDay at={createdAt} />
      </Text>
    </>
  )
}

export default DecisionList
