import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Deployment } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { useRouter } from '@tanstack/react-router'
import { client } from '../api/client.ts'
import { useChange } from '../api/use-change.ts'
import { AllowedButton } from '../ui/allowed-button.tsx'
import { DifferenceList } from '../ui/difference-list.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { releaseDifferences } from './release-differences.ts'

type Props = {
  /** What runs. */
  live: Deployment
  /** A release that succeeded before it. */
  to: Deployment
}

/** Goes back to an earlier release, once it was seen what that changes. */
export const RollBackTo = ({ live, to }: Props) => {
  const [isOpen, { open, close }] = useDisclosure(false)
  const router = useRouter()
  const [from, version] = [live, to].map(({ data }) => versionOf(releaseMarksOf(data)) ?? 'a release')
  const differences = releaseDifferences(live.data, to.data)
  const rollBack = useChange(
    () => client.rollbackDeployment({ params: { id: live.id }, body: { data: { toDeploymentId: to.id } } }),
    ['listDeployments'],
    ({ data }) => router.navigate({ to: '/console/deployments/$id', params: { id: data.id } }),
  )
  return (
    <>
      <AllowedButton
        needs="deployments:write"
        size="compact-sm"
        variant="default"
        aria-label={`Roll back to this: ${version}`}
        onClick={open}
      >
        Roll back to this
      </AllowedButton>
      <Modal opened={isOpen} onClose={close} title={`Roll back ${from} → ${version}`} size="lg">
        <Stack>
          {rollBack.error && <ErrorPanel error={errorOf(rollBack.error)} />}
          <Text size="sm">
            {version} is released again by the shortest way: without pauses, and at once where traffic can be moved.
          </Text>
          {differences.length === 0 ? (
            <Text size="sm" c="dimmed">
              The two do not differ in what is recorded of them.
            </Text>
          ) : (
            <DifferenceList differences={differences} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" loading={rollBack.isPending} onClick={() => rollBack.mutate(undefined)} data-autofocus>
              Roll back
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
