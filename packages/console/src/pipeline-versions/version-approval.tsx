import { Alert, Button, Stack, Text, Textarea } from '@mantine/core'
import type { PipelineVersionApproval } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { formatDelegators } from '../approvals/format-delegators.ts'
import { RequiredApprovals } from '../approvals/required-approvals.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconUserCheck } from '../ui/icons.tsx'
import { TimeAgo } from '../ui/time.tsx'

const asked = { include: ['approval' as const] }
const shows = ['getPipelineVersion', 'listPipelineVersions', 'listPipelineStepExecutions', 'getPipelineRun'] as const

type Props = { id: string; version: number }

/** Shows the approvals that policies require before a version runs, those given, and the decision. */
export const VersionApproval = ({ id, version }: Props) => {
  const approval = useOperation('getPipelineVersion', { params: { id }, query: asked }).data?.included?.approval
  if (!approval?.isPending) return null
  return (
    <Alert color="orange" variant="light" icon={<IconUserCheck aria-hidden />} title={titleOf(version, approval)}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">Runs of this version wait for enough approvals, then start automatically.</Text>
        {approval.requirements.map((demand) => (
          <RequiredApprovals key={demand.ruleId} demand={demand} author="the author" />
        ))}
        <ApprovalList approvals={approval.approvals} />
        <Decide id={id} caller={approval.caller} />
      </Stack>
    </Alert>
  )
}

/** Tells only members whose approval counts that it is their turn. */
function titleOf(version: number, { caller }: PipelineVersionApproval): string {
  if (caller.hasApproved) return `You approved version ${version}. It needs more approvals.`
  return `Version ${version} is waiting for ${caller.canDecide ? 'your approval' : 'approval by others'}`
}

/** Lists approvals with approver, time and comment. */
export const ApprovalList = ({ approvals }: Pick<PipelineVersionApproval, 'approvals'>) =>
  approvals.map(({ actor, onBehalfOf, comment, createdAt }) => (
    <Text key={actor.id} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {actor.name} approved it{formatDelegators(onBehalfOf)} <TimeAgo at={createdAt} />
      {comment !== undefined && `: ${comment}`}
    </Text>
  ))

const Decide = ({ id, caller }: { id: string } & Pick<PipelineVersionApproval, 'caller'>) => {
  const [comment, setComment] = useState('')
  const said = comment.trim()
  const body = said === '' ? {} : { data: { comment: said } }
  const approve = useApiMutation(() => client.approvePipelineVersion({ params: { id }, body }), shows)
  const withdraw = useApiMutation(() => client.withdrawPipelineVersionApproval({ params: { id } }), shows)
  if (!caller.canDecide && !caller.hasApproved) return <Text size="sm">{caller.reason}</Text>
  const mutationError = approve.error ?? withdraw.error
  return (
    <>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
      {caller.hasApproved ? (
        <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate(undefined)}>
          Withdraw approval
        </Button>
      ) : (
        <>
          <Textarea
            label="Comment"
            description="Visible to everyone with access to this pipeline."
            w="100%"
            maw={480}
            autosize
            minRows={1}
            maxLength={2000}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          <Button loading={approve.isPending} onClick={() => approve.mutate(undefined)}>
            Approve version
          </Button>
        </>
      )}
    </>
  )
}
