import { Group } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { isDeploymentOver, pendingPause } from '@sluice/contract/states'
import { IconArrowBackUp, IconBan, IconRefresh } from '@tabler/icons-react'
import { useRefusal } from '../freezes/frozen-note.tsx'
import { AllowedButton } from '../ui/buttons/allowed-button.tsx'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import type { Decisions } from './use-decisions.ts'
import { useRollback } from './use-rollback.ts'

type Props = { deployment: Deployment; decisions: Decisions }

/** Stop one that is under way, where no pause asks about it; release one that is over again, or what ran before it. */
export const DeploymentActions = ({ deployment, decisions }: Props) => {
  const refused = useRefusal('RELEASES', deployment)
  const rollback = useRollback(deployment.status === 'SUCCESS' ? deployment.id : undefined)
  if (deployment.status === 'ROLLING_BACK' || pendingPause(deployment)) return null
  if (!isDeploymentOver(deployment.status))
    return <CancelButton decisions={decisions} hasBegun={deployment.status !== 'PENDING'} />
  return (
    <Group gap="xs">
      <AllowedButton
        needs="deployments:write"
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={decisions.redeploy.isPending}
        keptFrom={refused}
        onClick={() => decisions.redeploy.mutate()}
      >
        Deploy this version again
      </AllowedButton>
      {deployment.status === 'SUCCESS' && (
        <ConfirmButton
          needs="deployments:write"
          color="red"
          variant="light"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          loading={decisions.rollBack.isPending}
          keptFrom={rollback?.refusal?.message}
          label="Roll back"
          question="Go back to the release before this one?"
          onConfirm={() => decisions.rollBack.mutate()}
        >
          The last version that succeeded before this deployment is released again, by the shortest way: without pauses,
          and at once where traffic can be moved.
        </ConfirmButton>
      )}
    </Group>
  )
}

const CancelButton = ({ decisions, hasBegun }: { decisions: Decisions; hasBegun: boolean }) => (
  <ConfirmButton
    needs="deployments:write"
    color="red"
    variant="light"
    leftSection={<IconBan size={16} aria-hidden />}
    loading={decisions.cancel.isPending}
    label={hasBegun ? 'Cancel and roll back' : 'Cancel'}
    question="Cancel this deployment?"
    onConfirm={() => decisions.cancel.mutate()}
  >
    {hasBegun
      ? 'The old version takes over again as a whole, and the new one is stopped.'
      : 'It waits for its turn: nothing has changed yet.'}
  </ConfirmButton>
)
