import { Alert, Stack, Text } from '@mantine/core'
import type { PipelineStepExecution } from '@sluice/contract'
import { approvalDecision, approvalQuestion } from '../approvals/approval-question.ts'
import { Decision } from '../approvals/decision.tsx'
import { channelLabels } from '../decisions/decision-labels.ts'
import { IconPlayerPause } from '../ui/icons.tsx'
import { duration, TimeAgo, useNow } from '../ui/time.tsx'

/** Shows the approval that a step needs, or who approved it. For a rejected step, the error says who. */
export const ApprovalPanel = ({ step }: { step: PipelineStepExecution }) => {
  if (step.status === 'PENDING_APPROVAL') return <Asking step={step} />
  const decision = approvalDecision(step)
  if (!decision?.approved) return null
  const { by, at, comment, channel } = decision
  return (
    <Text size="sm">
      Approved by {by} {channel && `(${channelLabels[channel]}) `}
      <TimeAgo at={at} />
      {comment && `: ${comment}`}
    </Text>
  )
}

const Asking = ({ step }: { step: PipelineStepExecution }) => {
  const now = useNow()
  const { message, expiresAt, onTimeout, approvers } = approvalQuestion(step)
  return (
    <Alert color="orange" variant="light" icon={<IconPlayerPause aria-hidden />} title={message}>
      <Stack gap="sm">
        {approvers && (
          <Text size="sm">Approvers: {new Intl.ListFormat('en', { type: 'disjunction' }).format(approvers)}.</Text>
        )}
        {expiresAt && (
          <Text size="sm">
            Without a decision, the step {onTimeout === 'approve' ? 'is approved' : 'fails'} in{' '}
            {duration(Date.parse(expiresAt) - now)}.
          </Text>
        )}
        <Decision step={step} />
      </Stack>
    </Alert>
  )
}
