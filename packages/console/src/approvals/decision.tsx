import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { ApprovalSubject, PipelineStepExecution, StepApproval } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { PermissionScopeContext } from '../api/scope.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconCheck, IconX } from '../ui/icons.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { ApprovalFacts } from './approval-facts.tsx'
import { ApprovalRequirements } from './approval-requirements.tsx'

const permission = 'approvals:write'
const shows = [
  'listPipelineStepExecutions',
  'getPipelineStepExecution',
  'getPipelineRun',
  'listPipelineRuns',
  'listIacPlans',
] as const

/** Shows what a step affects together with the decision, so that no one decides without seeing the facts. */
export const Decision = ({ step }: { step: PipelineStepExecution }) => {
  const { id } = step
  const query = { include: ['subject' as const, 'approval' as const] }
  const asked = useOperation('getPipelineStepExecution', { params: { id }, query })
  return (
    <PermissionScopeContext value={{ stepExecutionId: id }}>
      <QueryResult of={asked} lines={2}>
        {({ included }) =>
          included?.subject &&
          included.approval && (
            <Stack gap="sm">
              <ApprovalFacts subject={included.subject} />
              <ApprovalRequirements approval={included.approval} />
              <Decide step={step} subject={included.subject} approval={included.approval} />
            </Stack>
          )
        }
      </QueryResult>
    </PermissionScopeContext>
  )
}

type Props = { step: PipelineStepExecution; subject: ApprovalSubject; approval: StepApproval }

/** Shows the buttons, or why the caller can't decide. */
const Decide = ({ step: { id, stepName }, subject: { isApprover }, approval: { caller } }: Props) => {
  const { isAllowed } = usePermission(permission)
  const [typed, setComment] = useState('')
  const comment = typed.trim()
  const decision = { params: { id }, body: comment === '' ? {} : { data: { comment } } }
  const approve = useApiMutation(() => client.approvePipelineStepExecution(decision), shows)
  const reject = useApiMutation(() => client.rejectPipelineStepExecution(decision), shows)
  const withdraw = useApiMutation(() => client.withdrawPipelineStepApproval({ params: { id } }), shows)
  const mutationError = approve.error ?? reject.error ?? withdraw.error
  if (!isApprover)
    return <Text size="sm">Only the approvers that this step names can decide, and you’re not one of them.</Text>
  if (caller.hasApproved)
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">You approved this step. It needs more approvals.</Text>
        <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate(undefined)}>
          Withdraw approval
        </Button>
        {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      </Stack>
    )
  // Without the permission, the buttons show the reason.
  if (isAllowed && !caller.canDecide) return <Text size="sm">{caller.reason}</Text>
  return (
    <Stack gap="xs">
      {isAllowed && (
        <Textarea
          aria-label={`Comment on “${stepName}”`}
          placeholder="Comment, visible to everyone who can see the run"
          maw={480}
          rows={1}
          autosize
          maxLength={10_000}
          value={typed}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
      )}
      <Group gap="xs">
        <PermissionButton
          permission={permission}
          command="approve"
          leftSection={<IconCheck size={16} aria-hidden />}
          loading={approve.isPending}
          disabled={reject.isPending}
          onClick={() => approve.mutate(undefined)}
        >
          Approve
        </PermissionButton>
        <ConfirmButton
          permission={permission}
          command="reject"
          variant="default"
          leftSection={<IconX size={16} aria-hidden />}
          loading={reject.isPending}
          disabled={approve.isPending}
          label="Reject"
          question={`Reject “${stepName}”?`}
          onConfirm={() => reject.mutate(undefined)}
        >
          This step fails, and so do the steps that depend on it. Its plan is never applied.
        </ConfirmButton>
      </Group>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
    </Stack>
  )
}
