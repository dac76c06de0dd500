import { Stack, Text } from '@mantine/core'
import type { PipelineStepExecution } from '@sluice/contract'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { approvalQuestion } from './approval-question.ts'
import { Decision } from './decision.tsx'

/** Shows a step that waits for approval, with its question and buttons. */
export const ApprovalRow = ({ step }: { step: PipelineStepExecution }) => {
  const { message, requestedAt } = approvalQuestion(step)
  return (
    <Stack gap="xs" py="xs">
      <Stack gap={2} miw={0}>
        <TextLink to="/console/runs/$id" params={{ id: step.pipelineRunId }} search={{ step: step.stepId }} fw={600}>
          {step.stepName}
        </TextLink>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        {requestedAt && (
          <Text size="sm" c="dimmed">
            requested <TimeAgo at={requestedAt} />
          </Text>
        )}
      </Stack>
      <Decision step={step} />
    </Stack>
  )
}
