import { Group } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { isDeploymentOver, pendingPause } from '@sluice/contract/states'
import { useFreezeRejection } from '../freezes/freeze-note.tsx'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { IconArrowBackUp, IconBan, IconRefresh } from '../ui/icons.tsx'
import type { Decisions } from './use-decisions.ts'
import { useRollback } from './use-rollback.ts'

type Props = { deployment: Deployment; decisions: Decisions }

/** Cancels a deployment in progress without a pending pause; redeploys or rolls back one that has ended. */
export const DeploymentActions = ({ deployment, decisions }: Props) => {
  const mutationError = useFreezeRejection('RELEASES', deployment)
  const rollback = useRollback(deployment.status === 'SUCCESS' ? deployment.id : undefined)
  if (deployment.status === 'ROLLING_BACK' || pendingPause(deployment)) return null
  if (!isDeploymentOver(deployment.status))
    return <CancelButton decisions={decisions} hasBegun={deployment.status !== 'PENDING'} />
  return (
    <Group gap="xs">
      <PermissionButton
        permission="deployments:write"
        command="redeploy"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={decisions.redeploy.isPending}
        disabledReason={mutationError}
        onClick={() => decisions.redeploy.mutate()}
      >
        Redeploy
      </PermissionButton>
      {deployment.status === 'SUCCESS' && (
        <ConfirmButton
          permission="deployments:write"
          command="rollBack"
          color="red"
          variant="light"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          loading={decisions.rollBack.isPending}
          disabledReason={rollback?.error?.message}
          label="Roll back"
          question="Roll back to the previous release?"
          onConfirm={() => decisions.rollBack.mutate()}
        >
          Deploys the last successful version before this one, without pauses. Where possible, traffic moves
          immediately.
        </ConfirmButton>
      )}
    </Group>
  )
}

const CancelButton = ({ decisions, hasBegun }: { decisions: Decisions; hasBegun: boolean }) => (
  <ConfirmButton
    command="cancelDeployment"
    permission="deployments:write"
    color="red"
    variant="light"
    leftSection={<IconBan size={16} aria-hidden />}
    loading={decisions.cancel.isPending}
    label={hasBegun ? 'Cancel and roll back' : 'Cancel'}
    question="Cancel this deployment?"
    onConfirm={() => decisions.cancel.mutate()}
  >
    {hasBegun
      ? 'The previous version takes over all traffic, and the new one is stopped.'
      : 'The deployment is still queued. Nothing has changed yet.'}
  </ConfirmButton>
)
