import { Button, Code, Group, Text } from '@mantine/core'
import type { Deployment, ModuleInstance } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'
import { ButtonLink } from '../ui/buttons/button-link.tsx'
import { Guide, type GuideStep } from './guide.tsx'
import { releaseProgress, serviceToRelease } from './release-progress.ts'
import { useDismissed } from './use-dismissed.ts'

/** Number of deployments from which an organization is no longer new. */
const experienced = 20

/** Guides a new organization through a release, a pause, a failure and a rollback. Ends when it is dismissed. */
export const FirstReleases = () => {
  const [isDismissed, dismiss] = useDismissed()
  const { isAllowed } = usePermission('deployments:write')
  const isShown = isAllowed && !isDismissed
  const deployments = useOperation('listDeployments', { query: { limit: experienced } }, { enabled: isShown })
  const isNew = isShown && (deployments.data?.data.length ?? experienced) < experienced
  const instances = useOperation('listModuleInstances', { query: { limit: 100 } }, { enabled: isNew })
  const service = serviceToRelease(instances.data?.data ?? [])
  if (!isNew || !deployments.data || !service) return null
  const steps = stepsOf(service, deployments.data.data)
  const isDone = steps.every((step) => step.isDone)
  return <Guide title="Your first releases" steps={steps} after={<After isDone={isDone} onDismiss={dismiss} />} />
}

function stepsOf(service: ModuleInstance, deployments: readonly Deployment[]): GuideStep[] {
  const { hasReleased, hasPaused, hasContinued, hasFailed, hasRolledBack } = releaseProgress(deployments)
  const latest = deployments[0]
  const toService = (label: string) => (
    <ButtonLink size="xs" to="/console/instances/$id" params={{ id: service.id }}>
      {label}
    </ButtonLink>
  )
  const toLatest = latest && (
    <ButtonLink size="xs" to="/console/deployments/$id" params={{ id: latest.id }}>
      Open deployment
    </ButtonLink>
  )
  return [
    {
      title: 'Release a version',
      about: `Open ${service.name}, enter the new image or version, and choose Deploy.`,
      isDone: hasReleased,
      action: toService(`Go to ${service.name}`),
    },
    {
      title: 'See it pause',
      about: 'A canary, linear or blue/green release pauses before traffic moves, if its strategy says so.',
      isDone: hasPaused,
      action: toLatest,
    },
    {
      title: 'Continue it',
      about: 'Compare the new version with the old one in the charts. Then continue until all traffic has moved.',
      isDone: hasContinued,
      action: toLatest,
    },
    {
      title: 'Release a version that fails',
      about: (
        <>
          Sluice rolls it back and explains why. In the simulated cloud, an image crashes if its tag ends in{' '}
          <Code>-crash</Code>.
        </>
      ),
      isDone: hasFailed,
      action: toService(`Go to ${service.name}`),
    },
    {
      title: 'Roll back',
      about: 'Release one more version. Then open its deployment and choose Roll back.',
      isDone: hasRolledBack,
      action: toService(`Go to ${service.name}`),
    },
  ]
}

const After = ({ isDone, onDismiss }: { isDone: boolean; onDismiss: () => void }) => (
  <Group justify="space-between" mt="md" gap="xs">
    <Text size="sm" c="dimmed">
      {isDone ? 'Now connect your own cloud account and import what runs there.' : ''}
    </Text>
    <Group gap="xs">
      {isDone && (
        <ButtonLink size="xs" to="/console/settings/cloud-accounts">
          Connect account
        </ButtonLink>
      )}
      <Button size="xs" variant="subtle" onClick={onDismiss}>
        Hide guide
      </Button>
    </Group>
  </Group>
)
