import { Alert, Stack } from '@mantine/core'
import type { Deployment } from '@sluice/contract'
import { IconClock } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useStops } from '../freezes/use-freezes.ts'
import { InReadersTime } from '../ui/time.tsx'
import { waitWords } from './wait-words.ts'

// Few releases are stopped: the scripts of the first page are counted.
const LetPast = lazy(() => import('../freezes/let-past.tsx').then((module) => ({ default: module.LetPast })))

type Props = {
  deployment: Deployment
  /** The name of what is released. */
  service: string
}

/** What a release waits for before it begins, and the way past a freeze for whoever may. */
export const WaitPanel = ({ deployment, service }: Props) => {
  const words = waitWords(deployment)
  const stops = useStops(deployment.triggerSource === 'ROLLBACK' ? 'ROLLBACKS' : 'RELEASES', deployment)
  if (words === undefined) return null
  return (
    <Alert
      color={stops.length > 0 ? 'orange' : 'gray'}
      variant="light"
      role="status"
      icon={<IconClock aria-hidden />}
      title={<InReadersTime sentence={words} />}
    >
      {stops.length > 0 && (
        <Suspense>
          <Stack gap="xs" align="flex-start">
            {stops.map((freeze) => (
              <LetPast
                key={freeze.id}
                freeze={freeze}
                instance={{ id: deployment.moduleInstanceId, name: service }}
                isOneOf={stops.length > 1}
              />
            ))}
          </Stack>
        </Suspense>
      )}
    </Alert>
  )
}
