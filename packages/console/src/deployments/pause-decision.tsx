import { Group } from '@mantine/core'
import type { Deployment, DeploymentEvent } from '@sluice/contract'
import { previousMarksOf, versionOf } from '@sluice/contract/release-version'
import { IconArrowBackUp, IconPlayerPlay } from '@tabler/icons-react'
import { useStops } from '../freezes/use-freezes.ts'
import { frozenWords } from '../freezes/words.ts'
import { AllowedButton } from '../ui/buttons/allowed-button.tsx'
import { ConfirmButton } from '../ui/buttons/confirm-button.tsx'
import { nextWords } from './next-words.ts'
import type { Decisions } from './use-decisions.ts'
import { useOutlook } from './use-outlook.ts'

type Props = { deployment: Deployment; pause: DeploymentEvent; decisions: Decisions }

/** Continues or rolls back, and says what each does. */
export const PauseDecision = ({ deployment, pause, decisions }: Props) => {
  const { outlook, isAwaited } = useOutlook(deployment, pause)
  const next = outlook && nextWords(outlook)
  const [freeze] = useStops('CONTINUES', deployment)
  const before = versionOf(previousMarksOf(deployment.data))
  return (
    <Group gap="xs">
      <AllowedButton
        needs="approvals:write"
        keptFrom={freeze && frozenWords(freeze)}
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={decisions.continue.isPending}
        disabled={isAwaited || decisions.cancel.isPending}
        onClick={() => decisions.continue.mutate(pause.hookId)}
      >
        {next === undefined ? 'Continue' : `Continue: ${next}`}
      </AllowedButton>
      <ConfirmButton
        needs="deployments:write"
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
