import { Group } from '@mantine/core'
import type { Deployment, DeploymentEvent } from '@sluice/contract'
import { previousMarksOf, versionOf } from '@sluice/contract/release-version'
import { describeFreeze } from '../freezes/freeze-text.ts'
import { useBlockingFreezes } from '../freezes/use-freezes.ts'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../ui/buttons/permission-button.tsx'
import { IconArrowBackUp, IconPlayerPlay } from '../ui/icons.tsx'
import { describeNextStage } from './next-stage.ts'
import type { Decisions } from './use-decisions.ts'
import { usePausePreview } from './use-pause-preview.ts'

type Props = { deployment: Deployment; pause: DeploymentEvent; decisions: Decisions }

/** Continues or rolls back, and says what each does. */
export const PauseDecision = ({ deployment, pause, decisions }: Props) => {
  const { forecast, isPending } = usePausePreview(deployment, pause)
  const next = forecast && describeNextStage(forecast)
  const [freeze] = useBlockingFreezes('CONTINUES', deployment)
  const before = versionOf(previousMarksOf(deployment.data))
  return (
    <Group gap="xs">
      <PermissionButton
        permission="approvals:write"
        command="continue"
        disabledReason={freeze && describeFreeze(freeze)}
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={decisions.continue.isPending}
        disabled={isPending || decisions.cancel.isPending}
        onClick={() => decisions.continue.mutate(pause.hookId)}
      >
        {next === undefined ? 'Continue' : `Continue: ${next}`}
      </PermissionButton>
      <ConfirmButton
        permission="deployments:write"
        command="rollBack"
        color="red"
        variant="light"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        loading={decisions.cancel.isPending}
        disabled={decisions.continue.isPending}
        label={before === undefined ? 'Roll back' : `Roll back to ${before}`}
        question={before === undefined ? 'Roll back?' : `Roll back to ${before}?`}
        onConfirm={() => decisions.cancel.mutate()}
      >
        The previous version takes over all traffic, and the new one is stopped.
      </ConfirmButton>
    </Group>
  )
}
