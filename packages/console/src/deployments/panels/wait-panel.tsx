import { Alert, Stack } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { useBlockingFreezes } from '../../freezes/use-freezes.ts'
import { IconClock } from '../../ui/icons.tsx'
import { InReadersTime } from '../../ui/time.tsx'
import { queueMessage } from '../queue-message.ts'

// Loaded on demand to keep the first page small: few releases wait for a hold or a freeze.
const InstanceHolds = lazy(() =>
  import('../../holds/instance-holds.tsx').then((module) => ({ default: module.InstanceHolds })),
)
const LetPast = lazy(() =>
  import('../../freezes/override-freeze-button.tsx').then((module) => ({ default: module.OverrideFreezeButton })),
)

type Props = {
  deployment: Deployment
  /** Name of the service. */
  service: string
}

/** Shows what a queued release waits for, and lets permitted members override a freeze or lift a hold. */
export const WaitPanel = ({ deployment, service }: Props) => {
  const words = queueMessage(deployment)
  const { moduleInstanceId } = deployment
  const stops = useBlockingFreezes(deployment.triggerSource === 'ROLLBACK' ? 'ROLLBACKS' : 'RELEASES', deployment)
  if (words === undefined) return null
  return (
    <Alert
      color={stops.length > 0 ? 'orange' : 'gray'}
      variant="light"
      role="status"
      icon={<IconClock aria-hidden />}
      title={<InReadersTime sentence={words} />}
      // By default a long title is truncated.
      styles={{ title: { overflowWrap: 'anywhere' }, label: { overflow: 'visible' } }}
    >
      <Suspense>
        {deployment.triggerSource !== 'ROLLBACK' && (
          <InstanceHolds instance={{ id: moduleInstanceId, environmentId: deployment.environmentId }} />
        )}
        <Stack gap="xs" align="flex-start">
          {stops.map((freeze) => (
            <LetPast
              key={freeze.id}
              freeze={freeze}
              instance={{ id: moduleInstanceId, name: service }}
              isOneOf={stops.length > 1}
            />
          ))}
        </Stack>
      </Suspense>
    </Alert>
  )
}
