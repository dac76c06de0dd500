import { Stack } from '@mantine/core'
import type { UserFacingError } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { blockingPolicyIn } from '../policies/blocking-policy.ts'
import { OverridePolicyButton } from '../policies/override-policy-button.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'

type Props = { error: UserFacingError; pipeline: { id: string; name: string } }

/** Shows why a version was rejected, and lets permitted members override the policy. */
export const RejectedVersion = ({ error, pipeline }: Props) => {
  const policyId = blockingPolicyIn(error)
  return (
    <Stack gap="xs" align="flex-start">
      <ErrorPanel error={error} />
      {policyId !== undefined && <OverridePolicy policyId={policyId} pipeline={pipeline} />}
    </Stack>
  )
}

const OverridePolicy = ({ policyId, pipeline }: { policyId: string; pipeline: Props['pipeline'] }) => {
  const policy = useOperation('getPolicy', { params: { id: policyId } }).data?.data
  return policy?.id === policyId && <OverridePolicyButton policy={policy} pipeline={pipeline} />
}
