import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { DeploymentApproval } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { formatDelegators } from '../../approvals/format-delegators.ts'
import { RequiredApprovals } from '../../approvals/required-approvals.tsx'
import { useCommandButton } from '../../commands/page-commands.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { IconUserCheck } from '../../ui/icons.tsx'
import { TimeAgo } from '../../ui/time.tsx'

const asked = { include: ['approval' as const] }
const shows = ['getDeployment', 'listDeployments', 'listDeploymentApprovals'] as const

/** Shows the approvals that a release needs, those it has, and the decision. */
export const ApprovalPanel = ({ id }: { id: string }) => {
  const approval = useOperation('getDeployment', { params: { id }, query: asked }).data?.included?.approval
  const enforced = approval?.requirements.filter(({ mode }) => mode === 'ENFORCE') ?? []
  if (!approval || enforced.length === 0) return null
  return (
    <Alert color="orange" variant="light" icon={<IconUserCheck aria-hidden />} title={titleOf(approval)}>
      <Stack gap="sm" align="flex-start">
        {enforced.map((demand) => (
          <RequiredApprovals key={demand.ruleId} demand={demand} />
        ))}
        <Given id={id} />
        <Decide id={id} approval={approval} />
      </Stack>
    </Alert>
  )
}

/** Tells only members whose approval counts that it is their turn. */
function titleOf({ isPending, caller }: DeploymentApproval): string {
  if (!isPending) return 'Approved'
  if (caller.hasApproved) return 'You approved this release. It needs more approvals.'
  return caller.canDecide ? 'Waiting for your approval' : 'Waiting for approval by others'
}

const Given = ({ id }: { id: string }) => {
  const approvals = useOperation('listDeploymentApprovals', { params: { id } }).data?.data ?? []
  return approvals.map(({ id: approvalId, actor, onBehalfOf, comment, createdAt }) => (
    <Text key={approvalId} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {actor.name} approved it{formatDelegators(onBehalfOf)} <TimeAgo at={createdAt} />
      {comment !== undefined && `: ${comment}`}
    </Text>
  ))
}

const Decide = ({ id, approval: { caller, releaseDigest } }: { id: string; approval: DeploymentApproval }) => {
  const [comment, setComment] = useState('')
  const approving = useCommandButton('approve')
  // Approves exactly what this page shows.
  const call = () => {
    const data = { releaseDigest, ...(comment.trim() !== '' && { comment: comment.trim() }) }
    return { params: { id }, body: { data } }
  }
  const approve = useApiMutation(() => client.approveDeployment(call()), shows)
  const reject = useApiMutation(() => client.rejectDeployment(call()), shows)
  const withdraw = useApiMutation(() => client.withdrawDeploymentApproval({ params: { id } }), shows)
  if (!caller.canDecide && !caller.hasApproved) return <Text size="sm">{caller.reason}</Text>
  const mutationError = approve.error ?? reject.error ?? withdraw.error
  return (
    <>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      <Textarea
        label="Comment"
        description="Visible to everyone who can see the release."
        w="100%"
        maw={480}
        autosize
        minRows={1}
        maxLength={2000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Group gap="sm">
        {caller.hasApproved ? (
          <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate(undefined)}>
            Withdraw approval
          </Button>
        ) : (
          <Button ref={approving} loading={approve.isPending} onClick={() => approve.mutate(undefined)}>
            Approve
          </Button>
        )}
        {caller.canDecide && (
          <ConfirmButton
            variant="default"
            command="reject"
            label="Reject"
            question="Reject this release?"
            loading={reject.isPending}
            onConfirm={() => reject.mutate(undefined)}
          >
            The release is cancelled immediately. It shows your name and comment.
          </ConfirmButton>
        )}
      </Group>
    </>
  )
}
