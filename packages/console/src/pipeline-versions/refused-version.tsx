import { Stack } from '@mantine/core'
import type { UserFacingError } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { LetPastPolicy } from '../policies/let-past-policy.tsx'
import { stoppingPolicyIn } from '../policies/stop-of.ts'
import { ErrorPanel } from '../ui/error-panel.tsx'

type Props = { error: UserFacingError; pipeline: { id: string; name: string } }

/** Shows why a version was rejected, and lets permitted members override the policy. */
export const RefusedVersion = ({ error, pipeline }: Props) => {
  const policyId = stoppingPolicyIn(error)
  return (
    <Stack gap="xs" align="flex-start">
      <ErrorPanel error={error} />
      {policyId !== undefined && <WayPast policyId={policyId} pipeline={pipeline} />}
    </Stack>
  )
}

const WayPast = ({ policyId, pipeline }: { policyId: string; pipeline: Props['pipeline'] }) => {
  const policy = useOperation('getPolicy', { params: { id: policyId } }).data?.data
  return policy?.id === policyId && <LetPastPolicy policy={policy} pipeline={pipeline} />
}
